import { expect, test } from "vitest";
import { explore, planOf, simulate } from "../../src/index.ts";
import { worlds } from "../explorer/bounds.ts";
import { type ModelTable, modelRules, modelTableOf } from "./model-rule.ts";
import { quintTable } from "./quint.ts";

const table = quintTable().then(modelTableOf);
const seeds = [1, 2, 3, 4];
const timeout = 240_000;

/** What the model has against a run. */
async function against(seed: number, rows: ModelTable): Promise<string | null> {
  return (await simulate(planOf(seed), { rulesOf: modelRules(rows) })).broken?.detail ?? null;
}

test("runs of the simulator are behaviours of the Quint model, with the judge off", { timeout }, async () => {
  const rows = await table;
  for (const seed of seeds) expect(await against(seed, rows), `seed ${seed}`).toBeNull();
});

test.each(["105", "108", "210"])(
  "a run isn't a behaviour of a model whose row %s differs",
  { timeout },
  async (number) => {
    const rows = new Map(await table);
    for (const [facts, row] of rows)
      if (row.number === number) rows.set(facts, { ...row, effect: "nothing", lost: true });
    const found = await Promise.all(seeds.map((seed) => against(seed, rows)));
    expect(found.filter((detail) => detail?.includes("the model knows"))).not.toEqual([]);
  },
);

test("the schedules of the explorer are behaviours of the model, with the judge off", { timeout }, async () => {
  const rulesOf = modelRules(await table);
  const { found, schedules } = await explore({ world: worlds.one, deeds: 1, preemptions: 0 }, { rulesOf });
  expect(found).toBeNull();
  expect(schedules).toBeGreaterThan(50);
});
