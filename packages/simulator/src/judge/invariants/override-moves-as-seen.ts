import { isAdoptedNow } from "../adoptions.ts";
import { carriesManagementTag, carriesReconcileTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { type Circumstances, type Glance, isDeploying, placesAfter } from "../lifecycle.ts";
import { resourceIn } from "../looks.ts";
import { caselessId, rename } from "../names.ts";
import type { Look, Rule, StepOf } from "../steps.ts";

/** A status changes as the specification's table says for what a read showed. */
export function overrideMovesAsSeen(evidence: Evidence): Rule {
  /** The incarnation of each resource that a component last managed. */
  const identities = new Map<string, string | null>();

  /** What the read shows: one glance for each possible answer if the judge can't tell whether the component differs. */
  function glancesAt(look: Look): readonly Glance[] {
    const { before, after, reading, resource, declared, cloud, differing, referring } = look;
    if (resource === null) return [{ state: "missing" }];
    // A resource that the cloud gave up doesn't match, whatever it shows.
    const isOff = differing.length > 0 || reading.state === "failed";
    const mayDiffer = referring.size > 0 || saysThatItFailed(after, evidence);
    const isGoverned = declared.overrideWith != null && before.status === "Active";
    const glance = {
      state: "present",
      managed: isGoverned || isUnadopted(look) || carriesManagementTag(resource.tags, cloud),
      asked: !isGoverned && carriesReconcileTag(resource.tags, cloud),
      another: isAnother(before, resource.identity ?? null),
    } as const;
    return [...(isOff ? [] : [false]), ...(isOff || mayDiffer ? [true] : [])].map((differs) => ({
      ...glance,
      differs,
    }));
  }

  function isAnother(before: StoredComponent, identity: string | null): boolean {
    if (before.status === "Active") return false;
    const own = identities.get(caselessId(before)) ?? null;
    return identity === null || own === null ? before.lost : identity !== own;
  }

  return {
    invariant: "override-moves-as-seen",
    judges: {
      look: (look) => {
        const { before, after } = look;
        const places = glancesAt(look).flatMap((seen) => placesAfter(before, seen, circumstancesOf(look, evidence)));
        const isAllowed = places.some(({ status, lost }) => status === after.status && lost === after.lost);
        if (!isAllowed) return `it went from ${placeOf(before)} to ${placeOf(after)}`;
        const awaited = glancesAt(look).map((seen) => awaitedIn(after, seen));
        const awaiting = after.override === null ? awaited[0] : after.override.awaiting;
        return awaited.includes(awaiting ?? null)
          ? null
          : `it waits for ${awaiting}, seen was what waits for ${awaited[0]}`;
      },
      glimpse: (glimpse) => {
        const { before, after, resource, cloud } = glimpse;
        const isGoverned = evidence.declared(after)?.overrideWith != null && before.status === "Active";
        // A missing management tag always counts. Nothing else changes the status.
        const isOwn = isGoverned || isUnadopted(glimpse);
        const isOff = resource !== null && !isOwn && !carriesManagementTag(resource.tags, cloud);
        const isAllowed = after.status === (isOff ? "ManualOverride" : before.status);
        return isAllowed && after.conditions.inSync.value !== true
          ? null
          : `it went from ${placeOf(before)} to ${placeOf(after)}`;
      },
    },
    observes: {
      moved: ({ ids }) => rename(identities, ids),
      "component-stored": ({ id, before, after, explainedBy }: StepOf<"component-stored">) => {
        if (after === null) return void identities.delete(id);
        const resource = explainedBy && resourceIn(explainedBy);
        // While the cloud works on it, nobody says yet which one is there.
        const isWorking = after.operation != null || explainedBy?.state === "working";
        const isUnderWay = isWorking && before?.status === after.status;
        // The incarnation that the component managed, or that returned under its name.
        if (resource && !after.lost && !isUnderWay) identities.set(id, resource.identity ?? null);
      },
    },
  };
}

/** What an overridden component waits for. */
function awaitedIn({ status }: StoredComponent, seen: Glance): string | null {
  if (status !== "ManualOverride") return null;
  if (seen.state === "missing") return "redeploy";
  if (!seen.managed) return "management-tag";
  return seen.another ? "redeploy" : "reconcile-tag";
}

/** Until its exact adoption, a resource without the tag is nobody's. */
function isUnadopted({ before, after, declared }: Pick<Look, "before" | "after" | "declared">): boolean {
  const isOpen = declared.adoptsExactly === true && !before.provisioned && before.status === "Active";
  return isOpen && !isAdoptedNow({ before, after });
}

/** Its operation failed, but the resource doesn't show that. */
function saysThatItFailed({ provider, resource, conditions }: StoredComponent, { resources }: Evidence): boolean {
  return conditions.inSync.reason === "ProvisioningFailed" && resources.isGivenUp(provider, resource.id);
}

function circumstancesOf({ before, after }: Look, { stored, world: { restoredTag } }: Evidence): Circumstances {
  const redeploy = stored.openMutation(after.liveSystemId)?.kind === "Deploy" && isDeploying(before, after);
  return { restoredTag, redeploy, reconciled: before.request?.reconciled === true };
}

function placeOf({ status, lost }: StoredComponent): string {
  return `${status}${lost ? " (missing)" : ""}`;
}
