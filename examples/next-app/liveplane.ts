// The control plane of a Next app: pages call it in process, and a route handler serves it below a path. `next build` compiles it like any
// other module; packages with native parts are loaded from node_modules. Anybody may register there.
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, type Liveplane } from "@liveplane/core";

const kept = globalThis as { liveplane?: Promise<Liveplane> };

/**
 * The only control plane of this process: Next may load this module more than once, but only one process may open a store, and only once.
 */
export function controlPlane(): Promise<Liveplane> {
  kept.liveplane ??= start();
  return kept.liveplane;
}

async function start(): Promise<Liveplane> {
  const dataDir = process.env.LIVEPLANE_DATA ?? ".liveplane";
  const liveplane = createLiveplane(await nodeDefaults({ dataDir, settings: { openRegistration: true } }));
  await liveplane.start();
  return liveplane;
}
