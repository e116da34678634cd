import { type LifecycleRow, lifecycleTable } from "../../src/override/protocol/lifecycle-table.ts";

/** The guide to the lifecycle: the table and the diagram, from the table that the agent decides by. */
export function lifecyclePage(): string {
  return `${[
    "# The lifecycle of a component",
    "Generated from the table that the agent decides by; a test keeps the two equal.",
    "Each check looks at the resource directly and takes the first row that fits. A status or a write is decided on a direct read alone. What a row permits is done after the new state is stored, under a condition (the resource's etag, or a reread right before), and the resource is read again afterwards.",
    "```mermaid",
    diagram(),
    "```",
    ...(["Active", "ManualOverride", "ReconcileRequested"] as const).flatMap((status) => [
      `## ${status}`,
      table(status),
    ]),
    "The management tag is `managed-by=platform`, the reconcile tag `platform=reconcile`. *Drift* also stands for a reference that can't be resolved.",
  ].join("\n\n")}\n`
    .replaceAll("```mermaid\n\n", "```mermaid\n")
    .replaceAll("\n\n```\n", "\n```\n");
}

function table(status: LifecycleRow["from"]): string {
  const rows = lifecycleTable.filter(({ from }) => from === status);
  const lines = rows.map(({ seen, to, does }) => `| ${seen} | ${to} | ${does} |`);
  return ["| what the check sees | next | what it does |", "| --- | --- | --- |", ...lines].join("\n");
}

function diagram(): string {
  const moves = lifecycleTable.filter(({ from, to }) => from !== to);
  const lines = moves.map(({ from, to, seen }) => `  ${from} --> ${to}: ${seen.replaceAll(/[:;]/g, ",")}`);
  return ["stateDiagram-v2", "  [*] --> Active", ...new Set(lines)].join("\n");
}
