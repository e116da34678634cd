import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { type OperationId, parseRoute } from "../../src/contract/routes.ts";
import { calls } from "../callers/calls.ts";
import { type Known, methodOf, worldOfCallers } from "../callers/world.ts";

const world = await worldOfCallers();

/** Every write that says how something is to be. A redeploy is a mutation of its own, whatever it says. */
const writes = (Object.keys(operationsById) as OperationId[]).filter(
  (id) => parseRoute(id).methods.includes("PUT") && operationsById[id].versioned && id !== "liveSystems.deploy",
);

/** What is called with, where the usual call changes something each time: a secret's value is never compared. */
function argumentsOf(id: OperationId, known: Known): readonly unknown[] {
  const args = calls[id](known, "owner");
  if (id === "environments.secrets.update") return [args[0], { description: "of the shop" }];
  return args;
}

test("they are all that PUT a versioned record", () => {
  expect(writes.length).toBeGreaterThan(10);
});

const writerOf = (id: OperationId) => (id === "subscriptions.update" ? "operator" : "owner");

test.each(writes)("%s of another version is refused, and changes nothing", async (id) => {
  const again = await world.again();
  const refusal = await again.refusal(writerOf(id), id, [...argumentsOf(id, world.known), { ifMatch: "0" }]);
  expect([refusal?.code, again.changed()]).toEqual(["PreconditionFailed", false]);
});

test.each(writes)("%s that says what is so already changes no version, and tells of nothing", async (id) => {
  const again = await world.again();
  const call = methodOf(again.as(writerOf(id)), id);
  const args = argumentsOf(id, world.known);
  const first = await call(...args);
  const { version } = first as { version: string };
  const told = async () => {
    await again.liveplane.log.sequence();
    return (await again.liveplane.log.read(0, 10_000)).length;
  };
  const before = await told();
  expect(await call(...args)).toMatchObject({ version });
  expect(await call(...args)).toEqual(await call(...args));
  expect(await told()).toBe(before);
});

test("a secret's value is a new version, whether or not it is the same", async () => {
  const again = await world.again();
  const { secrets } = again.as("owner").environments;
  const [place] = calls["environments.secrets.update"](world.known, "owner");
  const update = () => secrets.update(place as Parameters<typeof secrets.update>[0], { value: "the same" });
  const [first, second] = [await update(), await update()];
  expect(second.version).not.toBe(first.version);
});
