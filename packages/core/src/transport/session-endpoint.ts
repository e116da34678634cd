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

/** Where pages of the server's own origin stay signed in. It is also the cookie's path, so nothing else receives it. */
export const sessionPath = "/console/session";

/**
 * Answers a page that wants to stay signed in: `begin` puts the session of its access token behind a cookie, `renew` issues another access
 * token for the cookie, `end` ends the session. Throws its refusals; `origin` is the server's own address.
 */
export type SessionEndpoint = (exchange: Exchange, origin: string) => Promise<HttpAnswer>;

/** Creates the endpoint. Scripts can't read the handle in its cookie, and other origins get no answer. */
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
      // The row for what is still allowed before a required password change, and before a second factor is given.
      const actor = await access.identify(caller, operationsById["sessions.createByFactor"]);
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

/** Refuses a POST that didn't come from a page of this server: browsers send the page's origin with every POST by a script. */
export function requireOwnOrigin(request: IncomingRequest, origin: string): void {
  if (request.header("origin") === origin && URL.canParse(origin)) return;
  const detail =
    "Only pages from this server's own address may call this. Behind a TLS proxy, configure the server to trust that proxy.";
  throw new LiveplaneError("PermissionDenied", detail);
}

/** The cookie with a browser's session handle. */
export function sessionCookie(request: IncomingRequest, origin: string): OwnCookie {
  const cookie = ownCookie(request, origin, { name: "liveplane-session", path: sessionPath, sameSite: "Strict" });
  return { ...cookie, sent: cookie.sent?.slice(0, 256) ?? null };
}

function causeOf({ requestId }: Exchange, actor = "anonymous"): Cause {
  return { actor, requestId };
}
