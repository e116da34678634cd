import type { StoredComponent, StoredEpisode, StoredMutation } from "./facts.ts";
import { caselessId, placeKey, rename } from "./names.ts";
import type { Kept, Observer } from "./steps.ts";

export class StoredRecords implements Observer {
  readonly #components = new Map<string, Kept>();
  readonly #mutations = new Map<string, StoredMutation>();
  readonly #systems = new Map<string, string>();
  readonly #episodes = new Map<string, StoredEpisode>();
  readonly #released = new Map<string, Set<string>>();
  readonly #fetched = new Map<string, StoredComponent["status"]>();

  readonly observes: Observer["observes"] = {
    committed: ({ sets, deletes, events }) => {
      // The ledger line of a moved component has a new key and the same ID.
      for (const [kind, collection, ...id] of deletes)
        if (kind === "record" && collection === "override-episode") this.#episodes.delete(id.at(-1) ?? "");
      for (const { key, value } of sets) {
        const [kind, collection] = key;
        if (kind !== "record") continue;
        const record = value as unknown as { readonly id: string };
        if (collection === "live-system") this.#systems.set(record.id, (record as unknown as StoredSystem).status);
        if (collection === "override-episode") this.#episodes.set(record.id, record as StoredEpisode);
      }
      for (const { type, subject, data } of events) {
        if (type !== "component.released" || typeof data.mutationId !== "string") continue;
        const released = this.#released.get(data.mutationId) ?? new Set();
        this.#released.set(data.mutationId, released.add(subject.toLowerCase()));
      }
    },
    fetched: ({ process, key: [kind, collection, ...id] }) => {
      const name = id.join("/").toLowerCase();
      const one = collection === "component" ? this.#components.get(name) : undefined;
      if (kind === "record" && one !== undefined) this.#fetched.set(`${process} ${name}`, one.record.status);
    },
    "mutation-stored": ({ after }) => void this.#mutations.set(after.id, after),
    moved: ({ ids }) => rename(this.#components, ids),
    "component-stored": ({ id, after, order }) => {
      if (after === null) this.#components.delete(id);
      else this.#components.set(id, { record: after, order });
    },
  };

  /** By ID, without case. */
  get components(): ReadonlyMap<string, Kept> {
    return this.#components;
  }

  get mutations(): ReadonlyMap<string, StoredMutation> {
    return this.#mutations;
  }

  /** The status of each live system. */
  get systems(): ReadonlyMap<string, string> {
    return this.#systems;
  }

  get episodes(): ReadonlyMap<string, StoredEpisode> {
    return this.#episodes;
  }

  /** Whether a person has a component, or had it when a process fetched its record last. */
  isHeldFor(process: string, component: StoredComponent): boolean {
    const fetched = this.#fetched.get(`${process} ${caselessId(component)}`) ?? "Active";
    return component.status !== "Active" || fetched !== "Active";
  }

  /** What a mutation left behind: IDs without case. */
  releasedBy(mutationId: string): ReadonlySet<string> {
    return this.#released.get(mutationId) ?? new Set();
  }

  componentsOf(liveSystemId: string): StoredComponent[] {
    return [...this.#components.values()].flatMap(({ record }) =>
      record.liveSystemId === liveSystemId ? [record] : [],
    );
  }

  holderOf(provider: string, resourceId: string): StoredComponent | null {
    const wanted = placeKey(provider, resourceId);
    for (const { record } of this.#components.values())
      if (record.resource.id !== null && placeKey(record.provider, record.resource.id) === wanted) return record;
    return null;
  }

  /** The running or waiting mutation of a live system, if any. */
  openMutation(liveSystemId: string): StoredMutation | null {
    for (const mutation of this.#mutations.values()) {
      const isOpen = mutation.status === "Running" || mutation.status === "Pending";
      if (mutation.liveSystemId === liveSystemId && isOpen) return mutation;
    }
    return null;
  }
}

interface StoredSystem {
  readonly status: string;
}
