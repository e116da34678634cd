import type { Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { type Compared, comparedWith, type Meaning, referencesOf } from "./comparison.ts";
import { type Wanted, WantedHistory } from "./declarations.ts";
import type {
  Broken,
  Invariant,
  JudgedCloud,
  JudgedWorld,
  ResourceChanged,
  ResourceTruth,
  StoredComponent,
  StoredEpisode,
  StoredMutation,
} from "./facts.ts";

/** A direct read, with its place in the order of everything. */
export interface Sighting {
  readonly order: number;
  readonly at: number;
  readonly reading: Reading;
}

/** A component as it is stored, and since when. */
export interface Kept {
  readonly record: StoredComponent;
  readonly order: number;
}

/** A change that is under way to a resource. */
export interface Sent {
  readonly process: string;
  readonly operation: ResourceChanged["operation"];
  readonly order: number;
  readonly at: number;
  /** Which live systems its process had read at that moment, and where in the order of everything it first did. */
  readonly looks: ReadonlyMap<string, number>;
}

/** The live systems that a process reads at one moment, each with where it first did. */
interface Looks {
  readonly at: number;
  readonly systems: Map<string, number>;
}

/** A write that its process knows to have been made, and hasn't told of yet. */
export interface Done {
  readonly process: string;
  readonly change: ResourceChanged;
}

/** The last write of a resource that a process made, or that was accepted. */
export interface LastWrite {
  readonly component: StoredComponent;
  readonly process: string;
  readonly sent: Sent;
}

/** How long what a process has seen is kept. */
const sightingsKeptMs = 120_000;

/** All that was seen so far, as the rules ask for it. */
export class Evidence {
  readonly world: JudgedWorld;
  readonly clouds: ReadonlyMap<string, JudgedCloud>;
  readonly declarations = new WantedHistory();
  /** By id, without case. */
  readonly components = new Map<string, Kept>();
  readonly mutations = new Map<string, StoredMutation>();
  readonly systems = new Map<string, string>();
  readonly episodes = new Map<string, StoredEpisode>();
  readonly secrets = new Map<string, string | null>();
  /** What resources are, by provider and id. */
  readonly truth = new Map<string, ResourceTruth>();
  /** Under which intents processes made the resources that are there. */
  readonly made = new Map<string, string>();
  /** The resources that components know of, or have handed on. */
  readonly known = new Set<string>();
  /** Left behind for good: no process touches them, unless a component has them again. */
  readonly leftBehind = new Set<string>();
  /** The incarnation that was last a component's own. */
  readonly identities = new Map<string, string | null>();
  readonly underWay = new Map<string, Sent[]>();
  readonly lastSent = new Map<string, Sent>();
  readonly done = new Map<string, Done[]>();
  /** By place. */
  readonly lastWritten = new Map<string, LastWrite>();
  /** Writes that took their time, came to a good end, and weren't told of yet: by component. */
  readonly landed = new Map<string, readonly ResourceChanged[]>();
  /** Resources of which the cloud gave up what was asked for last: by place. */
  readonly givenUp = new Set<string>();
  /** What was told to be made, and that nobody has seen since: by place. */
  readonly unseen = new Set<string>();
  /** Which live systems each process reads at this very moment. */
  readonly looks = new Map<string, Looks>();
  readonly dead = new Set<string>();
  readonly claimedAt = new Map<string, { readonly order: number; readonly at: number; readonly process: string }>();
  /** Until when, in the order of everything, a component's resource was as declared; without end while it is. */
  readonly convergedUntil = new Map<string, number>();
  /** When a component was last known to exist, in milliseconds. */
  readonly existedAt = new Map<string, number>();
  /** Hand-backs under way that had nothing to reconcile. */
  readonly clean = new Set<string>();
  /** What processes changed and weren't answered for yet. */
  readonly unanswered = new Map<string, ResourceChanged>();
  /** Every value that a secret ever had. */
  readonly secretValues = new Set<string>();
  /** Values in which none was, while there were so many. */
  readonly searched = new WeakMap<object, number>();
  /** What processes did to resources. */
  readonly deeds: { readonly order: number; readonly key: string; readonly operation: string }[] = [];
  /** What each mutation left behind, by id and without case. */
  readonly releasedBy = new Map<string, Set<string>>();
  /** Until when, in the order of everything, a component was in a person's hands. */
  readonly heldUntil = new Map<string, number>();
  /** The component that a person held and that stood for another one, by that one's id, when a declaration named a new one. */
  readonly stoodFor = new Map<string, string>();
  order = 0;
  broken: Broken | null = null;
  readonly #sightings = new Map<string, Sighting[]>();

  constructor(world: JudgedWorld) {
    this.world = world;
    this.clouds = new Map(world.clouds.map((cloud) => [cloud.provider, cloud]));
  }

  fail(invariant: Invariant, detail: string) {
    this.broken ??= { invariant, detail };
  }

  saw(process: string, name: string, reading: Reading) {
    const key = `${process} ${name.toLowerCase()}`;
    const at = this.world.now();
    const kept = (this.#sightings.get(key) ?? []).filter((one) => one.at >= at - sightingsKeptMs);
    this.#sightings.set(key, [...kept, { order: this.order, at, reading }]);
    if (this.unseen.size > 0 && reading.state !== "missing" && reading.state !== "unreadable")
      for (const { provider } of this.world.clouds) this.unseen.delete(placeKey(provider, name));
  }

  /** What a process read of resources, or under intents, from a place in the order on. */
  sightings(process: string, names: readonly (string | null)[], from: number): Sighting[] {
    const keys = new Set(names.flatMap((name) => (name === null ? [] : [`${process} ${name.toLowerCase()}`])));
    const found = [...keys].flatMap((key) => this.#sightings.get(key) ?? []);
    return found.filter(({ order }) => order > from).sort((a, b) => a.order - b.order);
  }

  cloudOf({ provider }: { readonly provider: string }): JudgedCloud {
    return this.clouds.get(provider) ?? this.#strange(provider);
  }

  /** Components have other paths now: what is known of them is known by their new ids. */
  rename(ids: ReadonlyMap<string, string>) {
    if (ids.size === 0) return;
    const kept = [this.components, this.convergedUntil, this.existedAt, this.heldUntil, this.identities];
    const byId: Map<string, unknown>[] = [...kept, this.claimedAt, this.done, this.landed];
    for (const known of byId) renameIn(known, ids);
    renameIn(this.stoodFor, ids);
    for (const [id, other] of this.stoodFor) this.stoodFor.set(id, ids.get(other) ?? other);
    const clean = new Map([...this.clean].map((id) => [id, id]));
    renameIn(clean, ids);
    this.clean.clear();
    for (const id of clean.keys()) this.clean.add(id);
  }

  /** The resource of a component as it is. */
  truthOf({ provider, resource }: StoredComponent): ResourceTruth | null {
    return resource.id === null ? null : (this.truth.get(placeKey(provider, resource.id)) ?? null);
  }

  /** What is declared of a component now; `null`: it isn't any more. */
  declared({ liveSystemId, path }: StoredComponent): Wanted | null {
    return this.declarations.newest(liveSystemId, path);
  }

  /** What was in force of a component at any moment from a place in the order on; the newest last. */
  declaredSince({ liveSystemId, path }: StoredComponent, order: number): readonly Wanted[] {
    return this.declarations.inForceSince(liveSystemId, path, order);
  }

  sibling(liveSystemId: string, path: string): StoredComponent | null {
    return this.components.get(`${liveSystemId}/${path}`.toLowerCase())?.record ?? null;
  }

  /** What references stand for by the outputs that were last read. */
  asStored(liveSystemId: string): Meaning {
    return (reference) => {
      if (reference.kind === "secret") return this.secrets.get(reference.name) ?? undefined;
      return this.sibling(liveSystemId, reference.path)?.observed.outputs[reference.output];
    };
  }

  /** What references stand for by the resources as they are. */
  asTrue(liveSystemId: string): Meaning {
    return (reference) => {
      if (reference.kind === "secret") return this.secrets.get(reference.name) ?? undefined;
      const other = this.sibling(liveSystemId, reference.path);
      const there = other && this.truthOf(other);
      if (other === null || !there) return undefined;
      if (reference.output === "id") return there.resourceId;
      if (reference.output === "name") return there.resourceId.split("/").at(-1);
      const value = there.parameters[reference.output];
      return typeof value === "object" ? undefined : value;
    };
  }

  compared(
    declared: Wanted,
    actual: ResourceTruth | { tags: object; parameters: object },
    { liveSystemId }: { readonly liveSystemId: string },
    lookup = this.asTrue(liveSystemId),
  ): Compared {
    return comparedWith(declared, actual as ResourceTruth, this.cloudOf(declared), lookup);
  }

  /** The names that differ for certain: what a reference stood for when somebody looked is theirs to know. */
  certain(
    declared: Wanted,
    actual: ResourceTruth | { readonly tags: object; readonly parameters: object },
    component: { readonly liveSystemId: string },
  ): string[] {
    const { names } = this.compared(declared, actual, component);
    return names.filter((name) => referencesOf(declared.parameters?.[name]).length === 0);
  }

  /** Whether a component's resource is as declared now; until when it was is remembered. */
  noteConvergence(component: StoredComponent) {
    const id = componentName(component).toLowerCase();
    const declared = this.declared(component);
    const there = this.truthOf(component);
    const known = this.convergedUntil.get(id);
    const isEqual = declared !== null && there !== null && this.certain(declared, there, component).length === 0;
    if (isEqual) this.convergedUntil.set(id, Number.POSITIVE_INFINITY);
    else if (known === Number.POSITIVE_INFINITY) this.convergedUntil.set(id, this.order - 1);
  }

  /** The mutation of a live system that runs or waits, if any. */
  openMutation(liveSystemId: string): StoredMutation | null {
    for (const mutation of this.mutations.values()) {
      if (mutation.livesystemId === liveSystemId && (mutation.status === "Running" || mutation.status === "Pending"))
        return mutation;
    }
    return null;
  }

  /** What processes did to a resource from a place in the order on. */
  deedsSince(key: string, order: number): readonly string[] {
    return this.deeds.flatMap((deed) => (deed.key === key && deed.order > order ? [deed.operation] : []));
  }

  /** Who tells of a cloud that the judge wasn't told of is in the wrong, and nothing is known of it. */
  #strange(provider: string): JudgedCloud {
    this.fail("nothing-out-of-sight", `the judge was told of no cloud ${provider}`);
    const knows = { caselessTagKeys: false, tagParameter: "tags" };
    const bindingsOf = () => ({ properties: "mask", tags: "mask" }) as const;
    return { provider, ...knows, bindingsOf, isTaggable: () => true, setsOf: () => [] };
  }

  holderOf(provider: string, resourceId: string): Kept | null {
    const wanted = placeKey(provider, resourceId);
    for (const kept of this.components.values()) {
      const { record } = kept;
      if (record.resource.id !== null && placeKey(record.provider, record.resource.id) === wanted) return kept;
    }
    return null;
  }
}

/** Everything goes before it comes: two may swap their names. */
function renameIn(known: Map<string, unknown>, ids: ReadonlyMap<string, string>) {
  const came = [...ids].flatMap(([from, to]) => (known.has(from) ? [[to, known.get(from)] as const] : []));
  for (const from of ids.keys()) known.delete(from);
  for (const [to, value] of came) known.set(to, value);
}

/** The name of a resource in an installation. */
export function placeKey(provider: string, resourceId: string): string {
  return `${provider} ${resourceId}`.toLowerCase();
}

/** A component's id. */
export function componentName({ liveSystemId, path }: Pick<StoredComponent, "liveSystemId" | "path">): string {
  return `${liveSystemId}/${path}`;
}

/** Values as they are told in a sentence. */
export function told(value: Json | object | undefined): string {
  return JSON.stringify(value)?.slice(0, 400) ?? "nothing";
}
