// The control plane of a Next app: pages ask it in process, and a route handler answers for it below a path.
// `next build` compiles it like any other module; what has native parts is loaded from where it lies.
// Anybody may register there.
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, type Liveplane } from "@liveplane/core";

const kept = globalThis as { liveplane?: Promise<Liveplane> };

/** The one control plane of this process: Next may load this module more than once, and a store is opened by one alone. */
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
