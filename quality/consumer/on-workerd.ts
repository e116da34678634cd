import type { FetchHandler } from "@liveplane/core/fetch";
import { webHandler } from "./web-handler.js";

/** A durable object holds the control plane: its timers continue between requests, and one request may wake another's stream. */
export class ControlPlane {
  #handle: Promise<FetchHandler> | undefined;

  async fetch(request: Request): Promise<Response> {
    this.#handle ??= webHandler().then(({ handle }) => handle);
    return (await this.#handle)(request);
  }
}

interface Bindings {
  readonly PLANE: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

export default { fetch: (request: Request, { PLANE }: Bindings) => PLANE.getByName("only").fetch(request) };
