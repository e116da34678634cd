import { Acceptances } from "./acceptances.ts";
import { type Compared, comparedWith, type Meaning, referencesOf } from "./comparison.ts";
import { Convergence } from "./convergence.ts";
import { WantedHistory } from "./declarations.ts";
import { Editions } from "./editions.ts";
import type { JudgedCloud, JudgedWorld, ResourceTruth, StoredComponent, Wanted } from "./facts.ts";
import { Sends } from "./sends.ts";
import { Sightings } from "./sightings.ts";
import { StandIns } from "./stand-ins.ts";
import { type Observer, type Sighting, type Step, show } from "./steps.ts";
import { StoredRecords } from "./stored-records.ts";
import { TrueResources } from "./true-resources.ts";
import { Unseen } from "./unseen.ts";
import { wrongPlace } from "./words.ts";

/** What can be compared with a declaration. */
type Actual = Pick<ResourceTruth, "tags" | "parameters">;
/** Anything of a live system. */
type Within = Pick<StoredComponent, "liveSystemId" | "settled" | "appliedItems">;

/** What several rules know about the world. What only one rule needs, it remembers itself. */
export class Evidence {
  readonly world: JudgedWorld;
  readonly clouds: ReadonlyMap<string, JudgedCloud>;
  readonly declarations = new WantedHistory();
  readonly acceptances = new Acceptances(this.declarations);
  readonly editions: Editions;
  readonly stored = new StoredRecords();
  readonly resources = new TrueResources();
  readonly sightings = new Sightings();
  readonly sends = new Sends({ holderOf: (provider, resourceId) => this.stored.holderOf(provider, resourceId) });
  readonly unseen: Unseen;
  readonly standIns: StandIns;
  readonly convergence: Convergence;
  readonly #secrets = new Map<string, string | null>();
  readonly #parts: readonly Observer[];

  constructor(world: JudgedWorld) {
    this.world = world;
    this.clouds = new Map(world.clouds.map((cloud) => [cloud.provider, cloud]));
    this.editions = new Editions((component) => this.cloudOf(component));
    const { stored, sends, sightings, declarations } = this;
    const componentsOf = (id: string) => stored.componentsOf(id);
    this.unseen = new Unseen({
      ...{ clouds: world.clouds, sends, sightings },
      isThere: (component) => this.truthOf(component) !== null,
    });
    this.standIns = new StandIns({
      componentsOf,
      isHeld: (id) => (stored.components.get(id)?.record.status ?? "Active") !== "Active",
      lastDeclared: ({ liveSystemId, path }) => declarations.last(liveSystemId, path),
    });
    this.convergence = new Convergence({
      componentsOf,
      holderOf: (provider, resourceId) => stored.holderOf(provider, resourceId),
      isAsDeclared: (component) => this.#isAsDeclared(component),
    });
    const own: Observer = {
      observes: {
        secret: ({ name, value }) => void this.#secrets.set(name, value),
      },
    };
    const { standIns, unseen, resources, acceptances, editions, convergence } = this;
    // The first two need the state before a step, the last the state after it.
    this.#parts = [
      standIns,
      unseen,
      declarations,
      acceptances,
      editions,
      stored,
      resources,
      sightings,
      sends,
      own,
      convergence,
    ];
  }

  /** Observes a step. */
  observe(step: Step): void {
    for (const part of this.#parts) show(part, step);
  }

  /** A cloud unknown to the judge is a fault elsewhere; here, nothing is known about it. */
  cloudOf({ provider }: Pick<StoredComponent, "provider">): JudgedCloud {
    const bindingsOf = () => ({ properties: "mask", tags: "mask" }) as const;
    const plain = { caselessTagKeys: false, tagParameter: "tags", isTaggable: () => true, setsOf: () => [] };
    return this.clouds.get(provider) ?? { provider, bindingsOf, ...plain };
  }

  /** The actual resource of a component. */
  truthOf({ provider, resource }: StoredComponent): ResourceTruth | null {
    return this.resources.at(provider, resource.id);
  }

  /** What a component's resource is called when it is read: its ID, or the intent by which it is looked for and what that finds. */
  namesOf({ resource, intent }: StoredComponent): readonly (string | null)[] {
    return [resource.id, intent, ...this.resources.madeWith(intent)];
  }

  /** What a process saw of a tag owner when it decided about a component: all since it read that, or the last before. Others may have read it too. */
  answersOf(tagOwner: StoredComponent, component: StoredComponent, process: string): readonly Sighting[] {
    const since = this.sightings.of(process, this.namesOf(component)).at(-1)?.order ?? 0;
    const seen = this.sightings.of(process, this.namesOf(tagOwner));
    const later = seen.filter(({ order }) => order > since);
    return later.length > 0 ? later : seen.slice(-1);
  }

  /** Every component that is stored. */
  components(): readonly StoredComponent[] {
    return [...this.stored.components.values()].map(({ record }) => record);
  }

  sibling(liveSystemId: string, path: string): StoredComponent | null {
    return this.stored.components.get(`${liveSystemId}/${path}`.toLowerCase())?.record ?? null;
  }

  /** The current declaration of a component; `null` if there is none. */
  declared({ liveSystemId, path }: StoredComponent): Wanted | null {
    return this.declarations.newest(liveSystemId, path);
  }

  /** Whether an Active component goes by the tags of another one, and its own tags count for nothing. */
  isGoverned(component: StoredComponent): boolean {
    if (component.status !== "Active") return false;
    const declared = this.declared(component) ?? this.declarations.last(component.liveSystemId, component.path);
    return declared?.overrideWith != null || component.governedBy != null;
  }

  /** The declarations of a component in force at any time since a position, newest last. */
  declaredSince({ liveSystemId, path }: StoredComponent, order: number): readonly Wanted[] {
    return this.declarations.inForceSince(liveSystemId, path, order);
  }

  /** The values of references, by the outputs last read. */
  asStored({ liveSystemId }: Within): Meaning {
    return (reference) => {
      if (reference.kind === "secret") return this.#secrets.get(reference.name) ?? undefined;
      return this.sibling(liveSystemId, reference.path)?.observed.outputs[reference.output];
    };
  }

  /** The values of references, by the actual resources. */
  asTrue({ liveSystemId }: Within): Meaning {
    return (reference) => {
      if (reference.kind === "secret") return this.#secrets.get(reference.name) ?? undefined;
      const other = this.sibling(liveSystemId, reference.path);
      const there = other && this.truthOf(other);
      if (!there) return undefined;
      if (reference.output === "id") return there.resourceId;
      if (reference.output === "name") return there.resourceId.split("/").at(-1);
      const value = there.parameters[reference.output];
      return typeof value === "object" ? undefined : value;
    };
  }

  /** How a declaration and a resource differ. */
  compared(declared: Wanted, actual: Actual, component: Within, lookup = this.asTrue(component)): Compared {
    return comparedWith(declared, actual, this.cloudOf(declared), { lookup, ...component });
  }

  /** The names that certainly differ; those with references depend on what a read saw. */
  certain(declared: Wanted, actual: Actual, component: Within): string[] {
    const { names } = this.compared(declared, actual, component);
    return names.filter((name) => referencesOf(declared.parameters?.[name]).length === 0);
  }

  #isAsDeclared(component: StoredComponent): boolean {
    const [declared, there] = [this.declared(component), this.truthOf(component)];
    if (declared === null || there === null || there.failed !== undefined) return false;
    if (this.certain(declared, there, component).length > 0) return false;
    return wrongPlace(component, declared, there, this) === null;
  }
}
