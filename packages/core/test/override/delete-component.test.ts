import { expect, test } from "vitest";
import type { Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { code, definition, deployed, managed, overridden } from "../builders/handed-over.ts";
import { recorded, sites } from "../builders/sites.ts";

test("a retained component is left behind with its tags, told with its resource's id, and a later declaration adopts it", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "keep", deletionPolicy: "Retain" }));
  const resourceId = mutation.components[0]?.resourceId ?? "";
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  const told = await world.events("component.released");
  expect(told).toMatchObject([{ subject: mutation.components[0]?.id, data: { resourceId } }]);
  expect((await world.consoles["provider-a"].get(resourceId))?.tags).toEqual(managed);
  const again = await world.create(sites({ path: "keep", resourceId }));
  expect(again).toMatchObject({ status: "Succeeded", components: [{ status: "Active", resourceId }] });
});

test("what is missing when it is to be deleted isn't named as left behind", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.consoles["provider-a"].delete(mutation.components[0]?.resourceId ?? "");
  expect(await world.remove(mutation.livesystemId)).toMatchObject({ status: "Succeeded", released: [] });
});

test("deleting goes by a fresh read: the tag taken off a moment ago is enough to be left alone", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.consoles["provider-a"].putTags(mutation.components[0]?.resourceId ?? "", { mine: "now" });
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  expect((await world.consoles["provider-a"].get(mutation.components[0]?.resourceId ?? ""))?.tags).toEqual({
    mine: "now",
  });
});

test("the ledger ends a release with what its own read showed, and not an earlier one", async () => {
  const { world, system, params, resourceId, console } = await overridden();
  await console.patchParameters(resourceId, { size: 7 });
  await world.remove(system);
  const { items } = (await world.call("liveSystems.components.overrides", { params })) as { items: unknown[] };
  expect(items).toMatchObject([{ outcome: "Released", end: { actual: { size: 7 } } }]);
});

test("an override of what is gone ends with its deletion, in the ledger and for whoever listens", async () => {
  const { world, id, system, params, resourceId, console } = await overridden();
  await console.delete(resourceId);
  await world.cycle();
  const { id: mutationId } = await world.remove(system);
  const { items } = (await world.call("liveSystems.components.overrides", { params })) as { items: { id: string }[] };
  expect(items).toMatchObject([{ outcome: "Deleted", endedAt: expect.any(String), end: null }]);
  const statuses = { from: "ManualOverride", status: "ManualOverride", mutationId };
  const last = (await world.events()).filter(({ subject }) => subject === id).slice(-2);
  expect(last.map(({ type, data }) => [type, data])).toEqual([
    ["component.override.ended", { ...statuses, episodeId: items[0]?.id, outcome: "Deleted" }],
    ["component.deleted", statuses],
  ]);
});

test("a failed resource whose tags the cloud doesn't show is neither deleted nor released", async () => {
  let isFailed = false;
  const failing = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: (ref, call) =>
      isFailed ? Promise.resolve({ state: "failed", code: "Broken", message: "It broke." }) : cloud.read(ref, call),
  });
  const { world, id, system, resourceId, console } = await deployed({}, { clouds: (all) => all.map(failing) });
  isFailed = true;
  expect(await world.passing(world.remove(system))).toMatchObject({ status: "Failed", released: [] });
  expect(await world.component(id)).toMatchObject({ leaving: true });
  expect(await console.get(resourceId)).not.toBeNull();
});

