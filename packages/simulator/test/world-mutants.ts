import type { Mutant } from "./mutant.ts";

/** Mistakes about claims, tag owners, what stops a correction, and what people are reminded of. */
export const worldMutants: readonly Mutant[] = [
  {
    name: "remembers the places of a write that it never sent",
    seed: 1,
    file: "override/agent/agent-save.ts",
    from: "const { unread, ...others } = current;",
    to: "const { ...others } = current;",
  },
  {
    name: "lets a lease end the claim on a creation that nothing refuses late",
    seed: 1,
    leased: true,
    file: "override/agent/agent-decision.ts",
    from: 'if (effect === "create" && isIdChosen(record, expectation.cloud)) return { outlives: true };',
    to: 'if (effect === "create" && lease === null && isIdChosen(record, expectation.cloud)) return { outlives: true };',
  },
  {
    name: "loses the tag owner of what leaves when that moves",
    seed: 54,
    file: "override/operations/redeclare.ts",
    from: "overrideWith: part.overrideWith && nowAt(part.overrideWith, moves),",
    to: "overrideWith: part.overrideWith,",
  },
  {
    name: "takes the reconcile tag of what goes by another's tags for a stray one",
    seed: 2,
    file: "override/protocol/observation.ts",
    from: "reconcileTag: !isGoverned && has(reconcileTag),",
    to: "reconcileTag: has(reconcileTag),",
  },
  {
    name: "puts off the correction of places that were never contested",
    seed: 4,
    leased: true,
    file: "override/protocol/tries.ts",
    from: "contested.times >= timesBeforeRest && sameJson(contested.places, placesOf(changes));",
    to: "contested.times >= timesBeforeRest && contested.places.every((place) => placesOf(changes).includes(place));",
  },
  {
    name: "reminds nobody of an override because some of its drift is muted",
    seed: 2,
    leased: true,
    file: "override/agent/agent-sweep.ts",
    from: "if (drifting.length > 0 && drifting.every((name) => muteDrift.includes(name))) return;",
    to: "if (drifting.some((name) => muteDrift.includes(name))) return;",
  },
  {
    name: "writes a list without the items of others",
    seed: 11,
    file: "override/protocol/laid-over.ts",
    from: "    ...left,\n",
    to: "",
  },
  {
    name: "takes the items of others for the agent's own",
    seed: 2,
    file: "override/protocol/extra-items.ts",
    from: "allowed?.includes(nameOfItem(item, key)) !== false",
    to: "true",
  },
  {
    name: "writes an item that is ignored",
    seed: 3,
    file: "override/protocol/extra-items.ts",
    from: "!isIgnoredItem(item, pointer, by.ignored) &&",
    to: "",
  },
];
