import { operationsById, parseRoute } from "@liveplane/core/contract";
import { type OperationId, routes } from "@liveplane/core/routes";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventJudge } from "./event-members.ts";
import { script } from "./every-operation.ts";
import { openApiJudge } from "./open-api-judge.ts";
import { call, carryOut, type Outcome, outcomeOf } from "./script.ts";
import { createNormalizer, type RunningWorld, startWorld } from "./two-worlds.ts";

const ids = Object.keys(routes) as OperationId[];
const judge = openApiJudge();
let worlds: readonly RunningWorld[] = [];

beforeAll(async () => {
  const transports = ["express", "fetch", "in process"] as const;
  worlds = await Promise.all(transports.map((transport) => startWorld(transport, { judged: judge.over })));
}, 60_000);
afterAll(() => Promise.all(worlds.map((world) => world.end())));

test("the script calls every operation", () => {
  const called = new Set(script.map(({ id }) => id));
  expect(ids.filter((id) => !called.has(id))).toEqual([]);
});

test("every step of the script ends the same over Express, fetch and in process", { timeout: 240_000 }, async () => {
  const normalizers = worlds.map(createNormalizer);
  const differences: unknown[] = [];
  const failures: unknown[] = [];
  for (const [at, step] of script.entries()) {
    const outcomes = await Promise.all(worlds.map((world) => carryOut(step, world)));
    const shown = outcomes.map((outcome, place) => normalizers[place]?.(outcome));
    if (new Set(shown.map((one) => JSON.stringify(one))).size > 1) differences.push({ at, id: step.id, shown });
    if (outcomes.some((outcome) => statusOf(outcome) >= 500)) failures.push({ at, id: step.id, outcomes });
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
        worlds.map((world) => outcomeOf(() => call(world.as(who), id, [...path, ...body]))),
      );
      const [first, ...others] = outcomes.map((outcome) => createNormalizer()(outcome));
      for (const other of others) expect(other).toEqual(first);
      expect(statusOf(outcomes[0] as Outcome)).toBeLessThan(500);
    }
  });
});

test("every answer that was given fits the OpenAPI document", () => {
  expect(judge.seen()).toBeGreaterThan(800);
  expect(judge.objections()).toEqual([]);
});

test("every event that was told says what its type says of it", async () => {
  const { judge, objections, seen } = eventJudge();
  const operator = worlds[2]?.as("operator");
  const last = await operator?.organizations.create({ name: "The end" });
  for await (const { type, subject, data } of operator?.events.follow({ after: 0 }) ?? []) {
    judge(type, data);
    if (type === "organization.created" && subject === last?.id) break;
  }
  expect(objections()).toEqual([]);
  expect(seen()).toBeGreaterThan(45);
});

function statusOf(outcome: Outcome): number {
  return "error" in outcome ? Number(Reflect.get(Object(outcome.error), "status")) : 200;
}
