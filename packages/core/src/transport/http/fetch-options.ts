import { didYouMean } from "../../did-you-mean.ts";
import { LiveplaneError } from "../../errors.ts";
import { ratePolicies } from "../rate-limits.ts";
import type { ExchangeOptions, ServedPlane } from "./exchange.ts";
import type { RateLimits } from "./rate-gate.ts";

/** Options of the fetch handler. */
export type FetchHandlerOptions<Context extends readonly unknown[] = []> = FetchEdgeOptions &
  (
    | {
        /** Quotas by bucket. @default the documented quotas */
        readonly rateLimits?: Exclude<RateLimits, "off">;
        /**
         * The address of whoever sent a request, by which strangers are limited: what the host knows of the connection, or what a proxy
         * that it trusts says. `null`: nobody knows it, and all such callers share one bucket.
         */
        readonly addressOf: (request: Request, ...context: Context) => string | null;
      }
    | {
        /** No limits: somebody else in front counts. */
        readonly rateLimits: "off";
        /** Kept with a session, for its owner to see. @default nobody's */
        readonly addressOf?: (request: Request, ...context: Context) => string | null;
      }
  );

/** What the fetch handler may be told beside its limits. */
interface FetchEdgeOptions extends Pick<ExchangeOptions, "corsOrigins" | "onAnswer" | "stopping"> {
  /** The path below which the contract lies, such as `/control-plane`. @default the root */
  readonly basePath?: string;
}

type Judge = (value: unknown) => boolean;

const isText: Judge = (value) => typeof value === "string";
const isFunction: Judge = (value) => typeof value === "function";

/** Each option: whether a value is one, and what one looks like. */
const options: Readonly<Record<string, readonly [judge: Judge, example: string]>> = {
  addressOf: [isFunction, 'addressOf: (request) => request.headers.get("x-real-ip")'],
  rateLimits: [isRateLimits, 'rateLimits: { reads: 600 }, or rateLimits: "off"'],
  basePath: [(value) => isText(value) && /^(\/[^/?#]+)*$/.test(String(value)), 'basePath: "/control-plane"'],
  corsOrigins: [(value) => Array.isArray(value) && value.every(isOrigin), 'corsOrigins: ["https://app.example.com"]'],
  onAnswer: [isFunction, "onAnswer: ({ operation, status }) => console.log(operation, status)"],
  stopping: [(value) => value instanceof AbortSignal, "stopping: controller.signal"],
};

/**
 * Holds the options of a fetch handler to what they may be.
 *
 * @throws {ConfigurationInvalid} naming each that is missing, unknown or wrong, with an example.
 */
export function takeFetchOptions<Context extends readonly unknown[]>(
  liveplane: ServedPlane,
  given: FetchHandlerOptions<Context>,
): FetchHandlerOptions<Context> {
  const said: Readonly<Record<string, unknown>> = { ...given };
  const wrong = Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : faultsOf(name, value)));
  if (typeof Reflect.get(Object(liveplane), "dispatch") !== "function")
    wrong.unshift(
      "The first argument must be what createLiveplane gave: fetchHandler(createLiveplane(ports), options).",
    );
  if (said.addressOf === undefined && said.rateLimits !== "off")
    wrong.push(
      `addressOf is missing: strangers are limited by their address. Name it, as in ${options.addressOf?.[1]}, or say () => null (all share one bucket) or rateLimits: "off".`,
    );
  if (wrong.length > 0) throw new LiveplaneError("ConfigurationInvalid", wrong.join(" "));
  return given;
}

function faultsOf(name: string, value: unknown): string[] {
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (known === undefined)
    return [`${name} is no option of fetchHandler${didYouMean(name, Object.keys(options)) || "."}`];
  const [judge, example] = known;
  return judge(value) ? [] : [`${name} is not what it must be, as in ${example}.`];
}

function isRateLimits(value: unknown): boolean {
  if (value === "off") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([bucket, quota]) => Object.hasOwn(ratePolicies, bucket) && Number.isInteger(quota) && Number(quota) > 0,
  );
}

function isOrigin(value: unknown): boolean {
  return value === "*" || (typeof value === "string" && URL.canParse(value) && new URL(value).origin === value);
}
