import { LiveplaneError } from "../../errors.ts";
import { createExchanges } from "./exchange.ts";
import { type FetchHandlerOptions, takeFetchOptions } from "./fetch-options.ts";
import { FetchRequest } from "./fetch-request.ts";
import { toResponse } from "./fetch-response.ts";
import { securityHeaders } from "./security-headers.ts";
import type { ServedPlane } from "./served-plane.ts";

export type { FetchHandlerOptions } from "./fetch-options.ts";
export type { Answered } from "./incoming-request.ts";
export type { RateLimits } from "./rate-gate.ts";
export type { ServedPlane } from "./served-plane.ts";

/** Answers a web request; `context` is what the host passes with it. */
export type FetchHandler<Context extends readonly unknown[] = []> = (
  request: Request,
  ...context: Context
) => Promise<Response>;

/**
 * The whole contract for hosts based on `Request` and `Response`: Hono, Next, Bun, Deno, Workers and others.
 *
 * @throws {ConfigurationInvalid} naming each missing or invalid option.
 *
 * @example
 * const handle = fetchHandler(liveplane, {
 *   basePath: "/control-plane",
 *   addressOf: (request) => request.headers.get("cf-connecting-ip"),
 * });
 */
export function fetchHandler<Context extends readonly unknown[] = []>(
  liveplane: ServedPlane,
  options: FetchHandlerOptions<Context>,
): FetchHandler<Context> {
  const {
    basePath: base = "",
    addressOf = () => null,
    consoleSession = false,
    ...rest
  } = takeFetchOptions(liveplane, options);
  // Whoever signs in at a provider returns to a page of this handler's origin, and stays signed in there.
  const keepsSessions = consoleSession || Boolean(liveplane.signIn);
  const exchanges = createExchanges({ liveplane, standing: securityHeaders, ...rest });
  return async (request, ...context) => {
    const url = localPart(request.url);
    const isBelow = url.startsWith(base) && /^[/?]|^$/.test(url.slice(base.length));
    const target = isBelow ? url.slice(base.length) : url;
    const askedFrom = (address: string | null) => new FetchRequest({ request, target, base, address });
    const answered = async () => {
      const asked = askedFrom(addressFrom(addressOf(request, ...context)));
      const signedIn = keepsSessions && isBelow ? exchanges.keepSignedIn(asked, asked.origin) : null;
      if (signedIn !== null) return signedIn;
      const preflight = exchanges.preflight(asked);
      return (
        preflight ??
        (isBelow
          ? await (exchanges.answer(asked) ?? exchanges.describe(asked) ?? exchanges.visit(asked, asked.origin))
          : null) ??
        exchanges.refuse(asked)
      );
    };
    const answer = await answered().catch((failure: unknown) => exchanges.turnAway(askedFrom(null), failure));
    return toResponse(request.method, answer);
  };
}

/** The path and the query of a URL, unchanged. */
function localPart(url: string): string {
  const path = url.indexOf("/", url.indexOf("//") + 2);
  const fragment = url.indexOf("#");
  return url.slice(path, fragment < 0 ? undefined : fragment);
}

function addressFrom(told: unknown): string | null {
  if (told === null || typeof told === "string") return told;
  throw new LiveplaneError(
    "ConfigurationInvalid",
    'addressOf gave neither a text nor null. It names the caller\'s address, such as "203.0.113.7"; null where nobody knows it.',
  );
}
