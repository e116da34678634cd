import { LiveplaneError } from "@liveplane/core/errors";
import type { RequestHandler, Router } from "express";

/** Serves a read-only path: other methods are refused with the allowed ones. */
export function serveReadOnly(router: Router, path: string, handler: RequestHandler): void {
  router.route(path).get(handler).all(refuseMethod);
}

const refuseMethod: RequestHandler = (_request, response) => {
  response.set("Allow", "GET, HEAD");
  throw new LiveplaneError("MethodNotAllowed", "This path accepts GET, HEAD.");
};
