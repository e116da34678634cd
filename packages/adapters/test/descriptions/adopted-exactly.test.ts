import type { Cloud, JsonObject } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import type { DeployPlan, LiveSystemDefinition } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import type { DeclaredResources } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { valueAt } from "../../../core/src/json-pointer.ts";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { withDefaults } from "../realistic/forms.ts";
import { drawFrom, drawnBody, mapped } from "./drawn-bodies.ts";
import { azureTypes, googleTypes, type Spelled } from "./spelled-types.ts";
import { azureVendor, type Body, googleVendor, workload } from "./vendors.ts";

/** What declares a resource of a type, and adopts it; why it doesn't, where it can't. */
async function adopted(
  type: string,
  spelled: Spelled,
  seed: number,
  unconditionalWrites = false,
): Promise<string | null> {
  const runtime = fakeRuntime();
  const isAzure = type.startsWith("Microsoft.");
  const vendor = isAzure ? azureVendor(runtime.clock.now) : googleVendor(runtime.clock.now);
  const world = overrideWorld({ runtime, clouds: () => [vendor.cloud] });
  const { declared: asDeclared = (body: JsonObject) => body, resourceId } = spelled;
  const draw = drawFrom(seed);
  const drawn = mapped(asDeclared(drawnBody(spelled, draw)), (value, pointer) =>
    typeof value === "object" ? value : spelled.shown(value, pointer, draw),
  ) as JsonObject;
  const { defaults = {} } = spelled.type;
  const body = withDefaults(drawn, defaults) as Body;
  const carries = spelled.type.taggable ? { labels: { team: "blue" } } : {};
  vendor.make(type, resourceId, { ...body, ...carries });
  const around = containersOf(vendor.cloud, resourceId);
  const carrier = around.find((id) => vendor.cloud.resourceType(vendor.cloud.typeOf?.(id) ?? "").taggable);
  const chosen = spelled.type.taggable ? [resourceId] : [resourceId, carrier ?? companion(isAzure)];
  for (const id of new Set([...around, ...chosen.slice(1)]))
    vendor.make(vendor.cloud.typeOf?.(id) ?? "", id, { ...(isAzure && { properties: {} }), labels: { team: "blue" } });
  const before = chosen.map((id) => vendor.at(vendor.cloud.typeOf?.(id) ?? type, id));

  const { definition, secrets, warnings } = (await world.call("environments.resources.declare", {
    params: environmentId,
    body: { resourceIds: chosen },
  })) as DeclaredResources;
  const own = definition.components.find((one) => one.resourceId?.toLowerCase() === resourceId.toLowerCase());
  if (own === undefined) return warnings.find((one) => one.resourceId === resourceId)?.detail ?? "nothing is said";
  const left = Object.entries(defaults).filter(
    ([pointer, value]) => !pointer.includes("*") && valueAt(own.parameters as JsonObject, pointer) === value,
  );
  expect(left, `${type}, seed ${seed}: documented defaults are left out`).toEqual([]);
  for (const { shortName, resourceId: id, pointer } of secrets) {
    const reading = await vendor.cloud.read({ type, resourceId: id }, { credentials: workload });
    const parameters = reading.state === "present" ? reading.parameters : {};
    world.secrets.set(shortName, String(valueAt({ parameters } as JsonObject, pointer)));
  }
  const components = definition.components.map((one) => ({
    ...one,
    ...(unconditionalWrites && { unconditionalWrites }),
  }));
  const declared = { ...definition, components } as unknown as LiveSystemDefinition;
  const { livesystemId } = await world.passing(world.create({ ...declared, components: [] }));
  const plan = (await world.passing(
    world.call("liveSystems.planDeploy", { params: { id: livesystemId }, body: declared }),
  )) as DeployPlan;
  const refused = plan.components.find(({ action }) => action !== "adopt");
  if (refused?.reason?.startsWith("This type's tags") === true) return refused.reason;
  const what = `${type}, seed ${seed}: ${JSON.stringify({ body, plan })}`;
  expect(
    plan.components.map(({ action, changes }) => [action, changes]),
    what,
  ).toEqual(chosen.map(() => ["adopt", []]));

  const mutation = await world.passing(world.deploy(livesystemId, declared));
  expect(mutation, `${what} ${JSON.stringify(mutation.error)}`).toMatchObject({ status: "Succeeded", held: [] });
  const tagged = plan.components.filter(({ addsTag }) => addsTag).length;
  expect(
    vendor.writes.map(({ isMore }) => isMore),
    what,
  ).toEqual(Array.from({ length: tagged }, () => false));
  for (let at = 0; at < 2; at++) {
    await runtime.advance(180_000);
    await world.cycle();
  }
  expect(vendor.writes, what).toHaveLength(tagged);
  const component = await world.component(`${livesystemId}/${own.path}`);
  expect(component, what).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });

  await world.passing(world.remove(livesystemId));
  for (const [at, id] of chosen.entries()) {
    const after = vendor.at(vendor.cloud.typeOf?.(id) ?? type, id);
    const { "managed-by": _, ...tags } = (after.tags ?? {}) as Body;
    expect({ ...after, tags }, what).toEqual({ ...before[at], tags: before[at]?.tags ?? {} });
  }
  return null;
}

/** The resources around one, the nearest first. */
function containersOf({ typeOf }: Cloud, resourceId: string): string[] {
  const steps = resourceId.split("/");
  const lengths = steps.map((_, at) => steps.length - 2 - 2 * at).filter((length) => length > 2);
  return lengths
    .map((length) => steps.slice(0, length).join("/"))
    .filter((id) => ![null, "Microsoft.Resources/resourceGroups"].includes(typeOf?.(id) ?? null));
}

/** A resource that can carry tags, for those that lie in none. */
function companion(isAzure: boolean): string {
  return isAzure
    ? "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers/Microsoft.Storage/storageAccounts/companion"
    : "projects/project-one/buckets/companion";
}

const reasons = new Map<string, string>();

test.each([...azureTypes, ...googleTypes])(
  "%s is adopted as it is, and left as it was",
  { timeout: 4000 },
  async (type, spelled) => {
    for (const seed of [1, 2, 3]) {
      const reason = await adopted(type, spelled, seed);
      if (reason === null) continue;
      reasons.set(type, reason);
      // Where the refusal says what to declare, that helps.
      if (reason.endsWith("declare unconditionalWrites.")) expect(await adopted(type, spelled, seed, true)).toBe(null);
    }
  },
);

test("types that can't be adopted are known, with the reason", () => {
  const byReason = Map.groupBy(reasons.keys(), (type) => reasons.get(type) ?? "");
  expect(Object.fromEntries(byReason)).toMatchInlineSnapshot(`
    {
      "The ID is outside the environment's own resource group or project, and outside its resourceScopes. An Admin can add a scope there.": [
        "Microsoft.Resources/resourceGroups",
      ],
      "This type's tags can only be written with the whole resource. Set the tag yourself, or declare unconditionalWrites.": [
        "artifactregistry.v1.repository",
        "artifactregistry.v1.repositoryIamBinding",
        "cloudfunctions.v2.function",
        "cloudfunctions.v2.functionIamBinding",
        "cloudkms.v1.cryptoKey",
        "cloudkms.v1.cryptoKeyIamBinding",
        "monitoring.v3.alertPolicy",
        "pubsub.v1.subscription",
        "pubsub.v1.subscriptionIamBinding",
        "pubsub.v1.topic",
        "pubsub.v1.topicIamBinding",
        "redis.v1.instance",
        "workflows.v1.workflow",
      ],
    }
  `);
});
