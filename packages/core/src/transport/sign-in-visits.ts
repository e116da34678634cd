import { invalid } from "../contract/invalid.ts";
import { operationsById } from "../contract/operations/operations.ts";
import { forStrangers, LiveplaneError } from "../errors.ts";
import type { Services } from "../services.ts";
import type { IssuerSignIn, LinkOffer } from "../sessions/issuer-sign-in.ts";
import type { SignInEnd } from "../sessions/sign-in-transactions.ts";
import type { Exchange } from "./http/answers.ts";
import type { IncomingRequest } from "./http/incoming-request.ts";
import { splitTarget } from "./http/negotiation.ts";
import type { RateGate } from "./http/rate-gate.ts";
import { type OwnCookie, ownCookie } from "./own-cookie.ts";
import { returnPath } from "./return-path.ts";
import { requireOwnOrigin, sessionCookie } from "./session-endpoint.ts";
import { codePage, confirmationPage, signInPolicy } from "./sign-in-pages.ts";

/** Where browsers go to sign in at the host's issuer, and return. */
export const startPath = "/auth/oidc/start";
const callbackPath = "/auth/oidc/callback";
const signOutPath = "/auth/oidc/sign-out";

/** The result of a visit: an address to redirect to, one for the calling script, or a page with its policy. */
export type SignInVisited =
  | { readonly kind: "moved" | "told"; readonly location: string }
  | { readonly kind: "page"; readonly page: string; readonly policy?: string };

/** Answers a visit. Adds cookies to the exchange; throws its refusals. */
export type SignInVisit = (exchange: Exchange, origin: string) => Promise<SignInVisited>;

type VisitServices = Pick<Services, "sessionHandles"> & { readonly signIn: IssuerSignIn };

/** Creates the handlers of visits, by path. */
export function createSignInVisits(
  deps: VisitServices & { readonly gate: RateGate },
): ReadonlyMap<string, SignInVisit> {
  const { gate } = deps;
  const judged =
    (
      visit: (deps: VisitServices, ...of: Parameters<SignInVisit>) => ReturnType<SignInVisit>,
      ...methods: string[]
    ): SignInVisit =>
    async (exchange, origin) => {
      if (!methods.includes(exchange.request.method)) {
        exchange.headers.push("Allow", methods.join(", "));
        throw new LiveplaneError("MethodNotAllowed", `This path accepts ${methods.join(", ")}.`);
      }
      gate.admit(exchange, { kind: "anonymous" }, operationsById["tokens.create"]);
      if (!URL.canParse(origin)) throw new LiveplaneError("ValidationFailed", "The request has no Host header.");
      return visit(deps, exchange, origin);
    };
  return new Map([
    [startPath, judged(start, "GET", "POST")],
    [callbackPath, judged(comeBack, "GET", "POST")],
    [signOutPath, judged(signOut, "GET")],
  ]);
}

/** A script of this server's own page posts and is told where to go; any other browser is redirected. */
async function start(
  { signIn }: VisitServices,
  { request, requestId, headers }: Exchange,
  origin: string,
): Promise<SignInVisited> {
  const isPosted = request.method === "POST";
  if (isPosted) requireOwnOrigin(request, origin);
  const query = queryOf(request);
  const [ticket, end] = [query.get("link"), endOf(query, origin)];
  // A link may contain somebody else's ticket; a page of this server posts its own.
  if (ticket !== null && end.kind === "page" && !isPosted)
    throw new LiveplaneError("SignInInvalid", "A link can't link an identity: do that on your account's page.");
  const { location, transaction, seconds } = await signIn.begin({
    redirectUri: `${origin}${request.base}${callbackPath}`,
    end,
    isFresh: query.has("fresh"),
    ...(ticket !== null && { ticket }),
    requestId,
    signal: request.signal,
  });
  headers.push("Set-Cookie", transactionCookie(request, origin).holding(transaction, seconds));
  return { kind: isPosted ? "told" : "moved", location };
}

