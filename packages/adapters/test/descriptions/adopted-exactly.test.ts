import type { Cloud, JsonObject } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import type { DeployPlan, LiveSystemDefinition } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import type { DeclaredResources } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { valueAt } from "../../../core/src/json-pointer.ts";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { drawFrom, drawnBody, mapped } from "./drawn-bodies.ts";
import { azureTypes, googleTypes, type Spelled } from "./spelled-types.ts";
import { azureVendor, type Body, googleVendor, workload } from "./vendors.ts";

/** What declares a resource of a type, and adopts it; why it doesn't, where it can't. */
async function adopted(type: string, spelled: Spelled, seed: number): Promise<string | null> {
  const runtime = fakeRuntime();
  const isAzure = type.startsWith("Microsoft.");
  const vendor = isAzure ? azureVendor(runtime.clock.now) : googleVendor(runtime.clock.now);
  const world = overrideWorld({ runtime, clouds: () => [vendor.cloud] });
  const { declared: asDeclared = (body: JsonObject) => body, resourceId } = spelled;
  const draw = drawFrom(seed);
  const body = mapped(asDeclared(drawnBody(spelled, draw)), (value, pointer) =>
    typeof value === "object" ? value : spelled.shown(value, pointer, draw),
  ) as Body;
  const carries = spelled.type.taggable ? { labels: { team: "blue" } } : {};
  vendor.make(type, resourceId, { ...body, ...carries });
  const chosen = [resourceId, ...containerOf(vendor.cloud, resourceId)];
  for (const id of chosen.slice(1))
    vendor.make(vendor.cloud.typeOf?.(id) ?? "", id, { properties: {}, labels: { team: "blue" } });
  const before = chosen.map((id) => vendor.at(vendor.cloud.typeOf?.(id) ?? type, id));

  const { definition, secrets, warnings } = (await world.call("environments.resources.declare", {
    params: environmentId,
    body: { resourceIds: chosen },
  })) as DeclaredResources;
  const own = definition.components.find((one) => one.resourceId?.toLowerCase() === resourceId.toLowerCase());
  if (own === undefined) return warnings.find((one) => one.resourceId === resourceId)?.detail ?? "nothing is said";
  for (const { shortName, resourceId: id, pointer } of secrets) {
    const reading = await vendor.cloud.read({ type, resourceId: id }, { credentials: workload });
    const parameters = reading.state === "present" ? reading.parameters : {};
    world.secrets.set(shortName, String(valueAt({ parameters } as JsonObject, pointer)));
  }
  const declared = definition as unknown as LiveSystemDefinition;
  const { livesystemId } = await world.passing(world.create({ ...declared, components: [] }));
  const plan = (await world.passing(
    world.call("liveSystems.planDeploy", { params: { id: livesystemId }, body: declared }),
  )) as DeployPlan;
  const refused = plan.components.find(({ action }) => action !== "adopt");
  if (refused !== undefined && plan.warnings[0]?.detail.startsWith("This type's tags")) return plan.warnings[0].detail;
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

/** The nearest resource around one that can carry tags. */
function containerOf({ typeOf, resourceType }: Cloud, resourceId: string): string[] {
  if (resourceType(typeOf?.(resourceId) ?? "").taggable) return [];
  const steps = resourceId.split("/");
  for (let length = steps.length - 2; length > 2; length -= 2) {
    const id = steps.slice(0, length).join("/");
    const type = typeOf?.(id) ?? null;
    if (type !== null && type !== "Microsoft.Resources/resourceGroups" && resourceType(type).taggable) return [id];
  }
  return [];
}

const reasons = new Map<string, string>();

test.each([...azureTypes, ...googleTypes])(
  "%s is adopted as it is, and left as it was",
  { timeout: 4000 },
  async (type, spelled) => {
    for (const seed of [1, 2, 3]) {
      const reason = await adopted(type, spelled, seed);
      if (reason !== null) reasons.set(type, reason);
    }
  },
);

test("types that can't be adopted are known, with the reason", () => {
  const byReason = Map.groupBy(reasons.keys(), (type) => reasons.get(type) ?? "");
  expect(Object.fromEntries(byReason)).toMatchInlineSnapshot(`
    {
      "Resources of this type can't have tags. Set overrideWith to a component that can. Choose such a resource, too.": [
        "Microsoft.Authorization/roleAssignments",
        "cloudkms.v1.keyRing",
        "compute.v1.autoscaler",
        "compute.v1.backendBucket",
        "compute.v1.backendService",
        "compute.v1.compositeHealthCheck",
        "compute.v1.crossSiteNetwork",
        "compute.v1.firewall",
        "compute.v1.firewallPolicy",
        "compute.v1.futureReservation",
        "compute.v1.healthAggregationPolicy",
        "compute.v1.healthCheck",
        "compute.v1.healthCheckService",
        "compute.v1.healthSource",
        "compute.v1.httpHealthCheck",
        "compute.v1.httpsHealthCheck",
        "compute.v1.instanceGroup",
        "compute.v1.instanceGroupManager",
        "compute.v1.instanceTemplate",
        "compute.v1.instantSnapshotGroup",
        "compute.v1.interconnectAttachmentGroup",
        "compute.v1.interconnectGroup",
        "compute.v1.license",
        "compute.v1.network",
        "compute.v1.networkAttachment",
        "compute.v1.networkEdgeSecurityService",
        "compute.v1.networkEndpointGroup",
        "compute.v1.nodeGroup",
        "compute.v1.nodeTemplate",
        "compute.v1.notificationEndpoint",
        "compute.v1.packetMirroring",
        "compute.v1.publicAdvertisedPrefix",
        "compute.v1.publicDelegatedPrefix",
        "compute.v1.reservation",
        "compute.v1.resizeRequest",
        "compute.v1.resourcePolicy",
        "compute.v1.rolloutPlan",
        "compute.v1.route",
        "compute.v1.router",
        "compute.v1.serviceAttachment",
        "compute.v1.sslCertificate",
        "compute.v1.sslPolicy",
        "compute.v1.subnetwork",
        "compute.v1.targetGrpcProxy",
        "compute.v1.targetHttpProxy",
        "compute.v1.targetHttpsProxy",
        "compute.v1.targetInstance",
        "compute.v1.targetPool",
        "compute.v1.targetSslProxy",
        "compute.v1.targetTcpProxy",
        "compute.v1.urlMap",
        "compute.v1.vmExtensionPolicy",
        "compute.v1.wireGroup",
        "iam.v1.role",
        "iam.v1.serviceAccount",
      ],
      "The ID is outside the environment's own resource group or project, and outside its resourceScopes. An Admin can add a scope there.": [
        "Microsoft.Resources/resourceGroups",
      ],
      "This type's tags can only be written with the whole resource. Set the tag yourself, or declare unconditionalWrites.": [
        "artifactregistry.v1.repository",
        "cloudkms.v1.cryptoKey",
        "pubsub.v1.subscription",
        "pubsub.v1.topic",
        "redis.v1.instance",
        "workflows.v1.workflow",
      ],
    }
  `);
});
