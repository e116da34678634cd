import { parseRoute } from "../../contract/routes.ts";
import type { Operation } from "../../contract/row.ts";
import { type Actor, actorName } from "../../contract/target.ts";
import { signInName } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { networkOf } from "../../network-of.ts";
import { createRateLimiter, type RateBucket, type RatePolicy, type RateVerdict, ratePolicies } from "../rate-limits.ts";
import type { SharedCounts } from "../shared-counts.ts";

/** Quotas per minute by bucket, where they differ from the defaults; `off` for no limits. */
export type RateLimits = "off" | Readonly<Partial<Record<RateBucket, number>>>;

/** One request at the gate, with its result. */
export interface RateTicket {
  readonly request: { readonly address: string | null };
  isCounted: boolean;
  /** What its answer says about the limits; `null` if nothing. */
  verdict: RateVerdict | null;
  /** The name that was tried, and the bucket that counted it. */
  tried: { readonly bucket: RateBucket; readonly whom: string } | null;
}

/** Counts every answer against its caller's quota. */
export interface RateGate {
  /** Counts a call of a known caller. Throws `RateLimited`. */
  admit(ticket: RateTicket, actor: Actor, row: Operation): void;
  /** Counts a cloud call against its environment. Throws `RateLimited`. */
  count(ticket: RateTicket, row: Operation, params: Readonly<Record<string, string>>): void;
  /** Counts an attempt with a name against that name, before it is known to be an account's. Throws `RateLimited`. */
  countName(ticket: RateTicket, row: Operation, body: unknown): void;
  /** Undoes the count for the name that was tried. */
  forgiveName(ticket: RateTicket): void;
  /** Counts a refusal of an unknown caller, and returns the failure to answer. */
  judge(ticket: RateTicket, error: unknown): unknown;
}

/** Longer than any address, so no account has such a name. */
const longestName = 320;
const byAddress: ReadonlySet<string> = new Set(["signIn", "registration", "challenges", "token"]);

/** Creates the rate limits in front of the contract. */
export function createRateGate(limits: RateLimits, shared: SharedCounts | null = null): RateGate {
  const limiter = createRateLimiter(() => performance.now(), policiesOf(limits), shared);

  function take(ticket: RateTicket, bucket: RateBucket, whom: string): void {
    ticket.verdict = limiter.count(bucket, whom);
    if (!ticket.verdict.allowed) throw limited(ticket.verdict);
  }

  const gate: RateGate = {
    admit(ticket, actor, row) {
      ticket.isCounted = true;
      if (limits === "off") return;
      const bucket = row.rate ?? (parseRoute(row.id).methods[0] === "GET" ? "reads" : "writes");
      const known = actor.kind !== "anonymous" && actor.kind !== "challenge" && !byAddress.has(bucket);
      take(ticket, bucket, known ? actorName(actor) : networkOfCaller(ticket));
    },
    count(ticket, row, { type, ownerId, shortName }) {
      const { callsCloud = false } = row;
      if (limits === "off" || callsCloud === false) return;
      take(ticket, callsCloud === true ? "cloud" : callsCloud, `${type}/${ownerId?.toLowerCase()}/${shortName}`);
    },
    countName(ticket, { ratedName }, body) {
      const name = ratedName === undefined ? undefined : Reflect.get(Object(body), ratedName.member);
      if (limits === "off" || ratedName === undefined || typeof name !== "string" || name.length > longestName) return;
      const { bucket } = ratedName;
      const whom = signInName(name);
      const verdict = limiter.count(bucket, whom);
      ticket.tried = { bucket, whom };
      if (verdict.allowed) return;
      ticket.verdict = verdict;
      throw limited(verdict);
    },
    forgiveName({ tried }) {
      if (tried !== null) limiter.forgive(tried.bucket, tried.whom);
    },
    judge(ticket, error) {
      if (limits === "off" || ticket.isCounted || isLiveplaneError(error, "RateLimited")) return error;
      try {
        take(ticket, "reads", networkOfCaller(ticket));
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

/** Where a request counts: its caller's network. Unknown addresses share one place. */
function networkOfCaller({ request: { address } }: RateTicket): string {
  return address === null ? "unknown" : (networkOf(address) ?? address);
}
