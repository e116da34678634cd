import type { Binding, Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";

/** What the judge knows of a cloud: facts, and none of its code. */
export interface JudgedCloud {
  readonly provider: string;
  /** What binds the writes of a type to what was read. */
  readonly bindingsOf: (type: string) => { readonly properties: Binding; readonly tags: Binding };
  readonly caselessTagKeys: boolean;
  /** The parameter that declares tags. */
  readonly tagParameter: string;
  /** Can resources of the type carry tags? */
  readonly isTaggable: (type: string) => boolean;
  /** Pointers of arrays whose order means nothing. */
  readonly setsOf: (type: string) => readonly string[];
  /** Places at which it shows values in its own words. @default it shows what it was sent */
  readonly words?: CloudWords;
}

/** What a cloud makes of values that writes send. */
export interface CloudWords {
  /** The parameter that holds such places. */
  readonly parameter: string;
  /** Its members that are such places. */
  readonly members: readonly string[];
  /** All that it may show for a value that it has taken; `null`: nothing. Empty: it takes none, or shows none. */
  readonly forms: (member: string, sent: Json) => readonly Json[];
}

/** What stays the same while a world lasts. */
export interface JudgedWorld {
  readonly clouds: readonly JudgedCloud[];
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  /** Several processes share the store: claims of others keep a process off for so long. `null`: one has it to itself. */
  readonly claimMs: number | null;
  /** Milliseconds since the world began, by nobody's clock. */
  readonly now: () => number;
}

/** A resource as it is, whoever looks. */
export interface ResourceTruth {
  readonly resourceId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly identity?: string;
  /** What it says itself of its last write, where the cloud gave that up and can be asked again: it isn't as declared, whatever it looks like. */
  readonly failed?: object;
}

/** A change that was made to a resource, at the instant when it was. */
export interface ResourceChanged {
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: ResourceTruth | null;
  readonly after: (ResourceTruth & { readonly intent?: string | null }) | null;
  /** The places that it sent, of those that the cloud shows in its own words. */
  readonly sent?: readonly string[];
}

/** What became of a resource when a write came to its end that its cloud had accepted. */
export interface Landed extends ResourceChanged {
  /** The cloud gave it up. */
  readonly failed: boolean;
}

/** An event as it is committed. */
export interface ToldEvent {
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly [name: string]: Json | undefined };
}

/** A declaration as somebody sent it. */
export interface SentDefinition {
  readonly components: readonly SentComponent[];
}

/** One component of it. */
export interface SentComponent {
  readonly path: string;
  readonly provider: string;
  readonly type: string;
  readonly resourceId?: string | null;
  readonly parameters?: Readonly<Record<string, Json>> | null;
  readonly dependsOn?: readonly string[] | null;
  readonly overrideWith?: string | null;
  readonly muteDrift?: readonly string[] | null;
  readonly deletionPolicy?: "Delete" | "Retain" | null;
  readonly ignoreChanges?: readonly string[] | null;
  readonly movedFrom?: string | null;
  readonly unconditionalWrites?: boolean | null;
}

/** A component as the judge sees it declared. */
export interface Wanted extends SentComponent {
  /** What it depends on, declared or implied by a reference. */
  readonly needs: readonly string[];
}

