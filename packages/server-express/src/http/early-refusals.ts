import type { IncomingMessage } from "node:http";
import { LiveplaneError } from "@liveplane/core/errors";

/** What a request may have of headers; browsers and proxies send some forty. */
const mostHeaders = 100;

/** Why a request is refused whoever sent it and whatever it asks for; `null`: it isn't. */
export function refusalOf(
  { headers, rawHeaders, httpVersion }: IncomingMessage,
  { isStopping, isSurplus }: { readonly isStopping: boolean; readonly isSurplus: boolean },
): LiveplaneError | null {
  if (isStopping) return unavailable("This server is stopping. Try again, over another connection.");
  if (isSurplus) return unavailable("There are too many connections.");
  if (rawHeaders.length > 2 * mostHeaders)
    return new LiveplaneError("ValidationFailed", `There are more than ${mostHeaders} headers.`, { status: 431 });
  if (headers.host !== undefined || httpVersion === "1.0") return null;
  const detail = "The request names no host.";
  return new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Host", code: "Required", detail }] },
  });
}

function unavailable(detail: string): LiveplaneError {
  return new LiveplaneError("Unavailable", detail, { details: { retryAfterSeconds: 1 } });
}
