import { fetchHandler } from "@liveplane/core/fetch";
import { controlPlane } from "../../../liveplane";

// A proxy in front must set this header on every request; otherwise callers can choose it.
const addressOf = (request: Request) => request.headers.get("x-forwarded-for");
const handler = controlPlane().then((liveplane) => fetchHandler(liveplane, { basePath: "/control-plane", addressOf }));

async function handle(request: Request): Promise<Response> {
  return (await handler)(request);
}

/** Nothing is created before the first request. */
export const dynamic = "force-dynamic";
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
