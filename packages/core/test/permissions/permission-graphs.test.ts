import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { createPermissionGraphs } from "../../src/permissions/permission-graph.ts";
import type { Reader } from "../../src/records/records.ts";

/** A reader of organizations without a grant, which counts how often one is loaded. */
function counting() {
  const reads = { loads: 0, fails: false };
  const list = async () => {
    reads.loads++;
    if (reads.fails) throw new LiveplaneError("StoreFailed");
    return [];
  };
  return { reads, reader: { list } as unknown as Reader };
}

const authorized = (organizationId: string, version = "1") =>
  ({ organizationId, version, status: "Active", subscriptionId: null, requiresSecondFactor: false }) as const;

test("a graph is loaded once for each version, and is there at once from then on", async () => {
  const { reads, reader } = counting();
  const graphs = createPermissionGraphs();
  const all = [graphs.of(reader, authorized("a")), graphs.of(reader, authorized("a"))];
  const [first, second] = await Promise.all(all);
  expect(second).toBe(first);
  expect(graphs.of(reader, authorized("a"))).toBe(first);
  expect(reads.loads).toBe(1);
  expect(await graphs.of(reader, authorized("a", "2"))).not.toBe(first);
  expect(reads.loads).toBe(2);
});

test("a graph that couldn't be loaded is loaded again", async () => {
  const { reads, reader } = counting();
  const graphs = createPermissionGraphs();
  reads.fails = true;
  const failing = [graphs.of(reader, authorized("a")), graphs.of(reader, authorized("a"))];
  for (const one of failing) await expect(one).rejects.toThrow(LiveplaneError);
  reads.fails = false;
  expect((await graphs.of(reader, authorized("a"))).organizationId).toBe("a");
  expect(reads.loads).toBe(2);
});

test("where more organizations are asked for than are remembered, the one that was read first is forgotten", async () => {
  const { reads, reader } = counting();
  const graphs = createPermissionGraphs({ atMost: 2 });
  for (const id of ["a", "b", "c", "c", "b"]) await graphs.of(reader, authorized(id));
  expect(reads.loads).toBe(3);
  await graphs.of(reader, authorized("a"));
  expect(reads.loads).toBe(4);
});
