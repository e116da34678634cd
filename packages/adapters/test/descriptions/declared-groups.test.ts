import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import type { DeployPlan } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import { overrideWorld } from "../../../core/test/builders/override.ts";
import { type Draw, drawFrom } from "./drawn-bodies.ts";
import { declaredIn, drawnOf } from "./drawn-groups.ts";
import { azureTypes, googleTypes, type Spelled } from "./spelled-types.ts";
import { azureVendor, googleVendor } from "./vendors.ts";

const groups = Number(process.env.LIVEPLANE_DECLARE_GROUPS ?? 20);
const mostInGroup = 12;
const unbound = "This type's tags can only be written";

/** Types of a group: each at most once, and only those that can carry tags. */
function drawnTypes(from: readonly (readonly [string, Spelled])[], draw: Draw) {
  const taggable = from.filter(([name, { type }]) => type.taggable && name !== "Microsoft.Resources/resourceGroups");
  const wanted = 2 + draw(mostInGroup - 1);
  const found = new Map<string, Spelled>();
  while (found.size < wanted) {
    const [name, spelled] = taggable[draw(taggable.length)] ?? [];
    if (name !== undefined && spelled !== undefined) found.set(name, spelled);
  }
  return [...found];
}

/** Answers how many references the declaration has. */
async function roundTrip(seed: number): Promise<number> {
  const draw = drawFrom(seed);
  const isAzure = seed % 2 === 0;
  const runtime = fakeRuntime();
  const vendor = isAzure ? azureVendor(runtime.clock.now) : googleVendor(runtime.clock.now);
  const world = overrideWorld({ runtime, clouds: () => [vendor.cloud] });
  const types = drawnTypes(isAzure ? azureTypes : googleTypes, draw);
  const ids = types.map(([, { resourceId }]) => resourceId);
  for (const [type, spelled] of types)
    vendor.make(type, spelled.resourceId, { ...drawnOf(spelled, ids, draw), labels: { team: "blue" } });
  const { declared } = await declaredIn(world, vendor.cloud, ids);
  const { livesystemId } = await world.passing(world.create({ ...declared, components: [] }));
  const plan = (await world.passing(
    world.call("liveSystems.planDeploy", { params: { id: livesystemId }, body: declared }),
  )) as DeployPlan;
  const what = `seed ${seed}: ${JSON.stringify({ declared, plan })}`;
  expect(
    plan.components.filter(({ changes }) => changes.length > 0),
    what,
  ).toEqual([]);
  const held = plan.components.filter(({ action }) => action !== "adopt");
  // The others wait for one of these.
  expect(
    held.every(({ reason }) => reason?.startsWith(unbound) || reason?.endsWith("can't be deployed first.")),
    what,
  ).toBe(true);
  expect(vendor.writes, what).toEqual([]);
  expect(plan.components, what).toHaveLength(ids.length);
  return JSON.stringify(declared).split("$output").length - 1;
}

test(`${groups} groups of resources are declared, each with an empty plan`, {
  timeout: 2000 + groups * 1000,
}, async () => {
  let references = 0;
  for (let seed = 1; seed <= groups; seed++) references += await roundTrip(seed);
  expect(references).toBeGreaterThan(groups);
});
