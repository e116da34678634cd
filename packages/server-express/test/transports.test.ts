import { operationsById, parseRoute } from "@liveplane/core/contract";
import { type OperationId, routes } from "@liveplane/core/routes";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { script } from "./every-operation.ts";
import { openApiJudge } from "./open-api-judge.ts";
import { call, carryOut, type Outcome, outcomeOf } from "./script.ts";
import { createNormalizer, type RunningWorld, startWorld } from "./two-worlds.ts";

const ids = Object.keys(routes) as OperationId[];
const judge = openApiJudge();
let remote: RunningWorld;
let inProcess: RunningWorld;

beforeAll(async () => {
  [remote, inProcess] = await Promise.all([startWorld(judge.fetch), startWorld()]);
}, 60_000);
afterAll(() => Promise.all([remote.end(), inProcess.end()]));

test("the script calls every operation", () => {
  const called = new Set(script.map(({ id }) => id));
  expect(ids.filter((id) => !called.has(id))).toEqual([]);
});

test("every step of the script ends the same over HTTP and in process", { timeout: 120_000 }, async () => {
  const normalizers = [createNormalizer(), createNormalizer()] as const;
  const differences: unknown[] = [];
  const failures: unknown[] = [];
  for (const [at, step] of script.entries()) {
    const [there, here] = await Promise.all([carryOut(step, remote), carryOut(step, inProcess)]);
    const shown = [normalizers[0](there), normalizers[1](here)];
    if (JSON.stringify(shown[0]) !== JSON.stringify(shown[1])) differences.push({ at, id: step.id, shown });
    if (statusOf(there) >= 500) failures.push({ at, id: step.id, there });
  }
  expect(failures).toEqual([]);
  expect(differences).toEqual([]);
});

describe("every operation refuses in the same words", () => {
  const anything: Readonly<Record<string, string>> = { type: "Personal", shortName: "nothing", componentId: "a/b" };
  const nowhere = (name: string) => anything[name] ?? "00000000-0000-4000-8000-000000000000";

  test.each(ids.filter((id) => id !== "events.follow"))("%s", async (id) => {
    const { params, takes } = parseRoute(id);
    const path = params.length === 0 ? [] : [Object.fromEntries(params.map((name) => [name, nowhere(name)]))];
    const body = takes === "body" && operationsById[id].body !== undefined ? [{ nonsense: true }] : [];
    for (const who of ["anonymous", "operator", "bob"] as const) {
      const outcomes = await Promise.all(
        [remote, inProcess].map((world) => outcomeOf(() => call(world.as(who), id, [...path, ...body]))),
      );
      const [there, here] = outcomes.map((outcome) => createNormalizer()(outcome));
      expect(there).toEqual(here);
      expect(statusOf(outcomes[0] as Outcome)).toBeLessThan(500);
    }
  });
});

test("every answer that was given fits the OpenAPI document", () => {
  expect(judge.seen()).toBeGreaterThan(400);
  expect(judge.objections()).toEqual([]);
});

function statusOf(outcome: Outcome): number {
  return "error" in outcome ? Number(Reflect.get(Object(outcome.error), "status")) : 200;
}
