import { createHash, randomBytes } from "node:crypto";
import type { TokenSet } from "@liveplane/core/contract";
import { type ErrorCode, errorCodes, LiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../client.ts";
import { type CliHost, UsageError } from "./host.ts";
import { openLoopback } from "./loopback.ts";

/** As long as the service waits, too. */
const longestWaitMs = 600_000;

/** Signs in at the service's OpenID provider, in a browser on this machine. What comes back through it is a code that this program alone can use. */
export async function signInByBrowser(host: CliHost, url: string): Promise<TokenSet> {
  const api = createClient({ baseUrl: url });
  if (!(await api.sessions.methods({ signal: host.signal })).openId)
    throw new UsageError("This service has no OpenID provider to sign in at: run liveplane login.");
  const codeVerifier = randomBytes(32).toString("base64url");
  const code = await codeByBrowser(host, `${url}/auth/oidc/start`, codeVerifier);
  return api.sessions.createByCode({ code, codeVerifier }, { signal: host.signal });
}

/** Sends the person's browser to the provider, and waits for the code that it comes back with. */
export async function codeByBrowser(host: CliHost, start: string, codeVerifier: string): Promise<string> {
  const state = randomBytes(16).toString("base64url");
  const loopback = await openLoopback(state);
  try {
    const address = new URL(start);
    address.searchParams.set("loopback", String(loopback.port));
    address.searchParams.set("state", state);
    address.searchParams.set("code_challenge", createHash("sha256").update(codeVerifier).digest("base64url"));
    host.say(`Sign in with a browser on this machine:\n${address}`);
    host.openPage?.(address.href);
    const patience = AbortSignal.any([host.signal, AbortSignal.timeout(longestWaitMs)]);
    const { code, error, detail } = await loopback.returned(patience);
    if (code !== null) return code;
    throw new LiveplaneError(isCode(error) ? error : "SignInInvalid", detail === "" ? undefined : detail);
  } finally {
    loopback.close();
  }
}

function isCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorCodes, word);
}