/** A component whose creation was never answered, in a cloud that showed nothing of it from then until now. */
async function neverSeen(choosesIds: boolean) {
  let isDown = false;
  let writes = 0;
  const down = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => (isDown ? { state: "unreadable", reason: "Down" } : cloud.read(...call)),
    findCreated: async (...call) => {
      if (isDown) throw new LiveplaneError("ProviderError", "Down.", { retryable: true });
      return cloud.findCreated(...call);
    },
  });
  const { world } = recorded({
    clouds: (all) => all.map(down),
    cloud: {
      choosesIds,
      faultOf: ({ operation }) => {
        if (operation !== "write" || writes++ > 0) return null;
        isDown = true;
        return "lose-answer";
      },
    },
  });
  const { livesystemId: system, status } = await world.passing(world.create(sites({ path: "a" })));
  expect(status).toBe("Failed");
  isDown = false;
  const console = world.consoles["provider-a"];
  const shown = async () => (await console.list()).items.map(({ id }) => id);
  return { world, system, console, shown };
}

test.each([false, true])("what was made and never seen is deleted with its resource (%s)", async (choosesIds) => {
  const { world, system, shown } = await neverSeen(choosesIds);
  expect(await shown()).toHaveLength(1);
  expect(await world.passing(world.remove(system))).toMatchObject({ status: "Succeeded", released: [] });
  expect(await shown()).toEqual([]);
});

test("what is found by its intent alone is told with its id when it is released", async () => {
  const { world, system, console, shown } = await neverSeen(true);
  const [resourceId = ""] = await shown();
  await console.putTags(resourceId, {});
  expect(await world.passing(world.remove(system))).toMatchObject({ released: [`${system}/a`] });
  expect(await world.events("component.released")).toMatchObject([{ data: { resourceId } }]);
});

test("a deletion whose answer is lost for good has succeeded if the resource is gone", async () => {
  const silent = (cloud: Cloud): Cloud => ({
    ...cloud,
    async remove(...call) {
      await cloud.remove(...call);
      throw new LiveplaneError("ProviderError", "No answer.", { retryable: false, details: { outcome: "unknown" } });
    },
  });
  const { world, system } = await deployed({}, { clouds: (all) => all.map(silent) });
  expect(await world.passing(world.remove(system))).toMatchObject({ status: "Succeeded" });
});

test("a deletion that the cloud refuses leaves no write in flight", async () => {
  const refusing = (cloud: Cloud): Cloud => ({
    ...cloud,
    remove: () => Promise.reject(new LiveplaneError("ProviderError", "It is locked.")),
  });
  const { world, id, system } = await deployed({}, { clouds: (all) => all.map(refusing) });
  const error = { code: "ProviderError", detail: "It is locked.", componentId: id };
  const failed = await world.passing(world.remove(system));
  expect([failed.status, failed.error]).toEqual(["Failed", error]);
  const [record] = await world.records.list(components);
  expect(record?.record.work).toBeNull();
  expect((await world.component(id)).leaving).toBe(true);
});

test("what leaves is released by the newest deploy alone, though an older one has read it already", async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const watched = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => {
      const reading = await cloud.read(...call);
      const deed = reading.state === "present" && call[0].resourceId === resourceId ? meanwhile : null;
      if (deed !== null) meanwhile = null;
      await deed?.();
      return reading;
    },
  });
  let resourceId = "";
  const made = await deployed({}, { clouds: (all) => all.map(watched) });
  const { world, id, system, console } = made;
  resourceId = made.resourceId;
  await console.putTags(resourceId, {});
  const body = definition([{ path: "other" }]);
  const newer: Mutation[] = [];
  meanwhile = async () =>
    newer.push((await world.call("liveSystems.deploy", { params: { id: system }, body })) as Mutation);
  expect(await world.passing(world.deploy(system, body))).toMatchObject({ released: [] });
  const [last] = newer;
  expect(last && (await world.mutation(last))).toMatchObject({ status: "Succeeded", released: [id] });
});

