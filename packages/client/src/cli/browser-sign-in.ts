import { createHash, randomBytes } from "node:crypto";
import type { Api, TokenSet } from "@liveplane/core/contract";
import { type ErrorCode, errorCodes, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../client.ts";
import { UsageError } from "../usage-error.ts";
import { connect } from "./connection.ts";
import type { CliHost } from "./host.ts";
import { openLoopback } from "./loopback.ts";

/** As long as the service waits. */
const longestWaitMs = 600_000;

const mostTries = 3;

interface Visit {
  /** The address where it begins. */
  readonly start: string;
  /** Known only to this program, and required with the code. `null`: the code counts in this program's session alone. */
  readonly codeVerifier: string | null;
  /** Whether the browser is on another machine, so that the person copies the code. */
  readonly isElsewhere: boolean;
}

/** Where in the browser the person signs in. */
export type BrowserPlace = "console" | "provider" | "provider, again";

/** Signs in in a browser, which returns with a code that only this program can use. */
export async function signInByBrowser(
  host: CliHost,
  { url, isElsewhere, at }: Pick<Visit, "isElsewhere"> & { readonly url: string; readonly at: BrowserPlace },
): Promise<TokenSet> {
  const api = createClient({ baseUrl: url });
  const codeVerifier = randomBytes(32).toString("base64url");
  const start = at === "console" ? await consolePage(api, host, url) : await providerPage(api, host, { url, at });
  const visit = { start, codeVerifier, isElsewhere };
  return withCode(host, visit, (code) => api.sessions.createByCode({ code, codeVerifier }, { signal: host.signal }));
}

/** The console's page that approves a program. A service that doesn't name its console has it at its own address. */
async function consolePage(api: Pick<Api, "sessions">, { signal }: CliHost, url: string): Promise<string> {
  const { consoleUrl } = await api.sessions.methods({ signal });
  return `${(consoleUrl ?? url).replace(/\/+$/, "")}/#/authorize`;
}

async function providerPage(
  api: Pick<Api, "sessions">,
  { signal }: CliHost,
  { url, at }: { readonly url: string; readonly at: BrowserPlace },
): Promise<string> {
  await requireProvider(api, signal, "To sign in with a password, run liveplane login.");
  return `${url}/auth/oidc/start${at === "provider" ? "" : "?fresh=1"}`;
}

/** Refuses what needs an OpenID provider where there is none, before anything else is asked of the person. */
export async function requireProvider(api: Pick<Api, "sessions">, signal: AbortSignal, instead: string): Promise<void> {
  if (!(await api.sessions.methods({ signal })).openId)
    throw new UsageError(`This service has no OpenID provider. ${instead}`);
}

/** How to sign in again: at the provider only if the service has one. */
export async function signInAgain(host: CliHost): Promise<string> {
  const { api } = await connect(host);
  const methods = await api.sessions.methods({ signal: host.signal }).catch(() => null);
  const atProvider = methods?.openId ? ", or at the OpenID provider: liveplane login --oidc --fresh" : "";
  return `To sign in again: liveplane login${atProvider}`;
}

/** Sends the person to a browser, and passes on the code that they return with. */
export async function withCode<T>(host: CliHost, visit: Visit, take: (code: string) => Promise<T>): Promise<T> {
  if (!visit.isElsewhere) return take(await codeByLoopback(host, visit));
  host.say(["Open this address in a browser on any machine to sign in:", addressOf(visit, { device: "1" })]);
  for (let tries = 1; ; tries++) {
    const code = (await host.askSecret("Code shown in the browser: ")).trim();
    if (code === "") throw new UsageError("The code that the browser shows is missing. Run the command again.");
    try {
      return await take(code);
    } catch (error) {
      // An unknown code wasn't spent: it was typed or copied wrongly.
      if (tries === mostTries || !isLiveplaneError(error, "SignInInvalid")) throw error;
      host.say("That code is wrong or has expired. Copy the whole code.");
    }
  }
}

async function codeByLoopback(host: CliHost, visit: Visit): Promise<string> {
  const state = randomBytes(16).toString("base64url");
  const loopback = await openLoopback(state);
  try {
    const address = addressOf(visit, { loopback: String(loopback.port), state });
    host.say(["Open this address in a browser on this machine to sign in:", address]);
    host.openPage?.(address);
    const patience = AbortSignal.any([host.signal, AbortSignal.timeout(longestWaitMs)]);
    const { code, error, detail } = await loopback.returned(patience);
    if (code !== null) return code;
    throw new LiveplaneError(isCode(error) ? error : "SignInInvalid", detail === "" ? undefined : detail);
  } finally {
    loopback.close();
  }
}

function addressOf({ start, codeVerifier }: Visit, end: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(end);
  if (codeVerifier !== null) query.set("code_challenge", createHash("sha256").update(codeVerifier).digest("base64url"));
  // A page of the console reads what follows its #.
  return `${start}${start.includes("?") ? "&" : "?"}${query}`;
}

function isCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorCodes, word);
}
