import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../core/src/ports/memory-store.ts";
import { fakeRuntime } from "../../../core/src/testing/fake-runtime.ts";
import { overrideWorld, subscribe } from "../../../core/test/builders/override.ts";
import { sites } from "../../../core/test/builders/sites.ts";
import { type RacingStores, racingStores } from "./racing-stores.ts";

const open = racingStores();

const amounts = { accounts: 1, organizations: 1, liveSystems: 4, components: 8 };
const plans = { discover: amounts, workgroup: amounts };
const paths = (...names: string[]) => sites(...names.map((path) => ({ path })));

/** The override protocol in as many processes as the store takes. */
async function processes(kind: keyof RacingStores) {
  const stores = await open[kind]();
  const cloudStore = memoryStore();
  const sharedByProcesses = stores.length > 1;
  const worlds = stores.map((store, at) =>
    overrideWorld({
      store,
      cloudStore,
      plans,
      sharedByProcesses,
      follows: false,
      runtime: fakeRuntime({ seed: at + 1 }),
    }),
  );
  const [first] = worlds;
  if (first === undefined) throw new RangeError("There is no store.");
  await subscribe(first);
  const on = (at: number) => worlds[at % worlds.length] ?? first;
  /** Lets each process's time pass while calls are under way. */
  const atOnce = <T>(work: readonly Promise<T>[]) =>
    worlds.reduce<Promise<T[]>>((all, world) => world.passing(all), Promise.all(work));
  return { first, on, atOnce };
}

const settled = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
const refused = "SubscriptionLimitReached";

describe.each(Object.keys(open) as (keyof RacingStores)[])("over %s", (kind) => {
  test("of many live systems at once as many are made as the plan has places for", async () => {
    const { first, on, atOnce } = await processes(kind);
    const outcomes = await atOnce(Array.from({ length: 7 }, (_, at) => settled(on(at).create(paths("a")))));
    expect(outcomes.sort()).toEqual([refused, refused, refused, "done", "done", "done", "done"]);
    const { items } = (await first.call("liveSystems.list")) as unknown as { items: unknown[] };
    expect(items).toHaveLength(4);
  });

  test("the last places for components go to one of two deploys, and those that are freed to the next", async () => {
    const { first, on, atOnce } = await processes(kind);
    const made = await atOnce([1, 2].map((at) => on(at).create(paths("a", "b"))));
    const ids = made.map(({ livesystemId }) => livesystemId);
    const grow = () => ids.map((id, at) => settled(on(at).deploy(id, paths("a", "b", "c", "d", "e"))));
    expect((await atOnce(grow())).sort()).toEqual([refused, "done"]);
    const advance = () => atOnce(ids.map((id, at) => on(at).override.mutations.advance(id)));
    await advance();
    for (const id of ids) await atOnce([on(0).remove(id)]);
    await advance();
    const [usage] = await first.store.list({ prefix: ["record", "plan-usage"] });
    expect(usage?.value).toMatchObject({ liveSystems: 0, components: 0 });
  });
});