test("a deletion that the cloud refuses for a while waits as long as it says; refused for good, it fails in its words", async () => {
  const at: number[] = [];
  const words = { providerCode: "Locked", providerMessage: "Somebody has locked hunter2-hunter2." };
  const refusing = (cloud: Cloud): Cloud => ({
    ...cloud,
    remove: async () => {
      at.push(made.world.runtime.clock.monotonic());
      const isFirst = at.length === 1;
      const details = isFirst ? { retryAfterSeconds: 40 } : words;
      throw new LiveplaneError("ProviderError", "The cloud refused.", { retryable: isFirst, details });
    },
  });
  const made = await deployed(
    { parameters: { password: { $secret: "db" } } },
    { secrets: { db: "hunter2-hunter2" }, clouds: (all) => all.map(refusing) },
  );
  const { error } = await made.world.passing(made.world.remove(made.system));
  const told = { ...words, providerMessage: "Somebody has locked [redacted]." };
  expect(error).toEqual({ code: "ProviderError", detail: "The cloud refused.", componentId: made.id, ...told });
  const [first = 0, second = 0, ...others] = at;
  expect([second - first >= 40_000, others]).toEqual([true, []]);
});

const locked = { code: "Locked", message: "Somebody has locked hunter2-hunter2." };
const refuses: Pick<Cloud, "remove"> = {
  remove: async () => {
    const details = { providerCode: locked.code, providerMessage: locked.message };
    throw new LiveplaneError("ProviderError", "The cloud refused.", { details });
  },
};
const failsLater: Required<Pick<Cloud, "remove" | "follow">> = {
  remove: async () => ({ operation: { address: "deletion", pollAfterMs: 1_000 } }),
  follow: async () => ({ state: "failed", ...locked }),
};

test.each([
  ["refuses", refuses],
  ["gives up", failsLater],
])(
  "what a cloud says that %s a deletion is hidden once a secret that it was sent has another value",
  async (_, unable) => {
    const { world, system } = await deployed(
      { parameters: { password: { $secret: "db" } } },
      { secrets: { db: "hunter2-hunter2" }, clouds: (all) => all.map((cloud) => ({ ...cloud, ...unable })) },
    );
    world.secrets.set("db", "second-value");
    const { error } = await world.passing(world.remove(system));
    expect(error).toMatchObject({ providerCode: "Locked", providerMessage: "[redacted]" });
  },
);

test.each([
  ["at once if that isn't temporary", false, 0],
  ["after a quarter of an hour otherwise", true, 900_000],
])("a deletion fails if its resource can't be read, %s, and deletes nothing", async (_, retryable, afterMs) => {
  let isBroken = false;
  const broken = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => {
      if (isBroken) throw new LiveplaneError("ProviderError", "The answer makes no sense.", { retryable });
      return cloud.read(...call);
    },
  });
  const { world, id, system, console, resourceId } = await deployed({}, { clouds: (all) => all.map(broken) });
  isBroken = true;
  const startedAt = world.runtime.clock.now();
  const { status, error } = await world.passing(world.remove(system));
  expect(status).toBe("Failed");
  expect(error).toEqual({ code: "ProviderError", detail: "The answer makes no sense.", componentId: id });
  expect(world.runtime.clock.now() - startedAt).toBeCloseTo(afterMs, -4);
  expect(await console.get(resourceId)).not.toBeNull();
});

test("a deletion waits for what the cloud is still doing, and is then made", async () => {
  let refusals = 2;
  const busy = (cloud: Cloud): Cloud => ({
    ...cloud,
    remove: async (...call) => {
      if (refusals-- > 0) throw new LiveplaneError("InvalidState", "Another operation is in progress.");
      return cloud.remove(...call);
    },
  });
  const { world, system, console, resourceId } = await deployed({}, { clouds: (all) => all.map(busy) });
  expect(await world.passing(world.remove(system))).toMatchObject({ status: "Succeeded" });
  expect(await console.get(resourceId)).toBeNull();
});

test("purges what was deleted long ago, and not before", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.remove(mutation.livesystemId);
  await world.housekeep();
  expect((await world.mutation(mutation)).status).toBe("Succeeded");
  await world.runtime.advance(31 * 24 * 3_600_000);
  await world.housekeep();
  expect(await code(world.mutation(mutation))).toBe("NotFound");
});
