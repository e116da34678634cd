import { isUnbound } from "../bindings.ts";
import type { Evidence } from "../evidence.ts";
import type { ShownComponent, StoredComponent, Wanted } from "../facts.ts";
import { componentName } from "../names.ts";
import { wronglyShown } from "../shown-faces.ts";
import type { Rule } from "../steps.ts";

/** Every component is shown, and what is said about it is true. */
export function nothingOutOfSight(evidence: Evidence): Rule {
  return {
    invariant: "nothing-out-of-sight",
    judges: {
      accepted: ({ definition }) => {
        const strange = definition?.components.find(({ provider }) => !evidence.clouds.has(provider));
        return strange === undefined ? null : `the judge was told of no cloud ${strange.provider}`;
      },
      shown: ({ system, components }) => {
        const kept = evidence.stored.componentsOf(system.id);
        const hidden = kept.find((one) => !components.some(({ id }) => id === componentName(one)));
        if (hidden !== undefined) return `${componentName(hidden)} is shown in no list`;
        for (const shown of components) {
          const record = kept.find((one) => componentName(one) === shown.id);
          if (record === undefined) return `${shown.id} is shown, and isn't there`;
          const [is, was] = [JSON.stringify(facesOf(shown)), JSON.stringify(facesOfStored(record))];
          if (is !== was) return `${shown.id} is shown as ${is}, it is ${was}`;
          const wrong = wronglyShown(shown, record) ?? wrongNeeds(shown, evidence.declared(record));
          if (wrong !== null) return `${shown.id}: ${wrong}`;
        }
        return null;
      },
      rested: () => {
        for (const component of evidence.components()) {
          const wrong = wronglySaid(component, evidence);
          if (wrong !== null) return `${componentName(component)}: ${wrong}`;
        }
        return null;
      },
    },
  };
}

function wrongNeeds({ dependsOn }: ShownComponent, declared: Wanted | null): string | null {
  const [is, was] = [dependsOn, declared?.needs ?? dependsOn].map((paths) => [...paths].sort().join().toLowerCase());
  return is === was ? null : `it is shown to depend on ${is}, declared is ${was}`;
}

function facesOf({ status, leaving, outputFields, ignored, override, conditions }: ShownComponent) {
  const { drift = {} } = outputFields as { readonly drift?: object };
  return [status, leaving, drift, ignored, override?.awaiting ?? null, override?.said ?? null, saying(conditions)];
}

function facesOfStored({ status, leaving, observed, override, conditions }: StoredComponent) {
  const { drift, ignored = {} } = observed;
  return [status, leaving, drift, ignored, override?.awaiting ?? null, override?.said ?? null, saying(conditions)];
}

/** A comparison with another declaration than the one in force says nothing. */
function saying({ readable, exists, inSync }: StoredComponent["conditions"]) {
  return [readable.value, exists.value, inSync.reason === "Redeclared" ? null : inSync.value];
}

function wronglySaid(component: StoredComponent, evidence: Evidence): string | null {
  const { conditions, resource, provisioned } = component;
  const there = evidence.truthOf(component);
  if (resource.id === null && there === null && conditions.exists.value === true)
    return "it is said to exist, and has no resource";
  if (provisioned && conditions.exists.value !== (there !== null))
    return `exists is ${conditions.exists.value}, its resource is ${there === null ? "gone" : "there"}`;
  if (conditions.readable.value === false) return `it is said to be unreadable: ${conditions.readable.reason}`;
  if (there !== null && conditions.inSync.value === true && Object.keys(component.observed.drift).length > 0)
    return "it shows drift, and is said to be in sync";
  const declared = evidence.declared(component);
  const stays = declared !== null && component.status !== "ManualOverride" && isUnbound(component, declared, evidence);
  const reasons = ["NotCorrectable", "Blocked", "ProvisioningFailed", "HeldBy", "Muted"];
  return stays && declared.overrideWith == null && !reasons.includes(conditions.inSync.reason)
    ? `nothing binds what would correct it, and it says ${conditions.inSync.reason}`
    : null;
}
