import {
  ageGroupOf,
  type BoardOverride,
  fullNameOf,
  holderOf,
  laneOfListed,
  lanes,
  shortPath,
} from "./override-lanes.ts";

/** The columns that the table can be sorted by. */
export const sortings = ["component", "environment", "person", "age", "lane"] as const;

export type Sorting = (typeof sortings)[number];

/** What the table can be grouped by. */
export const groupings = ["environment", "person", "age"] as const;

export type Grouping = (typeof groupings)[number];

/** What order and groups depend on besides the overrides. */
export interface OrderContext {
  /** A text with names instead of IDs. */
  readonly named: (text: string) => string;
  readonly now: number;
}

/** A sorting as it is in the address: `-age` is the reverse of `age`. The oldest come first by default. */
export function parseSorting(text: string): { readonly by: Sorting; readonly isReverse: boolean } {
  const by = sortings.find((name) => text === name || text === `-${name}`) ?? "age";
  return { by, isReverse: text.startsWith("-") };
}

/** The overrides in an order. Equal ones stay oldest first; unknown people come last. */
export function inOrder(all: readonly BoardOverride[], text: string, { named }: OrderContext): BoardOverride[] {
  const { by, isReverse } = parseSorting(text);
  const keyOf: Readonly<Record<Sorting, (listed: BoardOverride) => string>> = {
    component: ({ component }) => `${named(component.livesystemId)}/${shortPath(component.id)}`,
    environment: ({ environmentId }) => environmentId.shortName,
    person: ({ override }) => named(holderOf(override) ?? "\uffff"),
    age: ({ override }) => override.since,
    lane: (listed) => String(lanes.indexOf(laneOfListed(listed))),
  };
  const keyed = all.map((listed) => ({ listed, key: keyOf[by](listed) }));
  const direction = isReverse ? -1 : 1;
  return keyed.toSorted((one, other) => direction * compared(one.key, other.key)).map(({ listed }) => listed);
}

/** Rows under one heading; `name` is `null` if there is none, such as for unknown people. */
export interface OverrideGroup {
  readonly name: string | null;
  readonly items: readonly BoardOverride[];
}

/** The overrides by environment, person or age, in the order of each group's first. Any other grouping is one group. */
export function inGroups(all: readonly BoardOverride[], by: string, { named, now }: OrderContext): OverrideGroup[] {
  const nameOf: Readonly<Record<Grouping, (listed: BoardOverride) => string | null>> = {
    environment: ({ environmentId }) => named(fullNameOf(environmentId)),
    person: ({ override }) => named(holderOf(override) ?? "") || null,
    age: ({ override }) => ageGroupOf(override.since, now),
  };
  const grouping = groupings.find((name) => name === by);
  if (grouping === undefined) return [{ name: null, items: all }];
  const groups = new Map<string | null, BoardOverride[]>();
  for (const listed of all) {
    const name = nameOf[grouping](listed);
    const items = groups.get(name);
    if (items === undefined) groups.set(name, [listed]);
    else items.push(listed);
  }
  return [...groups].map(([name, items]) => ({ name, items }));
}

/** By character, so that a thousand names sort quickly. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
