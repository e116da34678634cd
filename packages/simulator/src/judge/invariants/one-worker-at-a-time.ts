import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, placeKey } from "../names.ts";
import type { Rule, StepOf, StepTime } from "../steps.ts";

interface UnderWay extends StepTime {
  readonly process: string;
  readonly operation: StepOf<"sent">["operation"];
  /** The cloud refuses it if it arrives after another write. */
  readonly isRefusedLate: boolean;
}

/** The id of an intent, by which a creation is named whose cloud chooses its ID. */
const intent = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

type Write = Pick<StepOf<"sent">, "process" | "provider" | "operation" | "resourceId">;

/** What a component is claimed for when a write is sent. */
const claimedAs: Readonly<Record<Write["operation"], readonly string[]>> = {
  create: ["create"],
  update: ["correct", "adopt"],
  removeTag: ["removeReconcileTag", "correct"],
  remove: ["remove"],
};

/** One process at a time works on a component. A claim is released by its process, unless that is dead or too late. */
export function oneWorkerAtATime(evidence: Evidence): Rule {
  const { sends, world } = evidence;
  const { claimMs } = world;
  const leasedClaimMs = world.leasedClaimMs ?? claimMs;
  const underWay = new Map<string, readonly UnderWay[]>();
  const dead = new Set<string>();
  /** What components are claimed for is known. */
  let areClaimsTold = false;
  const isOver = (one: { readonly process: string; readonly at: number }, at: number, lastsMs: number | null) =>
    dead.has(one.process) || (lastsMs !== null && one.at + lastsMs <= at);
  /** A claim on a write that nothing binds stands for its whole time, whatever lease it was made under. */
  const mayEndWithLease = (component: StoredComponent) => {
    const { properties, tags } = evidence.cloudOf(component).bindingsOf(component.type);
    const isBound = isMadeOnce(component) || [properties, tags].some((by) => by === "etag" || by === "fingerprint");
    return component.work?.under !== undefined && isBound;
  };
  /** A late creation meets the first one, unless the cloud gives it an ID of its own. */
  const isMadeOnce = (component: StoredComponent) =>
    component.work?.kind === "create" && evidence.cloudOf(component).choosesIds !== true;
  const lengthOf = ({ isRefusedLate }: UnderWay) => (isRefusedLate ? leasedClaimMs : claimMs);

  /** Whether a write was sent without a claim of its own. Under leases a worker may have paused since. */
  function unclaimed({ process, provider, operation, resourceId }: Write): string | null {
    const isIts = (one: StoredComponent) => one.intent === resourceId && one.provider === provider;
    const component = evidence.stored.holderOf(provider, resourceId) ?? evidence.components().find(isIts);
    if (component === undefined || world.leasedClaimMs !== undefined || !areClaimsTold) return null;
    const { kind = "" } = component.work ?? {};
    const isOwn = sends.claimOn(caselessId(component))?.process === process && claimedAs[operation].includes(kind);
    return isOwn
      ? null
      : `${process} sends ${operation} to ${resourceId}, claimed is ${JSON.stringify(component.work)}`;
  }

  return {
    invariant: "one-worker-at-a-time",
    judges: {
      sent: ({ process, provider, operation, resourceId, at }) => {
        const others = underWay.get(placeKey(provider, resourceId)) ?? [];
        const areRemovals = (one: UnderWay) => operation === "remove" && one.operation === "remove";
        const other = others.find((one) => !isOver(one, at, lengthOf(one)) && !areRemovals(one));
        if (other === undefined) return unclaimed({ process, provider, operation, resourceId });
        return `${process} sends ${operation} to ${resourceId}, ${other.process} is at ${other.operation}`;
      },
      "component-stored": ({ id, before, after, process, at }) => {
        const claim = sends.claimOn(id);
        if (after?.work?.under !== undefined && !mayEndWithLease(after))
          return `${process} claims ${id} under a lease, and nothing refuses that write when it is late`;
        if (!before?.work || claim === undefined || claimMs === null || after?.work?.id === before.work.id) return null;
        const lastsMs = mayEndWithLease(before) ? leasedClaimMs : claimMs;
        if (claim.process === process || isOver(claim, at, lastsMs)) return null;
        // A worker that pauses past its lease may claim late. It sends nothing any more.
        if (mayEndWithLease(before) && world.leaseHolder?.(before.work.under ?? "") === process) return null;
        return `${process} took ${id} from ${claim.process}, which is writing to it`;
      },
    },
    observes: {
      died: ({ process }) => void dead.add(process),
      "component-stored": ({ after }) => {
        if (after?.work?.kind !== undefined) areClaimsTold = true;
      },
      sent: ({ process, provider, operation, resourceId, etag, order, at }) => {
        const key = placeKey(provider, resourceId);
        const isRefusedLate = etag !== null || (operation === "create" && !intent.test(resourceId));
        underWay.set(key, [...(underWay.get(key) ?? []), { process, operation, isRefusedLate, order, at }]);
      },
      answered: ({ process, provider, resourceId }) => {
        const key = placeKey(provider, resourceId);
        const sent = underWay.get(key) ?? [];
        const place = sent.findIndex((one) => one.process === process);
        underWay.set(key, sent.toSpliced(place === -1 ? sent.length : place, 1));
      },
    },
  };
}
