import { keep, listed, type Step, step, type World } from "./script.ts";

type Area = "accounts.webhooks" | "organizations.webhooks";

/** Webhooks of an owner whom the path names by `owner`. What they are for doesn't happen, so that nothing is sent but what is asked for. */
export function webhooks(area: Area, owner: (world: World) => object): readonly Step[] {
  const hook = (world: World) => ({ ...owner(world), webhookId: world.known.webhook });
  const path = (world: World, ...rest: readonly object[]) =>
    area === "accounts.webhooks" ? rest : [owner(world), ...rest];
  const made = { name: "Chat", url: "https://receiver.invalid/hook?key=1", types: ["subscription.expired"] };
  return [
    step(`${area}.create`, "ada", (world) => path(world, made), keep("webhook")),
    step(`${area}.create`, "ada", (world) => path(world, { ...made, url: "https://169.254.169.254/" })),
    step(`${area}.create`, "ada", (world) => path(world, made, { idempotencyKey: "refused" })),
    step(`${area}.get`, "ada", (world) => [hook(world)]),
    step(`${area}.get`, "bob", (world) => [hook(world)]),
    step(`${area}.update`, "ada", (world) => [hook(world), { name: "Team", format: "slack" }]),
    step(`${area}.update`, "ada", (world) => [hook(world), { name: "Team" }, { ifMatch: "nonsense" }]),
    step(`${area}.issueSecret`, "ada", (world) => [hook(world)]),
    step(`${area}.deliveries.list`, "ada", (world) => [hook(world)]),
    step(`${area}.resume`, "ada", (world) => [hook(world)]),
    ...listed(`${area}.list`, (world) => path(world)),
    step(`${area}.delete`, "ada", (world) => [hook(world)]),
    step(`${area}.delete`, "ada", (world) => [hook(world)]),
    // Nothing reads this one afterwards: how soon its attempts fail differs between worlds.
    step(`${area}.create`, "ada", (world) => path(world, made), keep("webhook")),
    step(`${area}.test`, "ada", (world) => [hook(world)], keep("delivery")),
    step(`${area}.deliveries.redeliver`, "ada", (world) => [{ ...hook(world), deliveryId: world.known.delivery }]),
  ];
}
