import type { Access } from "../access/access.ts";
import { operationsById } from "../contract/operations/operations.ts";
import { actorName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Cause } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Answers, Exchange } from "./http/answers.ts";
import { readJson } from "./http/body.ts";
import { callerOf } from "./http/credentials.ts";
import type { HttpAnswer, IncomingRequest } from "./http/incoming-request.ts";
import type { RateGate } from "./http/rate-gate.ts";
import { type OwnCookie, ownCookie } from "./own-cookie.ts";

/** Where pages of the server's own origin stay signed in. It is the cookie's path too: nothing else is ever sent it. */
export const sessionPath = "/console/session";

/**
 * Answers a page that wants to stay signed in: `begin` puts the session of its access token behind a cookie, `renew` gives another access
 * token for the cookie, `end` ends the session. Throws what it refuses; `origin` is where the server itself is reached.
 */
export type SessionEndpoint = (exchange: Exchange, origin: string) => Promise<HttpAnswer>;

/** Builds the endpoint. No script ever sees the handle in its cookie, and no other origin gets an answer. */
export function createSessionEndpoint({
  access,
  sessionHandles,
  gate,
  answers,
}: Pick<Services, "sessionHandles"> & {
  readonly access: Access;
  readonly gate: RateGate;
  readonly answers: Answers;
}): SessionEndpoint {
  const does = {
    async begin(exchange: Exchange, cookie: OwnCookie): Promise<HttpAnswer> {
      const caller = callerOf(exchange.request.header("authorization"));
      // The row of what may still be done before a password is changed.
      const actor = await access.identify(caller, operationsById["sessions.delete"]);
      const sessionId = actor.kind === "account" ? actor.sessionId : undefined;
      if (sessionId === undefined) throw new LiveplaneError("PermissionDenied", "Only people's sessions can use this.");
      const handle = await sessionHandles.open(causeOf(exchange, actorName(actor)), sessionId);
      if (handle === null) throw new LiveplaneError("TokenRevoked");
      exchange.headers.push("Set-Cookie", cookie.holding(handle));
      return answers.empty(exchange);
    },
    async renew(exchange: Exchange, cookie: OwnCookie): Promise<HttpAnswer> {
      if (cookie.sent === null) return answers.empty(exchange);
      const renewed = await sessionHandles.renew(causeOf(exchange), cookie.sent);
      if (renewed !== null) return answers.json(exchange, renewed);
      exchange.headers.push("Set-Cookie", cookie.gone());
      throw new LiveplaneError("TokenRevoked", "The session has ended. Sign in again.");
    },
    async end(exchange: Exchange, cookie: OwnCookie): Promise<HttpAnswer> {
      if (cookie.sent !== null) await sessionHandles.end(causeOf(exchange), cookie.sent);
      exchange.headers.push("Set-Cookie", cookie.gone());
      return answers.empty(exchange);
    },
  };

  return async (exchange, origin) => {
    const { request } = exchange;
    if (request.method !== "POST") {
      exchange.headers.push("Allow", "POST");
      throw new LiveplaneError("MethodNotAllowed", "This path accepts POST.");
    }
    requireOwnOrigin(request, origin);
    gate.admit(exchange, { kind: "anonymous" }, operationsById["tokens.create"]);
    const asked = String(Reflect.get(Object(await readJson(request, 1)), "do"));
    if (!Object.hasOwn(does, asked)) {
      const detail = "This must be begin, renew or end.";
      const errors = [{ pointer: "#/do", code: "Enum", detail }] as const;
      throw new LiveplaneError("ValidationFailed", detail, { details: { errors } });
    }
    return does[asked as keyof typeof does](exchange, sessionCookie(request, origin));
  };
}

/** Refuses a POST that no page of this server sent: browsers name the page's origin in every POST that a script sends. */
export function requireOwnOrigin(request: IncomingRequest, origin: string): void {
  if (request.header("origin") === origin && URL.canParse(origin)) return;
  const detail =
    "Only pages from this server's own address may call this. Behind a TLS proxy, configure the server to trust that proxy.";
  throw new LiveplaneError("PermissionDenied", detail);
}

/** The cookie in which a browser keeps the handle of its session. */
export function sessionCookie(request: IncomingRequest, origin: string): OwnCookie {
  const cookie = ownCookie(request, origin, { name: "liveplane-session", path: sessionPath, sameSite: "Strict" });
  return { ...cookie, sent: cookie.sent?.slice(0, 256) ?? null };
}

function causeOf({ requestId }: Exchange, actor = "anonymous"): Cause {
  return { actor, requestId };
}
