import type { LifecycleFacts, LifecycleRow } from "./lifecycle-row.ts";
import { lifecycleTable } from "./lifecycle-table.ts";

/** Each combination of facts has its index in one array, so finding a row is arithmetic. */
const values = {
  status: ["Active", "ManualOverride", "ReconcileRequested"],
  seen: ["unreadable", "missing", "working", "failed", "present"],
  returned: ["never-gone", "same", "another"],
  managementTag: [false, true],
  reconcileTag: [false, true],
  drift: [false, true],
  reconciled: [false, true],
  restoredTag: ["resume-when-clean", "resume", "wait"],
  redeploy: [false, true],
  adoption: ["none", "due", "refused"],
} as const satisfies { readonly [Fact in keyof LifecycleFacts]: readonly LifecycleFacts[Fact][] };

const places: { readonly [Fact in keyof LifecycleFacts]: (value: LifecycleFacts[Fact]) => number } = {
  status: (value) => values.status.indexOf(value),
  seen: (value) => values.seen.indexOf(value),
  returned: (value) => values.returned.indexOf(value),
  managementTag: Number,
  reconcileTag: Number,
  drift: Number,
  reconciled: Number,
  restoredTag: (value) => values.restoredTag.indexOf(value),
  redeploy: Number,
  adoption: (value) => values.adoption.indexOf(value),
};

function placeOf(facts: LifecycleFacts): number {
  let place = places.status(facts.status);
  place = place * values.seen.length + places.seen(facts.seen);
  place = place * 3 + places.returned(facts.returned);
  place = place * 2 + places.managementTag(facts.managementTag);
  place = place * 2 + places.reconcileTag(facts.reconcileTag);
  place = place * 2 + places.drift(facts.drift);
  place = place * 2 + places.reconciled(facts.reconciled);
  place = place * 3 + places.restoredTag(facts.restoredTag);
  place = place * 2 + places.redeploy(facts.redeploy);
  return place * 3 + places.adoption(facts.adoption);
}

/** Every possible combination of facts, once: the table is compiled from them, and tests walk them. @internal */
export function* everyFacts(): Generator<LifecycleFacts> {
  const names = Object.keys(values) as (keyof LifecycleFacts)[];
  const counts = names.map((name) => values[name].length);
  const total = counts.reduce((product, count) => product * count, 1);
  for (let at = 0; at < total; at++) {
    let rest = at;
    const chosen = names.map((name) => {
      const possible = values[name];
      const value = possible[rest % possible.length];
      rest = Math.floor(rest / possible.length);
      return [name, value] as const;
    });
    yield Object.fromEntries(chosen) as unknown as LifecycleFacts;
  }
}

function compile(table: readonly LifecycleRow[]): readonly (LifecycleRow | undefined)[] {
  const rows: (LifecycleRow | undefined)[] = [];
  for (const facts of everyFacts()) rows[placeOf(facts)] = table.find((row) => fits(row, facts));
  return rows;
}

function fits({ from, when }: LifecycleRow, facts: LifecycleFacts): boolean {
  if (from !== facts.status) return false;
  return Object.entries(when).every(([fact, wanted]) => {
    const value = facts[fact as keyof LifecycleFacts];
    return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
  });
}

const compiled = compile(lifecycleTable);

/** The row for these facts: every possible combination has one. */
export function rowFor(facts: LifecycleFacts): LifecycleRow {
  return compiled[placeOf(facts)] as LifecycleRow;
}
