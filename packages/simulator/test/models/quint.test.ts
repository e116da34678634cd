import { expect, test } from "vitest";
import { agentTable } from "./agent-table.ts";
import { quintMistakes, quintTable, walk } from "./quint.ts";

const timeout = 60_000;

test("the Quint model and the agent decide the same for every combination of facts", { timeout }, async () => {
  // The agent counts an adoption that is due outside a deploy as refused before it asks its table.
  const isAsked = (told: string) => !(told.includes(" due ") && told.includes("0 = "));
  const model = (await quintTable()).filter(isAsked);
  expect(model.length).toBe(10_800);
  expect(model.toSorted()).toEqual(agentTable().filter(isAsked).toSorted());
});

test("the invariants hold in walks through the Quint model", { timeout }, async () => {
  expect(await walk({ samples: 60, invariants: Object.keys(quintMistakes) })).toBe(true);
});

test("an invariant of the Quint model fails where a mistake is planted", { timeout }, async () => {
  expect(await walk({ samples: 200, invariants: ["unreadable"], mistake: "unreadable is untagged" })).toBe(false);
});
