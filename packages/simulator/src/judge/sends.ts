import type { ResourceChanged, StoredComponent } from "./facts.ts";
import { placeKey, rename } from "./names.ts";
import type { Observer, Sent, StepTime } from "./steps.ts";
import type { StoredRecords } from "./stored-records.ts";

/** The last write to a resource that a process made, or that its cloud accepted. */
interface LastWrite {
  readonly component: StoredComponent;
  readonly process: string;
  readonly sent: Sent;
}

/** A process's claim on a component. */
interface Claim extends StepTime {
  readonly process: string;
  /** When its component had been stored for the last time. */
  readonly since: number;
}

/** A process's change of a resource. */
interface Change {
  readonly key: string;
  readonly operation: ResourceChanged["operation"];
}

/** What processes send to clouds, and what they read before. */
export class Sends implements Observer {
  /** The live systems that each process has read in the current millisecond. */
  readonly #looks = new Map<string, { readonly at: number; readonly systems: Map<string, number> }>();
  /** When each process fetched something for the last time, and before that. */
  readonly #fetches = new Map<string, { readonly at: number; readonly before: number }>();
  readonly #lastSent = new Map<string, Sent>();
  readonly #stragglers = new Map<number, Sent>();
  readonly #lastWrites = new Map<string, LastWrite>();
  readonly #claims = new Map<string, Claim>();
  readonly #changes: Change[] = [];
  readonly #holderOf: StoredRecords["holderOf"];

  constructor({ holderOf }: Pick<StoredRecords, "holderOf">) {
    this.#holderOf = holderOf;
  }

  readonly observes: Observer["observes"] = {
    fetched: ({ process, key: [kind, collection, id], order, at }) => {
      const last = this.#fetches.get(process);
      if (last?.at !== at) this.#fetches.set(process, { at, before: last?.at ?? at });
      if (kind !== "record" || collection !== "live-system" || id === undefined) return;
      const known = this.#looks.get(process);
      const systems = known?.at === at ? known.systems : new Map<string, number>();
      if (!systems.has(id.toLowerCase())) systems.set(id.toLowerCase(), order);
      this.#looks.set(process, { at, systems });
    },
    sent: ({ process, provider, operation, resourceId, etag, isOfTags = false, order, at }) => {
      const looked = this.#looks.get(process);
      const looks = looked?.at === at ? looked.systems : new Map<string, number>();
      const fetched = this.#fetches.get(process);
      const idleMs = at - (fetched?.at === at ? fetched.before : (fetched?.at ?? at));
      const component = this.#holderOf(provider, resourceId);
      const sent = { process, operation, etag, isOfTags, order, at, looks, idleMs, component };
      this.#lastSent.set(`${process} ${placeKey(provider, resourceId)}`, sent);
    },
    straggles: ({ process, provider, resourceId, straggler }) => {
      const sent = this.lastSent(process, provider, resourceId);
      if (sent !== undefined) this.#stragglers.set(straggler, sent);
    },
    changed: ({ process, provider, change: { resourceId, operation, straggler } }) => {
      const key = placeKey(provider, resourceId);
      if (process !== null) this.#changes.push({ key, operation });
      // What a straggler leads to isn't the result of the write before it.
      if (straggler !== undefined) this.#lastWrites.delete(key);
    },
    wrote: ({ process, component, change, sent }) =>
      void this.#lastWrites.set(placeKey(component.provider, change.resourceId), { component, process, sent }),
    moved: ({ ids }) => rename(this.#claims, ids),
    "component-stored": ({ id, before, after, process, parted, since, order, at }) => {
      if (after?.work != null && after.work.id !== before?.work?.id)
        this.#claims.set(id, { order, at, process, since });
      // A running write came from a component that is gone. Another may have its resource by then.
      if (parted !== null) this.#lastWrites.delete(parted.key);
    },
  };

  lastSent(process: string, provider: string, resourceId: string): Sent | undefined {
    return this.#lastSent.get(`${process} ${placeKey(provider, resourceId)}`);
  }

  /** The send of a change that a process has made. */
  sendOf(process: string, provider: string, { resourceId, straggler }: ResourceChanged): Sent | undefined {
    return straggler === undefined ? this.lastSent(process, provider, resourceId) : this.#stragglers.get(straggler);
  }

  lastWrite(provider: string, resourceId: string): LastWrite | undefined {
    return this.#lastWrites.get(placeKey(provider, resourceId));
  }

  /** The changes by processes, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** The newest claim on a component, by its ID without case. */
  claimOn(id: string): Claim | undefined {
    return this.#claims.get(id);
  }
}
