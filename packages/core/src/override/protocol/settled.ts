import { sameJson } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";

/** How a cloud shows a value that was sent: evidence that what it shows is that value in another form. */
export interface Witness {
  /** A keyed digest of the sent value. */
  readonly digest: string;
  /** What the cloud shows for it; `null` if nothing, or if it must not be stored. */
  readonly form: Json;
  /** A keyed digest of a form that must not be stored, because it is or contains a secret. */
  readonly formDigest?: string;
  /** The resource type with its version. Under another version the evidence is `Unproven` until confirmed. */
  readonly type: string;
  /** `write`: a write moved the place to it. `spelling`: it is the value in another spelling. `person`: somebody accepted it. */
  readonly by: "write" | "spelling" | "person";
  readonly at: string;
}

/** The witnesses of a component, by place. */
export type SettledForms = Readonly<Record<string, Witness>>;

/** What one write showed about one place that it sent. */
export interface WriteEvidence {
  readonly place: string;
  /** Of the sent value. */
  readonly digest: string;
  /** What the write's own answer shows there; `null` if nothing, or if it must not be stored. */
  readonly form: Json;
  /** A keyed digest of a form that must not be stored. */
  readonly formDigest?: string;
  /** The place showed something else before the write. A creation has no before, so it moves nothing. */
  readonly moved: boolean;
  /** The answer shows the sent value in another spelling. */
  readonly spelled: boolean;
}

/**
 * Learns from one write. A place that the write moved, or that shows the sent value in another spelling, gets a witness. A place that
 * didn't move proves nothing: the cloud may have ignored the value. It ends what was proved of another form, and any witness of another
 * value. Pure.
 */
export function learned(
  before: SettledForms,
  evidence: readonly WriteEvidence[],
  { type, at }: Pick<Witness, "type" | "at">,
): SettledForms {
  const settled: Record<string, Witness> = { ...before };
  for (const { place, digest, moved, spelled, ...shown } of evidence) {
    const known = settled[place];
    if (moved || spelled) settled[place] = { digest, ...shown, type, by: moved ? "write" : "spelling", at };
    else if (known?.digest !== digest || (known.by !== "person" && !isSameForm(known, shown))) delete settled[place];
  }
  return settled;
}

type Form = Pick<Witness, "form" | "formDigest">;

function isSameForm(one: Form, other: Form): boolean {
  return sameJson(one.form, other.form) && one.formDigest === other.formDigest;
}

/** The forms that count for the values declared now. */
export interface FormsInForce {
  /** By place. */
  readonly settled: ReadonlyMap<string, Json>;
  /** The keyed digests of forms that aren't stored, by place. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** The witnesses that still count: those of the values declared now, by the digest of each place. Pure. */
export function inForceAmong(settled: SettledForms, digests: ReadonlyMap<string, string>, type: string): FormsInForce {
  const [forms, hidden] = [new Map<string, Json>(), new Map<string, string>()];
  for (const [place, witness] of Object.entries(settled)) {
    if (digests.get(place) !== witness.digest || witness.type !== type) continue;
    if (witness.formDigest === undefined) forms.set(place, witness.form);
    else hidden.set(place, witness.formDigest);
  }
  return { settled: forms, hidden };
}
