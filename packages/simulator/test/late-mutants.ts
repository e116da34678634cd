import type { Mutant } from "./mutant.ts";

/** Mistakes about creations that may still arrive, and in the read right before a write. */
export const lateMutants: readonly Mutant[] = [
  {
    name: "takes a creation without an answer for one that wasn't made",
    seed: 23,
    leased: true,
    file: "override/agent/after-write.ts",
    from: "const tried = isMaybeMade(written, looked.record) ? { ...looked.record, madeAt: facts.now } : looked.record;",
    to: "const tried = looked.record;",
  },
  {
    name: "creates twice in one pass",
    seed: 64,
    leased: true,
    file: "override/agent/agent-decision.ts",
    from: 'if (effect === "create" && written.effect === "create") return false;',
    to: "",
  },
  {
    name: "doesn't see at the second read that the resource was replaced",
    seed: 2,
    leased: true,
    file: "override/agent/agent-write.ts",
    from: "if (again === null || again.identity !== resource.identity) return null;",
    to: "if (again === null) return null;",
  },
  {
    name: "carries out a request that was withdrawn before the second read",
    seed: 3,
    leased: true,
    file: "override/agent/agent-write.ts",
    from: "|| (isAsked(resource) && !isAsked(again))) return null;",
    to: ") return null;",
  },
  {
    name: "drops the result of a write when somebody has added a note",
    seed: 2,
    file: "override/agent/agent-pass.ts",
    from: '(await resumed(observation.record, writes, pass)) ?? ended("raced", observation.record)',
    to: 'ended("raced", observation.record)',
  },
];
