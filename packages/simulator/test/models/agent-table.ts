import { everyFacts, rowFor } from "../../../core/src/override/protocol/lifecycle-lookup.ts";
import type { LifecycleFacts, LifecycleRow } from "../../../core/src/override/protocol/lifecycle-row.ts";
import { lifecycleTable } from "../../../core/src/override/protocol/lifecycle-table.ts";

const names: Readonly<Record<string, string>> = {
  ManualOverride: "Manual",
  ReconcileRequested: "Requested",
  "never-gone": "neverGone",
  "resume-when-clean": "clean",
  removeReconcileTag: "untag",
  reconciled: "reconcile",
  "management-tag": "managementTag",
  "reconcile-tag": "reconcileTag",
  redeploy: "redeployment",
};
const named = (word: string) => names[word] ?? word;
const bit = (value: boolean) => (value ? 1 : 0);

/** What the agent's lifecycle table says of every combination of facts, in the words of the model. */
export function agentTable(): string[] {
  return [...everyFacts()].map((facts) => `${told(facts)} = ${decided(rowFor(facts))}`);
}

function told({ adoption, ...facts }: LifecycleFacts): string {
  const { status, seen, returned, restoredTag, managementTag, reconcileTag, drift, reconciled, redeploy } = facts;
  const words = [status, seen, returned, restoredTag, adoption === "none" ? "noAdoption" : adoption].map(named);
  return [...words, ...[managementTag, reconcileTag, drift, reconciled, redeploy].map(bit)].join(" ");
}

function decided(row: LifecycleRow): string {
  const { from, to, stays = false, effect = "nothing", lost = false, request = "drop", again = false } = row;
  const { ends = "notEnded", awaiting = "nobody" } = row;
  const rows = lifecycleTable.filter((one) => one.from === from);
  const number = { Active: 101, ManualOverride: 201, ReconcileRequested: 301 }[from] + rows.indexOf(row);
  const words = [to, bit(stays), effect, bit(lost), request, ends, awaiting, bit(again)];
  return [number, ...words.map((word) => (typeof word === "string" ? named(word) : word))].join(" ");
}
