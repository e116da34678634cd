import type { ProviderWords } from "./redaction.ts";

/** One fact about a component, known or unknown. */
export interface Condition extends Partial<ProviderWords> {
  /** `null` if it can't be told now. */
  readonly value: boolean | null;
  readonly reason: string;
  readonly message: string;
  /** The last direct read; `null` before the first. */
  readonly observedAt: string | null;
  readonly changedAt: string;
  /** The path of the component that must come first. */
  readonly blockedBy?: string;
}

/** Everything known about a component besides its status. */
export interface Conditions {
  readonly readable: Condition;
  readonly exists: Condition;
  readonly inSync: Condition;
}

/** A condition's value with its reason, and the cloud's own words. */
export interface Verdict extends Partial<ProviderWords> {
  readonly value: boolean | null;
  readonly reason: string;
  readonly message: string;
  readonly blockedBy?: string;
}

/** Turns verdicts into conditions: `changedAt` moves with value or reason; an unchanged condition stays the same object. */
export function concluded(
  before: Conditions,
  found: Readonly<Record<keyof Conditions, Verdict>>,
  read: { readonly at: string; readonly seen: boolean },
): Conditions {
  const readable = concludedOne(before.readable, found.readable, read);
  const exists = concludedOne(before.exists, found.exists, read);
  const inSync = concludedOne(before.inSync, found.inSync, read);
  const same = readable === before.readable && exists === before.exists && inSync === before.inSync;
  return same ? before : { readable, exists, inSync };
}

function concludedOne(
  before: Condition,
  found: Verdict,
  { at, seen }: { readonly at: string; readonly seen: boolean },
): Condition {
  const same = before.value === found.value && before.reason === found.reason;
  const observedAt = seen ? at : before.observedAt;
  const isSaid = before.message === found.message && before.providerRequestId === found.providerRequestId;
  if (same && isSaid && before.observedAt === observedAt && before.providerCode === found.providerCode) return before;
  return { ...found, observedAt, changedAt: same ? before.changedAt : at };
}

/** The conditions of a component that was never checked. */
export function unobserved(at: string): Conditions {
  const condition = (value: boolean | null, message: string): Condition => {
    return { value, reason: "NotProvisioned", message, observedAt: null, changedAt: at };
  };
  return {
    readable: condition(null, "The resource has not been read yet."),
    exists: condition(false, "The resource has not been provisioned yet."),
    inSync: condition(null, "The resource has not been provisioned yet."),
  };
}
