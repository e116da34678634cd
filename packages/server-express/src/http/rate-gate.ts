import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Actor,
  actorName,
  createRateLimiter,
  networkOf,
  type Operation,
  type RateBucket,
  type RatePolicy,
  type RateVerdict,
  ratePolicies,
  signInName,
} from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { parseRoute } from "@liveplane/core/routes";
import { setRateHeaders } from "./headers.ts";

/** Quotas a minute by bucket, where they differ from the defaults; `off`: no limits. */
export type RateLimits = "off" | Readonly<Partial<Record<RateBucket, number>>>;

/** Options of the gate. */
export interface RateGateOptions {
  readonly limits: RateLimits;
  /** How many proxies in front tell the truth in `X-Forwarded-For`. @default 0 */
  readonly trustedProxies?: number;
}

/** One request at the gate, and whether it was counted. */
export interface RateTicket {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isCounted: boolean;
  /** Takes back what was counted for the name that was tried. */
  forgiveName?: () => void;
}

/** Counts every answer against its caller's quota. */
export interface RateGate {
  /** Counts a call whose caller is known. Throws `RateLimited`. */
  admit(ticket: RateTicket, actor: Actor, row: Operation): void;
  /** Counts a call to the cloud against its environment. Throws `RateLimited`. */
  count(ticket: RateTicket, row: Operation, params: Readonly<Record<string, string>>): void;
  /** Counts an attempt with a name against that name, before anybody knows whether it is an account's. Throws `RateLimited`. */
  countName(ticket: RateTicket, row: Operation, body: unknown): void;
  /** Counts what was refused before anybody was known, and gives the failure to answer. */
  judge(ticket: RateTicket, error: unknown): unknown;
  addressOf(request: IncomingMessage): string;
}

/** Longer than an address may be: no account has such a name. */
const longestName = 320;
const byAddress: ReadonlySet<string> = new Set(["signIn", "registration", "challenges", "token"]);

/** Builds the gate in front of the contract. */
export function createRateGate({ limits, trustedProxies = 0 }: RateGateOptions): RateGate {
  const limiter = createRateLimiter(() => performance.now(), policiesOf(limits));

  function take(ticket: RateTicket, bucket: RateBucket, whom: string): void {
    ticket.isCounted = true;
    if (limits === "off") return;
    const verdict = limiter.count(bucket, whom);
    setRateHeaders(ticket.response, verdict);
    if (!verdict.allowed) throw limited(verdict);
  }

  const gate: RateGate = {
    addressOf: (request) => addressOf(request, trustedProxies),
    admit(ticket, actor, row) {
      const bucket = row.rate ?? (parseRoute(row.id).methods[0] === "GET" ? "reads" : "writes");
      const known = actor.kind !== "anonymous" && actor.kind !== "challenge" && !byAddress.has(bucket);
      take(ticket, bucket, known ? actorName(actor) : networkOfCaller(ticket.request, trustedProxies));
    },
    count(ticket, row, { type, ownerId, shortName }) {
      if (row.callsCloud === true) take(ticket, "cloud", `${type}/${ownerId?.toLowerCase()}/${shortName}`);
    },
    countName(ticket, { ratedName }, body) {
      const name = ratedName === undefined ? undefined : Reflect.get(Object(body), ratedName.member);
      if (limits === "off" || ratedName === undefined || typeof name !== "string" || name.length > longestName) return;
      const whom = signInName(name);
      const verdict = limiter.count(ratedName.bucket, whom);
      ticket.forgiveName = () => limiter.forgive(ratedName.bucket, whom);
      if (verdict.allowed) return;
      setRateHeaders(ticket.response, verdict);
      throw limited(verdict);
    },
    judge(ticket, error) {
      if (ticket.isCounted || isLiveplaneError(error, "RateLimited")) return error;
      try {
        take(ticket, "reads", networkOfCaller(ticket.request, trustedProxies));
        return error;
      } catch (limitedError) {
        return limitedError;
      }
    },
  };
  return gate;
}

function limited({ resetSeconds }: RateVerdict): LiveplaneError {
  return new LiveplaneError("RateLimited", `Too many requests. Try again in ${resetSeconds} s.`, {
    details: { retryAfterSeconds: resetSeconds },
  });
}

function policiesOf(limits: RateLimits): Record<RateBucket, RatePolicy> {
  const quotas = limits === "off" ? {} : limits;
  return Object.fromEntries(
    Object.entries(ratePolicies).map(([bucket, policy]) => [
      bucket,
      { ...policy, quota: quotas[bucket as RateBucket] ?? policy.quota },
    ]),
  ) as Record<RateBucket, RatePolicy>;
}

/** Where a request counts: the peer's network; behind trusted proxies that of the one whom the outermost of them saw. */
function networkOfCaller(request: IncomingMessage, trustedProxies: number): string {
  const address = addressOf(request, trustedProxies);
  return networkOf(address) ?? address;
}

/** The peer's address; behind trusted proxies the one that the outermost of them saw, where that is an address. */
function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const peer = socket.remoteAddress ?? "unknown";
  if (trustedProxies === 0) return peer;
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const seen = forwarded.at(-trustedProxies) ?? forwarded[0];
  return seen !== undefined && networkOf(seen) !== null ? seen : peer;
}
