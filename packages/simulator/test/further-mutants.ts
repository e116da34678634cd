import type { Mutant } from "./mutants.ts";

/** Mistakes that somebody planted from outside, and that nothing found at first. */
export const furtherMutants: readonly Mutant[] = [
  {
    name: "corrects under an etag read after the decision",
    seed: 42,
    file: "override/agent/agent-write.ts",
    from: `if (effect !== "adopt" && bound === "etag" && resource.etag !== undefined) return { etag: resource.etag };`,
    to: `if (effect !== "adopt" && bound === "etag" && resource.etag !== undefined) {
    const late = settledIn(await cloud.read({ type: claimed.type, resourceId: claimed.resource.id }, call));
    return late === null ? null : etagOf(late);
  }`,
  },
  {
    name: "deletes under an etag read after the decision",
    seed: 11,
    file: "override/mutations/delete-component.ts",
    from: "return writeInTime(lease, deps, (within) => cloud.remove(ref, conditional ? { etag } : {}, { ...call, ...within }));",
    to: `const late = conditional ? resourceOf(await cloud.read(ref, call))?.etag : undefined;
  const bound = late === undefined ? {} : { etag: late };
  return writeInTime(lease, deps, (within) => cloud.remove(ref, bound, { ...call, ...within }));`,
  },
  {
    name: "a take-over isn't seen while the cloud is working",
    seed: 6,
    file: "override/protocol/lifecycle-table.ts",
    from: `    from: "Active",
    when: off,
    to: "ManualOverride",`,
    to: `    from: "Active",
    when: { ...off, seen: "present" },
    to: "ManualOverride",`,
  },
  {
    name: "the ledger forgets why",
    seed: 3,
    file: "override/operations/ledger.ts",
    from: "if (episode !== null) change.put(episodes, { ...episode, reason, ticket, claimedBy });",
    to: "if (episode !== null) change.put(episodes, { ...episode, ticket, claimedBy });",
  },
];
