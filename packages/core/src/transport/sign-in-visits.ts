import { invalid } from "../contract/invalid.ts";
import { operationsById } from "../contract/operations/operations.ts";
import { forStrangers, LiveplaneError } from "../errors.ts";
import type { IssuerSignIn } from "../sessions/issuer-sign-in.ts";
import type { SessionHandles } from "../sessions/session-handles.ts";
import type { SignInEnd } from "../sessions/sign-in-transactions.ts";
import type { Exchange } from "./http/answers.ts";
import type { IncomingRequest } from "./http/incoming-request.ts";
import { splitTarget } from "./http/negotiation.ts";
import type { RateGate } from "./http/rate-gate.ts";
import { type OwnCookie, ownCookie } from "./own-cookie.ts";
import { sessionCookie } from "./session-endpoint.ts";
import { codePage } from "./sign-in-pages.ts";

/** Where browsers go to sign in at the host's issuer, and come back. */
export const startPath = "/auth/oidc/start";
const callbackPath = "/auth/oidc/callback";
const signOutPath = "/auth/oidc/sign-out";

const longestReturn = 512;

/** What visits take. */
export interface SignInVisitsDeps {
  readonly signIn: IssuerSignIn;
  readonly sessionHandles: Pick<SessionHandles, "open">;
  readonly gate: RateGate;
}

/** What a visit leads to: an address to send the browser to, or a page. */
export type SignInVisited = { readonly location: string } | { readonly page: string };

/** Answers a visit. Adds cookies to the exchange; throws what it refuses. */
export type SignInVisit = (exchange: Exchange, origin: string) => Promise<SignInVisited>;

/** Builds the answers to visits, by path. */
export function createSignInVisits(deps: SignInVisitsDeps): ReadonlyMap<string, SignInVisit> {
  const { gate } = deps;
  const judged =
    (visit: (deps: SignInVisitsDeps, ...of: Parameters<SignInVisit>) => ReturnType<SignInVisit>): SignInVisit =>
    async (exchange, origin) => {
      if (exchange.request.method !== "GET") {
        exchange.headers.push("Allow", "GET");
        throw new LiveplaneError("MethodNotAllowed", "This path takes GET.");
      }
      gate.admit(exchange, { kind: "anonymous" }, operationsById["tokens.create"]);
      if (!URL.canParse(origin)) throw new LiveplaneError("ValidationFailed", "The request names no host.");
      return visit(deps, exchange, origin);
    };
  return new Map([
    [startPath, judged(start)],
    [callbackPath, judged(comeBack)],
    [signOutPath, judged(signOut)],
  ]);
}

async function start(
  { signIn }: SignInVisitsDeps,
  { request, headers }: Exchange,
  origin: string,
): Promise<SignInVisited> {
  const query = queryOf(request);
  const ticket = query.get("link");
  const { location, transaction, seconds } = await signIn.begin({
    redirectUri: `${origin}${request.base}${callbackPath}`,
    end: endOf(query, origin),
    ...(ticket !== null && { ticket }),
    signal: request.signal,
  });
  headers.push("Set-Cookie", transactionCookie(request, origin).holding(transaction, seconds));
  return { location };
}

async function comeBack(
  { signIn, sessionHandles }: SignInVisitsDeps,
  { request, requestId, headers }: Exchange,
  origin: string,
): Promise<SignInVisited> {
  const cookie = transactionCookie(request, origin);
  const { address, signal } = request;
  const from = { address, userAgent: request.header("user-agent") ?? null, remote: true };
  const returning = { transaction: cookie.sent, query: queryOf(request), from, requestId, signal };
  const arrived = await signIn.finish(returning).catch((refusal: unknown) => {
    headers.push("Set-Cookie", cookie.gone());
    throw refusal;
  });
  if (arrived.kind === "person") return { page: codePage(arrived.code) };
  if (arrived.kind === "loopback") return { location: atLoopback(arrived, { code: arrived.code }) };
  if (arrived.kind === "refused") {
    const { code, message } = forStrangers(arrived.refusal);
    return { location: atLoopback(arrived, { error: code, error_description: message }) };
  }
  if ("code" in arrived) return { location: `${arrived.returnTo}#code=${arrived.code}` };
  const handle = await sessionHandles.open({ actor: "anonymous", requestId }, arrived.tokens.sessionId);
  if (handle === null) throw new LiveplaneError("AccountNotActive");
  headers.push("Set-Cookie", sessionCookie(request, origin).holding(handle));
  return { location: arrived.returnTo };
}

async function signOut({ signIn }: SignInVisitsDeps, { request }: Exchange, origin: string): Promise<SignInVisited> {
  const returnTo = returnOf(queryOf(request), origin);
  return { location: (await signIn.signOut(`${origin}${returnTo}`, { signal: request.signal })) ?? returnTo };
}

/** A program on the browser's own machine. It is named by number: a name could be another machine's. */
function atLoopback({ port, state }: { port: number; state: string }, told: Readonly<Record<string, string>>): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ ...told, state })}`;
}

function queryOf({ target }: IncomingRequest): URLSearchParams {
  return new URLSearchParams(splitTarget(target).search);
}

/**
 * Where a sign-in is to end: at a page of this server; where `loopback` names a port, at a program on the browser's own machine; where `device`
 * is said, with the person, who takes the code to a program on another one.
 */
function endOf(query: URLSearchParams, origin: string): SignInEnd {
  if (query.has("device")) return { kind: "person", codeChallenge: randomOf(query, "code_challenge") };
  const loopback = query.get("loopback");
  if (loopback === null) return { kind: "page", returnTo: returnOf(query, origin) };
  const port = /^\d{1,5}$/.test(loopback) ? Number(loopback) : 0;
  if (port < 1 || port > 65_535) throw wrong("loopback", "This must be a port.");
  const [state, codeChallenge] = [randomOf(query, "state"), randomOf(query, "code_challenge")];
  return { kind: "loopback", port, state, codeChallenge };
}

function randomOf(query: URLSearchParams, name: string): string {
  const value = query.get(name) ?? "";
  if (/^[\w.~-]{22,128}$/.test(value)) return value;
  throw wrong(name, "This must be 22 to 128 letters, digits or any of -._~.");
}

/** A path of this server and nothing else: whoever writes the link must not decide where people who sign in end up. */
function returnOf(query: URLSearchParams, origin: string): string {
  const path = query.get("returnTo") ?? "/";
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes("\\") && path.length <= longestReturn;
  const url = isPath && URL.canParse(path, origin) ? new URL(path, origin) : null;
  if (url?.origin !== origin || url.hash !== "") throw wrong("returnTo", "This must be a path of this server.");
  return `${url.pathname}${url.search}`;
}

function wrong(parameter: string, detail: string): LiveplaneError {
  return invalid([{ parameter, code: "Format", detail }]);
}

/** What a browser keeps of a sign-in under way: sent to the callback alone, when somebody comes from the issuer's page too. */
function transactionCookie(request: IncomingRequest, origin: string): OwnCookie {
  return ownCookie(request, origin, { name: "liveplane-sign-in", path: callbackPath, sameSite: "Lax" });
}
