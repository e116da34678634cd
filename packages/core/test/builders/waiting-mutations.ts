import type { LiveSystemDefinition, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { components } from "../../src/override/records/component-record.ts";
import type { Scheduler } from "../../src/ports/scheduler.ts";
import { environmentId, overrideWorld, type WorldOptions } from "./override.ts";

/** A scheduler that counts the runs of mutations that are under way: each has a job, and a place among those that run at once. */
export function counting(scheduler: Scheduler) {
  const runs = { begun: 0, underWay: 0 };
  const counted: Scheduler = {
    ...scheduler,
    start: (task) =>
      scheduler.start({
        ...task,
        async run(shard, lease) {
          if (task.name !== "mutations") return task.run(shard, lease);
          runs.begun += 1;
          runs.underWay += 1;
          try {
            await task.run(shard, lease);
          } finally {
            runs.underWay -= 1;
          }
        },
      }),
  };
  return { runs, scheduler: counted };
}

/** A world whose first cloud takes its time for each creation, and whose second is quick. */
export async function waitingWorld(options: WorldOptions, takesMs = 600_000) {
  const world = overrideWorld({ ...options, follows: false });
  await world.consoles["provider-a"].setFaults({ slow: { takesMs } });
  await world.override.start();
  const declared = (component: object): LiveSystemDefinition =>
    ({ name: "shop", environmentId, components: [{ path: "one", parameters: { size: 1 }, ...component }] }) as never;
  // One after the other: many at once would wait for each other, and no time passes here.
  const createAll = async (count: number, component: object) => {
    const made: Mutation[] = [];
    while (made.length < count) made.push(await world.create(declared(component)));
    return made;
  };
  return {
    ...world,
    slow: (count: number) => createAll(count, { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" }),
    async quick(): Promise<Mutation> {
      const [made] = await createAll(1, { provider: "provider-b", type: "storage.v1.bucket" });
      return made as Mutation;
    },
    /** How many of these stand so. */
    async standing(mutations: readonly Mutation[], status: Mutation["status"]): Promise<number> {
      const now = await Promise.all(mutations.map((one) => world.mutation(one)));
      return now.filter((one) => one.status === status).length;
    },
    /** How many wait for a cloud, with no claim on what they wait for. */
    async waiting(): Promise<number> {
      const listed = await world.records.list(components, { limit: 1000 });
      return listed.filter(({ record: { step, work } }) => step?.waiting?.why === "working" && work === null).length;
    },
  };
}
