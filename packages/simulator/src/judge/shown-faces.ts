import type { Json } from "@liveplane/core/store";
import { isSameJson } from "./comparison.ts";
import type { ShownComponent, StoredComponent } from "./facts.ts";
import { told } from "./names.ts";

/** A fact that people are shown of a component otherwise than it is stored; `null` if none. */
export function wronglyShown(shown: ShownComponent, record: StoredComponent): string | null {
  const [is, was] = [facesOf(shown), facesOfStored(record)];
  const name = Object.keys(was).find((one) => is[one] !== undefined && !isSameJson(is[one] as Json, was[one] as Json));
  return name === undefined
    ? null
    : `${name} is shown as ${told(is[name] as Json)}, stored is ${told(was[name] as Json)}`;
}

type Faces = Readonly<Record<string, unknown>>;

function facesOf(shown: ShownComponent): Faces {
  const { resourceId, override, failing, fingerprint } = shown;
  return {
    ...shared(shown),
    resourceId,
    override: overrideOf(override),
    fingerprint,
    failing: failing && [failing.code, failing.attempts, failing.since],
  };
}

function facesOfStored(record: StoredComponent): Faces {
  const { resource, override, failures = null, observed, conditions } = record;
  const { changes = [], fingerprint = null } = observed;
  const isFailing = failures !== null && conditions.inSync.value !== true;
  return {
    ...shared(record),
    resourceId: resource.id,
    override: overrideOf(override),
    fingerprint: changes.length === 0 ? null : fingerprint,
    failing: isFailing ? [failures.code, failures.count, failures.since] : null,
  };
}

function shared(one: ShownComponent | StoredComponent): Faces {
  const { status, type, provider, working = null, createdAt, createdBy, updatedAt, updatedBy } = one;
  return { status, type, provider, working, createdAt, createdBy, updatedAt, updatedBy };
}

/** What is known of an override; of what another component holds, only that that does. */
function overrideOf(override: ShownComponent["override"]): unknown {
  if (override?.episodeId === undefined) return null;
  const { episodeId, since, awaiting, reason, claimedBy, said, takenOverBy } = override;
  return [episodeId, since, awaiting, reason, claimedBy, said, takenOverBy ?? null].map((value) => value ?? null);
}
