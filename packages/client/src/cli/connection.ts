import type { Api } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../client.ts";
import type { TokenSource } from "../tokens.ts";
import { UsageError } from "../usage-error.ts";
import type { CliHost } from "./host.ts";
import { tellingFetch } from "./outages.ts";
import { pipelineToken } from "./pipeline-token.ts";
import { type KeptSession, type SessionFile, sessionFile } from "./session-file.ts";

/** The service that a command calls. */
export interface Connection {
  readonly url: string;
  readonly api: Api;
  /** The caller's token for requests outside the operations; absent with a service account's secret. */
  readonly token?: TokenSource;
}

/** A token that expires sooner is replaced first. */
const marginMs = 30_000;

/** The file with this person's session. */
export function sessionsOf({ folder, sleep }: Pick<CliHost, "folder" | "sleep">): SessionFile {
  return sessionFile({ folder, sleep });
}

/** Connects by the environment's variables, or by the session of the last sign-in. */
export async function connect(host: CliHost): Promise<Connection> {
  const { LIVEPLANE_URL, LIVEPLANE_TOKEN, LIVEPLANE_CLIENT_ID, LIVEPLANE_CLIENT_SECRET } = host.environment;
  const sessions = sessionsOf(host);
  const given = LIVEPLANE_TOKEN ?? LIVEPLANE_CLIENT_ID;
  const kept = given === undefined || given === "" ? await sessions.read() : null;
  const url = LIVEPLANE_URL === undefined ? kept?.url : requireUrl("LIVEPLANE_URL", LIVEPLANE_URL);
  if (url === undefined)
    throw new UsageError("Not signed in. Run liveplane login, or set LIVEPLANE_URL and LIVEPLANE_TOKEN.");
  if (kept !== null && kept.url !== url)
    throw new UsageError(`You are signed in to ${kept.url}, but LIVEPLANE_URL is ${url}. Run liveplane login.`);
  const service = { baseUrl: url, fetch: tellingFetch(host) };
  const withToken = (token: TokenSource) => ({ url, token, api: createClient({ ...service, token }) });
  if (LIVEPLANE_TOKEN) return withToken(LIVEPLANE_TOKEN);
  if (LIVEPLANE_CLIENT_ID && LIVEPLANE_CLIENT_SECRET) {
    const credentials = { clientId: LIVEPLANE_CLIENT_ID, clientSecret: LIVEPLANE_CLIENT_SECRET };
    return { url, api: createClient({ ...service, credentials }) };
  }
  if (LIVEPLANE_CLIENT_ID) {
    const token = pipelineToken(host, { url, clientId: LIVEPLANE_CLIENT_ID });
    if (token !== null) return withToken(token);
    throw new UsageError(
      "LIVEPLANE_CLIENT_ID is set without a credential. Set LIVEPLANE_CLIENT_SECRET, or set LIVEPLANE_ID_TOKEN to the pipeline's token.",
    );
  }
  if (kept === null) throw new UsageError("Not signed in. Run liveplane login.");
  return withToken(keptToken(url, sessions));
}

/** The service's address, without a slash at its end. A wrong one is told by where it was given. */
export function requireUrl(name: "--url" | "LIVEPLANE_URL", given: string): string {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw new UsageError(`${name} must be an absolute address, such as http://localhost:8080.`);
  return given.replace(/\/+$/, "");
}

/** The stored access token while it is valid, otherwise a new one. */
function keptToken(url: string, sessions: SessionFile): TokenSource {
  return async () => {
    const known = await sessions.read();
    if (known !== null && isGood(known)) return known.accessToken;
    return sessions.alone(async () => {
      const now = await sessions.read();
      if (now === null) throw signInAnew();
      // Another process may have been faster.
      return isGood(now) ? now.accessToken : renew(url, now, sessions);
    });
  };
}

function isGood({ accessToken, until }: KeptSession): boolean {
  return accessToken !== "" && until - marginMs > Date.now();
}

async function renew(url: string, { refreshToken }: KeptSession, sessions: SessionFile): Promise<string> {
  try {
    const answer = await createClient({ baseUrl: url }).tokens.create({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    });
    const next = {
      url,
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? refreshToken,
      until: Date.now() + answer.expires_in * 1000,
    };
    await sessions.write(next);
    return next.accessToken;
  } catch (error) {
    if (isLiveplaneError(error, "InvalidCredentials") || isLiveplaneError(error, "TokenRevoked")) throw signInAnew();
    throw error;
  }
}

function signInAnew(): LiveplaneError {
  return new LiveplaneError("TokenRevoked", "The session has ended. Run liveplane login.");
}
