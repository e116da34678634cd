import { createLiveplane } from "@liveplane/core";
import { type FetchHandler, fetchHandler } from "@liveplane/core/fetch";
import { webPorts } from "./web-ports.js";

/** A control plane that runs and answers with web interfaces only. */
export async function webHandler(): Promise<{ readonly handle: FetchHandler; readonly stop: () => Promise<void> }> {
  const liveplane = createLiveplane(await webPorts());
  await liveplane.start();
  return { handle: fetchHandler(liveplane, { addressOf: () => null }), stop: liveplane.stop };
}
