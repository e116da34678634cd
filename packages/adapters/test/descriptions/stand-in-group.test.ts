import type { JsonObject } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import type { DeployPlan } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import type { ExistingResource } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { environmentId, overrideWorld, type World } from "../../../core/test/builders/override.ts";
import { withDefaults } from "../realistic/forms.ts";
import { drawFrom } from "./drawn-bodies.ts";
import { declaredIn, drawnOf } from "./drawn-groups.ts";
import { azureTypes, googleTypes } from "./spelled-types.ts";
import { azureVendor, type Body, googleVendor } from "./vendors.ts";

const resources = 200;
const kinds = 30;

/** Types that lie in no other resource, whose tags can be written alone. Azure lists only those that can have tags. */
function plainTypes(isAzure: boolean) {
  return (isAzure ? azureTypes : googleTypes).filter(([name, { type, resourceId }]) => {
    const isWritable = isAzure ? type.taggable : !type.taggable || type.boundBy?.tags !== "none";
    const isNested = isAzure
      ? resourceId.split("/").length !== 9
      : /x\/\w+\/x$/.test(resourceId.replace(/locations\/x/, ""));
    return isWritable && !isNested && !name.endsWith("IamBinding");
  });
}

/** The types of the group: every nth, so that they are of many services. */
function chosen(isAzure: boolean) {
  const all = plainTypes(isAzure);
  return Array.from({ length: kinds }, (_, at) => all[Math.floor((at * all.length) / kinds)]).filter(
    (one) => one !== undefined,
  );
}

async function discovered(world: World, provider: string): Promise<ExistingResource[]> {
  const found: ExistingResource[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = { provider, limit: 200, ...(cursor !== null && { cursor }) };
    const page = (await world.call("environments.resources.list", {
      params: environmentId,
      query,
    })) as {
      readonly items: ExistingResource[];
      readonly nextCursor: string | null;
    };
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

test.each([
  ["Azure", "provider-a", azureVendor],
  ["Google Cloud", "provider-b", googleVendor],
] as const)(
  "a group of 200 resources of 30 types in %s is discovered, declared and adopted with one tag each",
  { timeout: 120_000 },
  async (_, provider, vendorAt) => {
    const runtime = fakeRuntime();
    const vendor = vendorAt(runtime.clock.now);
    const isAzure = provider === "provider-a";
    const world = overrideWorld({ runtime, clouds: () => [vendor.cloud] });
    const draw = drawFrom(isAzure ? 1 : 2);
    const types = chosen(isAzure);
    expect(new Set(types.map(([name]) => name)).size).toBe(kinds);
    const made = Array.from({ length: resources }, (_, at) => {
      const [type, spelled] = types[at % kinds] ?? types[0] ?? expect.unreachable("no types");
      return { type, spelled, id: spelled.resourceId.replace(/[^/]+$/, `own${at}`) };
    });
    const ids = made.map(({ id }) => id);
    for (const { type, spelled, id } of made) {
      const body = withDefaults(drawnOf(spelled, ids, draw) as JsonObject, spelled.type.defaults ?? {}) as Body;
      vendor.make(type, id, { ...body, ...(spelled.type.taggable && { labels: { team: "blue" } }) });
    }

    const found = await discovered(world, provider);
    const known = found.filter(({ declarable }) => declarable).map(({ id }) => id);
    expect(known.map((id) => id.toLowerCase()).sort()).toEqual(ids.map((id) => id.toLowerCase()).sort());

    const { declared } = await declaredIn(world, vendor.cloud, known);
    const { livesystemId } = await world.passing(world.create({ ...declared, components: [] }));
    const params = { id: livesystemId };
    const plan = async () =>
      (await world.passing(world.call("liveSystems.planDeploy", { params, body: declared }))) as DeployPlan;
    const before = await plan();
    expect(before.components.filter(({ action, changes }) => action !== "adopt" || changes.length > 0)).toEqual([]);
    expect(before.components).toHaveLength(resources);
    expect(vendor.writes).toEqual([]);

    expect(await world.passing(world.deploy(livesystemId, declared))).toMatchObject({ status: "Succeeded", held: [] });
    const tagged = made.filter(({ spelled }) => spelled.type.taggable).length;
    expect(vendor.writes.map(({ isMore }) => isMore)).toEqual(Array.from({ length: tagged }, () => false));
    await runtime.advance(180_000);
    await world.cycle();
    expect(vendor.writes).toHaveLength(tagged);
    expect((await plan()).components.filter(({ action }) => action !== "none")).toEqual([]);
  },
);