/** A browser returns from the issuer, or its person confirms the offered identity. */
async function comeBack(
  { signIn, sessionHandles }: VisitServices,
  { request, requestId, headers }: Exchange,
  origin: string,
): Promise<SignInVisited> {
  const cookie = transactionCookie(request, origin);
  const { address, signal } = request;
  const from = { address, userAgent: request.header("user-agent") ?? null, remote: true };
  const returning = { transaction: cookie.sent, query: queryOf(request), from, requestId, signal };
  const arriving = request.method === "POST" ? signIn.confirm(returning) : signIn.finish(returning);
  const arrived = await arriving.catch((refusal: unknown) => {
    headers.push("Set-Cookie", cookie.gone());
    throw refusal;
  });
  if (arrived.kind === "offer") {
    headers.push("Set-Cookie", cookie.holding(arrived.transaction, arrived.seconds));
    return confirmation(arrived, request.base);
  }
  headers.push("Set-Cookie", cookie.gone());
  if (arrived.kind === "person") return { kind: "page", page: codePage(arrived.code) };
  if (arrived.kind === "loopback") return { kind: "moved", location: atLoopback(arrived, { code: arrived.code }) };
  if (arrived.kind === "refused") {
    const { code, message } = forStrangers(arrived.refusal);
    return { kind: "moved", location: atLoopback(arrived, { error: code, error_description: message }) };
  }
  const path = returnPath(origin, arrived.returnTo);
  if ("code" in arrived) return { kind: "moved", location: `${path.replace(/#.*/, "")}#code=${arrived.code}` };
  const handle = await sessionHandles.open({ actor: "anonymous", requestId }, arrived.tokens.sessionId);
  if (handle === null) throw new LiveplaneError("AccountNotActive");
  headers.push("Set-Cookie", sessionCookie(request, origin).holding(handle));
  return { kind: "moved", location: path };
}

/** Browsers apply a form's policy to the redirects that follow too. */
function confirmation(offer: LinkOffer, base: string): SignInVisited {
  const next = offer.end.kind === "loopback" ? ` http://127.0.0.1:${offer.end.port}` : "";
  const page = confirmationPage(offer, `${base}${callbackPath}?state=${offer.state}`);
  return { kind: "page", page, policy: signInPolicy(`'self'${next}`) };
}

async function signOut({ signIn }: VisitServices, { request }: Exchange, origin: string): Promise<SignInVisited> {
  const path = returnPath(origin, queryOf(request).get("returnTo"));
  const location = await signIn.signOut(`${new URL(origin).origin}${path}`, { signal: request.signal });
  return { kind: "moved", location: location ?? path };
}

/** A program on the browser's machine. It is addressed by number, because a name could be another machine's. */
function atLoopback({ port, state }: { port: number; state: string }, told: Readonly<Record<string, string>>): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ ...told, state })}`;
}

function queryOf({ target }: IncomingRequest): URLSearchParams {
  return new URLSearchParams(splitTarget(target).search);
}

/**
 * Where a sign-in ends: on a page of this server; with `loopback`, at a program on that port of the browser's machine; with `device`, with
 * the person, who copies the code to a program elsewhere.
 */
function endOf(query: URLSearchParams, origin: string): SignInEnd {
  if (query.has("device")) return { kind: "person", codeChallenge: challengeOf(query) };
  const loopback = query.get("loopback");
  if (loopback === null) return { kind: "page", returnTo: returnPath(origin, query.get("returnTo")) };
  const port = /^\d{1,5}$/.test(loopback) ? Number(loopback) : 0;
  if (port < 1 || port > 65_535) throw wrong("loopback", "This must be a port.");
  return { kind: "loopback", port, state: randomOf(query, "state"), codeChallenge: challengeOf(query) };
}

/** Only a sign-in needs a challenge: the code of a link counts only in the session that began it. No verifier meets an empty challenge. */
function challengeOf(query: URLSearchParams): string {
  return query.has("link") ? "" : randomOf(query, "code_challenge");
}

function randomOf(query: URLSearchParams, name: string): string {
  const value = query.get(name) ?? "";
  if (/^[\w.~-]{22,128}$/.test(value)) return value;
  throw wrong(name, "This must be 22 to 128 letters, digits or any of -._~.");
}

function wrong(parameter: string, detail: string): LiveplaneError {
  return invalid([{ parameter, code: "Format", detail }]);
}

/** A browser's pending sign-in: sent only to the callback, even when coming from the issuer's page. */
function transactionCookie(request: IncomingRequest, origin: string): OwnCookie {
  return ownCookie(request, origin, { name: "liveplane-sign-in", path: callbackPath, sameSite: "Lax" });
}
