import type { Mutant } from "./mutant.ts";

/** Mistakes about how steps end and wait, about what isn't known yet, and about what a person has for long. */
export const heldMutants: readonly Mutant[] = [
  {
    name: "waits for a cloud that works on what a person has",
    seed: 4,
    file: "override/mutations/converge.ts",
    from: `  if (record.status === "ManualOverride") return { state: "held" };
  if (reading.state === "working") return working(record, reading);
`,
    to: `  if (reading.state === "working") return working(record, reading);
  if (record.status === "ManualOverride") return { state: "held" };
`,
  },
  {
    name: "begins what needs a blocked component",
    seed: 3,
    file: "override/mutations/mutation-steps.ts",
    from: 'if (before.includes("failed") || before.includes("blocked")) {',
    to: 'if (before.includes("failed")) {',
  },
  {
    name: "reads before it asks what became of an accepted write",
    seed: 1,
    file: "override/agent/agent-read.ts",
    from: `  const operation = await followed(record, { cloud, call, deps, lane });
  await deps.calls.turn(cloud, { resourceId, sort: "read", lane, signal: lease?.signal });
  const read = await cloud.read({ type: record.type, resourceId }, call);
`,
    to: `  await deps.calls.turn(cloud, { resourceId, sort: "read", lane, signal: lease?.signal });
  const read = await cloud.read({ type: record.type, resourceId }, call);
  const operation = await followed(record, { cloud, call, deps, lane });
`,
  },
  {
    name: "forgets an unbound write once it is answered",
    seed: 44,
    file: "override/agent/after-write.ts",
    from: "const isAnswered = written !== undefined && (written.operation !== null || isRefused(written));",
    to: "const isAnswered = written !== undefined && (written.error === null || isRefused(written));",
  },
  {
    name: "waits for what is held with its tag owner",
    seed: 2,
    file: "override/agent/expectations.ts",
    from: 'if ([record, tagOwner].some((one) => one !== null && one.status !== "Active")) return true;',
    to: 'if (record.status !== "Active") return true;',
  },
  {
    name: "goes by the tag owner that is declared, though a person has the former one",
    seed: 1,
    file: "override/agent/expectations.ts",
    from: 'if (known !== undefined && known.status !== "Active") return known;',
    to: "",
  },
  {
    name: "goes by its former tag owner for ever",
    seed: 4,
    file: "override/agent/expectations.ts",
    from: 'if (known !== undefined && known.status !== "Active") return known;',
    to: "if (known !== undefined) return known;",
  },
  {
    name: "takes somebody else's tag in other letters for no tag",
    seed: 1,
    file: "override/protocol/exact-adoption.ts",
    from: "if (value !== undefined && value !== tag.value)",
    to: "if (value !== undefined && value.toLowerCase() !== tag.value)",
  },
  {
    name: "leaves behind what it should delete",
    seed: 1,
    file: "override/mutations/fates.ts",
    from: 'return managed && declared.deletionPolicy === "Delete" ? "delete" : "release";',
    to: 'return managed && declared.deletionPolicy === "Delete" && record.governedBy !== null ? "delete" : "release";',
  },
];
