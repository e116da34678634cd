import { LiveplaneError } from "@liveplane/core/errors";
import type { RequestHandler, Router } from "express";

/** Serves a path to read: other methods are refused with what it takes. */
export function serveReadOnly(router: Router, path: string, handler: RequestHandler): void {
  router.route(path).get(handler).all(refuseMethod);
}

const refuseMethod: RequestHandler = (_request, response) => {
  response.set("Allow", "GET, HEAD");
  throw new LiveplaneError("MethodNotAllowed", "This path accepts GET, HEAD.");
};
