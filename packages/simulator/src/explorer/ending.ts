import type { Evidence } from "../judge/evidence.ts";
import { renamed } from "./state-digest.ts";

/** The final state of a world, line by line, equal for worlds that ended alike. */
export function endingIn(evidence: Evidence): string {
  const { systems, episodes, mutations } = evidence.stored;
  const lines = [
    ...[...systems.values()].map((status) => ["live system", status]),
    ...evidence.components().map((component) => {
      const { path, status, lost, leaving, override, observed, conditions } = component;
      const { tags, parameters } = evidence.truthOf(component) ?? {};
      const known = [conditions.exists.value, conditions.inSync.value, conditions.inSync.reason, observed.drift];
      return ["component", path, status, lost, leaving, override?.awaiting, known, tags, parameters];
    }),
    ...[...episodes.values()].map(({ path, outcome, endedAt }) => ["override", path, outcome, endedAt === null]),
    ...[...mutations.values()].map(({ kind, status, held, released, error }) => {
      return ["mutation", kind, status, held, released, error?.code];
    }),
  ];
  return renamed(
    lines
      .map((line) => JSON.stringify(line))
      .join("\n")
      .replaceAll(/-[0-9a-f]{10}(?=["/-])/g, ""),
  );
}