/** All that a judge is told. Plain data, in the order in which it happens. */
export type Fact =
  /** Somebody asks for a deploy, or with no definition for a delete. Whether it is accepted, the commits tell. */
  | {
      readonly kind: "asked";
      readonly requestId: string;
      readonly definition: SentDefinition | null;
    }
  /** A process read a resource directly, or looked for one by the intent under which it was made. */
  | { readonly kind: "read"; readonly process: string; readonly name: string; readonly reading: Reading }
  /** A change of a resource leaves a process. */
  | {
      readonly kind: "sent";
      readonly process: string;
      readonly provider: string;
      readonly operation: ResourceChanged["operation"];
      readonly resourceId: string;
    }
  /** Its process was answered: it was made, or not (it was only begun, too), or nobody knows. */
  | {
      readonly kind: "answered";
      readonly process: string;
      readonly provider: string;
      readonly resourceId: string;
      readonly made: boolean;
    }
  /** A process is no more: what it sent may still arrive. */
  | { readonly kind: "died"; readonly process: string }
  /** A resource changed; by `null` where a person did it. */
  | {
      readonly kind: "changed";
      readonly process: string | null;
      readonly provider: string;
      readonly change: ResourceChanged;
    }
  /** A write that a cloud had accepted has come to its end, well or not. */
  | { readonly kind: "landed"; readonly provider: string; readonly change: Landed }
  /** A process read a record. */
  | { readonly kind: "fetched"; readonly process: string; readonly key: readonly string[] }
  /** A process stored something. */
  | {
      readonly kind: "committed";
      readonly process: string;
      readonly sets: readonly { readonly key: readonly string[]; readonly value: Json }[];
      readonly deletes: readonly (readonly string[])[];
      readonly events: readonly ToldEvent[];
    }
  /** A secret of the environment has a value now; `null`: it is gone. */
  | { readonly kind: "secret"; readonly name: string; readonly value: string | null }
  /** People were shown a live system and its components while nothing moved. */
  | { readonly kind: "shown"; readonly system: ShownLiveSystem; readonly components: readonly ShownComponent[] }
  /** Something was logged as a warning or an error. */
  | { readonly kind: "logged"; readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

/** What the judge reads of a stored component: as little as it can. */
export interface StoredComponent {
  readonly liveSystemId: string;
  readonly path: string;
  readonly provider: string;
  readonly type: string;
  readonly status: "Active" | "ManualOverride" | "ReconcileRequested";
  readonly lost: boolean;
  readonly leaving: boolean;
  readonly provisioned: boolean;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly overrideWith: string | null;
  /** The component by whose tags it goes. */
  readonly governedBy?: string | null;
  readonly deletionPolicy: "Delete" | "Retain";
  readonly resource: { readonly id: string | null };
  readonly intent: string | null;
  readonly request: { readonly id: string; readonly reconciled: boolean } | null;
  readonly override: StoredOverride | null;
  readonly observed: {
    readonly outputs: Readonly<Record<string, Json>>;
    readonly drift: Readonly<Record<string, ShownSides>>;
    readonly fingerprint?: string;
    readonly changes?: readonly { readonly pointer: string }[];
    readonly ignored?: Readonly<Record<string, ShownSides>>;
  };
  /** What is known of places that its cloud shows in its own words. */
  readonly settled?: Readonly<Record<string, StoredWitness>>;
  readonly conditions: Readonly<
    Record<
      "readable" | "exists" | "inSync",
      { readonly value: boolean | null; readonly reason: string; readonly message: string }
    >
  >;
  readonly step: { readonly mutationId: string; readonly state: string } | null;
  readonly operation?: { readonly kind: string } | null;
  readonly work: { readonly id: string; readonly worker: string } | null;
  readonly lastWriteAt: string | null;
  readonly updatedBy: string;
}

/** What it reads of the evidence that a form is a value in its cloud's own words. */
export interface StoredWitness {
  readonly form: Json;
  readonly by: "write" | "spelling" | "person";
  readonly at: string;
}

/** What is declared of something, and what is there. */
interface ShownSides {
  readonly declared: Json;
  readonly actual: Json;
}

/** What it reads of an override in force. */
interface StoredOverride {
  readonly episodeId: string;
  readonly since: string;
  readonly awaiting: string | null;
  readonly said?: SaidOfOverride | null;
  /** Absent: the cloud wasn't asked yet. */
  readonly takenOverBy?: unknown;
}

/** What somebody said of an override where they began it. */
export interface SaidOfOverride {
  readonly reason: string | null;
  readonly owner: string | null;
  readonly until: string | null;
}

/** What it reads of a live system that somebody is shown. */
export interface ShownLiveSystem {
  readonly id: string;
  readonly lastMutation: Pick<StoredMutation, "id" | "kind" | "status" | "error"> | null;
}

/** What it reads of a component that somebody is shown. */
export interface ShownComponent extends Pick<StoredComponent, "status" | "leaving" | "conditions"> {
  readonly id: string;
  readonly outputFields: Readonly<Record<string, Json>>;
  readonly ignored: Readonly<Record<string, ShownSides>>;
  readonly override: StoredOverride | null;
}

/** What it reads of a stored mutation. */
export interface StoredMutation {
  readonly id: string;
  readonly liveSystemId: string;
  readonly kind: "Deploy" | "Delete";
  readonly status: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly requestId: string;
  readonly released: readonly string[];
  readonly held: readonly string[];
  readonly error: { readonly code: string; readonly componentId: string | null } | null;
}

/** What it reads of a line of the ledger. */
export interface StoredEpisode {
  readonly id: string;
  readonly liveSystemId: string;
  readonly path: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly start: {
    readonly declared: Readonly<Record<string, Json>>;
    readonly actual: Readonly<Record<string, Json>>;
  };
  readonly end: { readonly actual: Readonly<Record<string, Json>> } | null;
}

/** What must hold always; the names under which a judge says that it didn't. */
export type Invariant =
  | "no-write-while-handed-over"
  | "management-tag-set-at-creation-only"
  | "reconcile-tag-removed-when-verified-only"
  | "drift-as-last-read"
  | "override-moves-as-seen"
  | "shown-as-last-read"
  | "left-to-the-cloud"
  | "override-says-what-was-said"
  | "last-mutation-shown"
  | "writes-what-is-declared"
  | "writes-what-is-bound"
  | "moves-as-declared"
  | "made-in-order"
  | "deletes-what-was-asked"
  | "events-tell-each-status"
  | "events-tell-what-was-done"
  | "ledger-tells-each-override"
  | "mutations-end-as-they-went"
  | "plans-come-true"
  | "one-worker-at-a-time"
  | "each-resource-made-once"
  | "one-resource-one-component"
  | "clean-hand-back-writes-nothing"
  | "nothing-out-of-sight"
  | "secrets-never-show"
  | "comes-to-rest"
  | "own-writes-settle"
  | "ignored-is-not-in-sync"
  | "at-rest-as-declared"
  | "at-rest-nothing-is-written"
  | "ends-as-if-nobody-crashed"
  | "failures-have-codes";

/** The first thing that didn't hold. */
export interface Broken {
  readonly invariant: Invariant;
  readonly detail: string;
}
