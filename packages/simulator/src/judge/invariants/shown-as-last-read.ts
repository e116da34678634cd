import type { Json } from "@liveplane/core/store";
import { carriesManagementTag, carriesReconcileTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn, saysAnything } from "../looks.ts";
import { componentName, told } from "../names.ts";
import type { Look, Rule } from "../steps.ts";

/** Outputs and conditions are what a read showed. */
export function shownAsLastRead({ unseen, sightings }: Evidence): Rule {
  let isSecretKnown = false;
  return {
    invariant: "shown-as-last-read",
    judges: {
      "component-stored": ({ before, after, process, since }) => {
        if (before === null || after === null || after.updatedBy !== "agent" || !saysAnything(before, after))
          return null;
        const seen = sightings.of(process, [before.resource.id, after.resource.id], since);
        const isSaidSeen = after.conditions.readable.observedAt !== before.conditions.readable.observedAt;
        if (isSaidSeen && seen.length > 0 && seen.every(({ reading }) => reading.state === "unreadable"))
          return `${componentName(after)} couldn't be read, and is shown as read`;
        const isSaidHidden = after.conditions.readable.value === false && isInTransition(after);
        if (isSaidHidden && seen.length > 0 && seen.every(({ reading }) => resourceIn(reading) !== null))
          return `${componentName(after)} is said not to be shown, and was seen`;
        const isSaidThere = after.conditions.exists.value === true && before.conditions.exists.value !== true;
        if (isSaidThere && seen.length > 0 && seen.every(({ reading }) => resourceIn(reading) === null))
          return `${componentName(after)} is said to exist, and wasn't seen`;
        const isSaidGone = after.conditions.exists.value === false && before.conditions.exists.value !== false;
        return isSaidGone && unseen.has(after)
          ? `${componentName(after)} is said to be gone, and is only not seen yet`
          : null;
      },
      look: (look) => {
        const outputs = look.resource?.outputs ?? look.before.observed.outputs;
        return isShown(outputs, look.after.observed.outputs, { mayRedact: isSecretKnown })
          ? (wrongTags(look) ?? wrongCondition(look))
          : `its outputs are ${told(look.after.observed.outputs)}`;
      },
    },
    observes: {
      secret: () => {
        isSecretKnown = true;
      },
    },
  };
}

function isInTransition({ conditions: { inSync } }: StoredComponent): boolean {
  return inSync.reason === "InTransition";
}

/** The tags are stored as a read showed them; what goes by another's tags counts as managed. */
function wrongTags({ before, after, resource, cloud, declared }: Look): string | null {
  const { managementTag, reconcileTag } = after.observed;
  if (managementTag === undefined || reconcileTag === undefined) return null;
  const isGoverned = before.status === "Active" && (declared.overrideWith ?? after.governedBy ?? null) !== null;
  const isOn = resource && (isGoverned || carriesManagementTag(resource.tags, cloud));
  const isAsked = resource !== null && !isGoverned && carriesReconcileTag(resource.tags, cloud);
  return managementTag === isOn && reconcileTag === isAsked
    ? null
    : `its tags are ${told([managementTag, reconcileTag])}, a read showed ${told([isOn, isAsked])}`;
}

/** Reasons for not being in sync without showing a difference. */
const otherReasons: readonly string[] = ["Blocked", "InTransition", "ProvisioningFailed", "Unresolved"];

function wrongCondition({ before, after, resource, referring }: Look): string | null {
  const { readable, exists, inSync } = after.conditions;
  // The resource exists, and the cloud is still working on a request, which its requester knows.
  if (inSync.reason === "InTransition") return null;
  if (readable.value !== true) return "it says that it can't be read";
  if (exists.value !== (resource !== null)) return `it says that it ${exists.value ? "exists" : "doesn't exist"}`;
  if (resource === null) {
    if (inSync.value !== true) return null;
    return before.provisioned ? "what is gone is shown as in sync" : "what was never made is shown as in sync";
  }
  if (Object.keys(after.observed.drift).length > 0)
    return inSync.value === false ? null : "it differs, and inSync doesn't say so";
  if (inSync.value === true || referring.size > 0 || otherReasons.includes(inSync.reason)) return null;
  return `nothing differs, and inSync says ${inSync.reason}`;
}

type Values = Readonly<Record<string, Json>>;

function isShown(read: Values, shown: Values, { mayRedact }: { readonly mayRedact: boolean }): boolean {
  const names = new Set([...Object.keys(read), ...Object.keys(shown)]);
  return [...names].every((name) => {
    if (JSON.stringify(shown[name]) === JSON.stringify(read[name])) return true;
    return mayRedact && JSON.stringify(shown[name] ?? null).includes("[redacted]");
  });
}
