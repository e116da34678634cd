import { environment, listed, type Step, settled, step, type World } from "./script.ts";

const liveSystem = ({ known }: World) => ({ id: known.liveSystem });
const component = ({ known }: World) => ({ id: known.liveSystem, componentId: `${known.liveSystem}/network/vnet` });

const definition = (world: World, size = 2) => ({
  name: "shop",
  environmentId: environment(world),
  components: [
    {
      path: "network/vnet",
      provider: "provider-a",
      type: "Microsoft.Network/virtualNetworks@2024-05-01",
      parameters: { addressSpace: "10.0.0.0/16", size },
    },
    {
      path: "app",
      provider: "provider-a",
      type: "Microsoft.Web/sites@2024-04-01",
      parameters: { network: { $output: "network/vnet#id" } },
      unconditionalWrites: true,
    },
  ],
});

const converged = ({ id: mutationId, livesystemId: id }: { id: string; livesystemId: string }, world: World) =>
  settled(async () => {
    world.known.liveSystem = id;
    world.known.mutation = mutationId;
    const { status } = await world.as("ada").liveSystems.mutations.get({ id, mutationId });
    return status === "Succeeded" || status === "Failed";
  });

/** Live systems, a hand-over, and the stream of events. */
export const liveSystems: readonly Step[] = [
  step("liveSystems.create", "ada", (world) => [{ ...definition(world), components: [{ path: "a b" }] }]),
  step("liveSystems.plan", "ada", (world) => [definition(world)]),
  step("liveSystems.create", "bob", (world) => [definition(world)]),
  step("liveSystems.create", "ada", (world) => [definition(world)], converged),
  step("liveSystems.get", "ada", (world) => [liveSystem(world)]),
  step("liveSystems.get", "bob", (world) => [liveSystem(world)]),
  ...listed("liveSystems.list"),
  step("liveSystems.planDeploy", "ada", (world) => [liveSystem(world), definition(world, 3)]),
  step("liveSystems.deploy", "ada", (world) => [liveSystem(world), definition(world, 3)], converged),
  ...listed("liveSystems.mutations.list", (world) => [liveSystem(world)]),
  step("liveSystems.mutations.get", "ada", (world) => [{ ...liveSystem(world), mutationId: world.known.mutation }]),
  ...listed("liveSystems.components.list", (world) => [liveSystem(world)]),
  step("liveSystems.components.list", "ada", (world) => [liveSystem(world), { status: ["Active"], drift: false }]),
  step(
    "liveSystems.components.get",
    "ada",
    (world) => [component(world)],
    async ({ resourceId }: { resourceId: string }, world) => {
      await world.setTags(resourceId, {});
    },
  ),
  step("liveSystems.components.annotateOverride", "ada", (world) => [component(world), { reason: "too early" }]),
  step("liveSystems.components.check", "ada", (world) => [component(world)]),
  step("liveSystems.components.annotateOverride", "ada", (world) => [
    component(world),
    { reason: "a test", ticket: "T-1" },
  ]),
  step("liveSystems.components.adoptionPlan", "ada", (world) => [component(world)]),
  step("liveSystems.components.overrides", "ada", (world) => [component(world)]),
  step("liveSystems.components.acceptSettled", "ada", (world) => [
    component(world),
    { pointers: ["/size"], fingerprint: "of another difference" },
  ]),
  step("liveSystems.components.forgetSettled", "ada", (world) => [component(world), { pointers: ["/size", "/tier"] }]),
  step("liveSystems.components.dependents", "ada", (world) => [component(world)]),
  ...listed("overrides.list"),
  step("overrides.digest", "ada", () => []),
  ...listed("liveSystems.health"),
  step("overrides.list", "operator", () => [{ sort: "age" }]),
  step("environments.delete", "ada", (world) => [environment(world)]),
  step("liveSystems.delete", "ada", (world) => [liveSystem(world)], converged),
  step("liveSystems.get", "ada", (world) => [liveSystem(world)]),
  step("events.log", "operator", () => [{ limit: 2 }]),
  step("events.log", "ada", () => []),
  step("events.follow", "operator", () => [{ after: 0, type: ["organization.created"] }]),
  step("events.follow", "anonymous", () => [{ after: 0 }]),
];
