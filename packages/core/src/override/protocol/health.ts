import type { Component } from "../../contract/schemas/live-system-schemas.ts";

/** Reasons why nothing can be written until a person acts. */
const unwritableReasons: ReadonlySet<string> = new Set([
  "Immutable",
  "NotCorrectable",
  "Ineffective",
  "Unproven",
  "ReferenceNotFound",
]);

/**
 * The most important fact about a component, in one word: first who controls it, then what keeps it from matching its declaration. What it
 * needs of its own comes before what it waits for: that it can't be read, then its failed writes, then the component that comes first.
 * Every list follows this order. Pure.
 */
export function healthOf({
  leaving,
  status,
  override,
  conditions: { readable, exists, inSync },
  working,
  failing,
}: Pick<Component, "leaving" | "status" | "override" | "conditions" | "working" | "failing">): Component["health"] {
  const awaiting = override !== null && "awaiting" in override ? override.awaiting : null;
  if (leaving) return "Leaving";
  if (awaiting === "redeploy") return "Missing";
  if (status === "ManualOverride") return awaiting === "reconcile-tag" ? "AwaitingReconcileTag" : "Overridden";
  if (readable.value === false) return "Unreadable";
  // A write that is being tried again has failed until it succeeds.
  if (working !== null && failing === null) return "Working";
  if (inSync.value === false && unwritableReasons.has(failing?.code ?? inSync.reason)) return "Uncorrectable";
  if (failing !== null || inSync.reason === "ProvisioningFailed") return "Failing";
  if (status === "ReconcileRequested") return "ReconcileRequested";
  if (override !== null) return "Held";
  if (inSync.reason === "Blocked" || inSync.reason === "Held") return "Blocked";
  if (exists.reason === "Missing") return "Missing";
  if (exists.reason === "NotProvisioned") return "NotProvisioned";
  if (inSync.value === null) return "Unknown";
  return inSync.value ? "InSync" : "Differs";
}
