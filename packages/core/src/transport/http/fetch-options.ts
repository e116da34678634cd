import { edgeOptions, isPlane, type OptionJudges, optionFaults, refuseFaults } from "./edge-options.ts";
import type { ExchangeOptions } from "./exchange.ts";
import type { RateLimits } from "./rate-gate.ts";
import type { ServedPlane } from "./served-plane.ts";

/** Options of the fetch handler. */
export type FetchHandlerOptions<Context extends readonly unknown[] = []> = FetchEdgeOptions &
  (
    | {
        /** Quotas by bucket. @default the documented quotas */
        readonly rateLimits?: Exclude<RateLimits, "off">;
        /**
         * The address of a request's sender, by which anonymous callers are limited: the peer of the connection, or what a trusted proxy
         * says. `null` if unknown; all such callers share one bucket.
         */
        readonly addressOf: (request: Request, ...context: Context) => string | null;
      }
    | {
        /** No limits, because something in front enforces them. */
        readonly rateLimits: "off";
        /** Stored with a session, for its owner to see. @default none */
        readonly addressOf?: (request: Request, ...context: Context) => string | null;
      }
  );

/** Options of the fetch handler besides its limits. */
interface FetchEdgeOptions extends Pick<ExchangeOptions, "corsOrigins" | "onAnswer" | "stopping"> {
  /** The path of the contract, such as `/control-plane`. @default the root */
  readonly basePath?: string;
  /**
   * Whether pages of the handler's own origin may stay signed in by a cookie, at `console/session` below the contract: those of
   * `@liveplane/console`, which the host serves next to it. The origin is that of the request's URL.
   * @default false
   */
  readonly consoleSession?: boolean;
}

const options: OptionJudges = {
  ...edgeOptions,
  addressOf: [(value) => typeof value === "function", 'addressOf: (request) => request.headers.get("x-real-ip")'],
  consoleSession: [(value) => typeof value === "boolean", "consoleSession: true"],
  basePath: [(value) => typeof value === "string" && /^(\/[^/?#]+)*$/.test(value), 'basePath: "/control-plane"'],
};

/**
 * Validates the options of a fetch handler.
 *
 * @throws {ConfigurationInvalid} naming each missing, unknown or invalid one, with an example.
 */
export function takeFetchOptions<Context extends readonly unknown[]>(
  liveplane: ServedPlane,
  given: FetchHandlerOptions<Context>,
): FetchHandlerOptions<Context> {
  const said: Readonly<Record<string, unknown>> = { ...given };
  const wrong = optionFaults("fetchHandler", options, said);
  if (!isPlane(liveplane))
    wrong.unshift(
      "The first argument must be the result of createLiveplane: fetchHandler(createLiveplane(ports), options).",
    );
  if (said.addressOf === undefined && said.rateLimits !== "off")
    wrong.push(
      `addressOf is missing. Rate limits need the caller's address. Set it, as in ${options.addressOf?.[1]}, or use () => null (all callers share one bucket), or rateLimits: "off".`,
    );
  refuseFaults(wrong);
  return given;
}
