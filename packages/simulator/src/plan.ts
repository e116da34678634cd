import type { Settings } from "@liveplane/core";
import type { Binding } from "@liveplane/core/clouds";
import type { Habit } from "./habits.ts";

/** An event in the world: what people do, which calls fail, what ends a process. */
export type Deed =
  | {
      readonly kind: "tag";
      readonly component: string;
      readonly key: ProtocolTag | NoteTag | OddTag["key"];
      readonly value: string | null;
    }
  | { readonly kind: "hand-back"; readonly component: string }
  | { readonly kind: "edit"; readonly component: string; readonly parameter: string; readonly value: number }
  /** The cloud or a person changes the form of a worded place. Without a member, `value` picks one. */
  | {
      readonly kind: "reword";
      readonly component: string;
      readonly by: "cloud" | "person";
      readonly value: number;
      readonly member?: Habit;
    }
  /** A person changes a worded place right after the component's next update sends it, before anybody can read the result. */
  | { readonly kind: "trail"; readonly component: string; readonly value: number }
  /** A person takes over right after the component's next update is sent; then its answer is lost, or the next read fails. */
  | {
      readonly kind: "cross";
      readonly component: string;
      readonly then: "lose-answer" | "fail-read" | "nothing";
      /** The person changes one of the written places as well. */
      readonly edits?: true;
    }
  | SlipDeed
  /** Right after a component's record was read from the store for the nth time from now, this happens. */
  | { readonly kind: "peek"; readonly component: string; readonly nth: number; readonly deed: Deed }
  /** Right after a component is made or written, a person takes it over or puts another resource in its place. */
  | { readonly kind: "follow"; readonly component: string; readonly then: "take-over" | "replace" }
  /** A program undoes this many corrections of a component, and changes another place after the last one. */
  | { readonly kind: "fight"; readonly component: string; readonly times: number }
  /** A person accepts what the cloud shows there, or forgets what is known. */
  | { readonly kind: "accept" | "forget"; readonly component: string }
  | { readonly kind: "restore"; readonly component: string }
  | { readonly kind: "remove"; readonly component: string }
  | { readonly kind: "recreate"; readonly component: string; readonly tags: number }
  | { readonly kind: "deploy"; readonly variant: Variant }
  | { readonly kind: "delete" }
  /** Another live system names a component's resource as its own. */
  | { readonly kind: "claim"; readonly component: string }
  /** The environment's secret gets a new value or, with `null`, is deleted. */
  | { readonly kind: "rotate"; readonly value: number | null }
  | {
      readonly kind: "check" | "plan" | "annotate";
      readonly component: string;
      readonly reason?: string;
      /** Whoever annotates wants to be reminded after this time. */
      readonly remindInMs?: number;
    }
  | { readonly kind: "cloud-fault"; readonly cloud: number; readonly call: CloudCallKind; readonly fault: CloudFault }
  /** The next writes of a cloud are accepted and take time. */
  | { readonly kind: "slow"; readonly cloud: number; readonly writes: SlowWrites }
  | { readonly kind: "store-fault"; readonly fault: StoreFault }
  | { readonly kind: "credentials"; readonly cloud: number; readonly there: boolean }
  | { readonly kind: "clock"; readonly process: number; readonly ms: number }
  | { readonly kind: "crash"; readonly process: number; readonly afterCalls: number; readonly downMs: number }
  | { readonly kind: "restart"; readonly process: number }
  /** A process stands still for a while and goes on: after some more calls, or right after it has claimed a component. */
  | { readonly kind: "pause"; readonly process: number; readonly after: number | "claim"; readonly ms: number }
  | ExistingDeed;

/** Something happens right after the component is claimed for a write, before that is sent. */
export interface SlipDeed {
  readonly kind: "slip";
  readonly component: string;
  /**
   * A person withdraws the request, takes over, replaces or edits the resource, notes why it was taken over, or deletes the live system; the
   * process dies; the tag owner is taken over, checked and given back while the process reads slowly; or the cloud is busy at the next read.
   */
  readonly then: "withdraw" | "take-over" | "replace" | "edit" | "delete" | "crash" | "owner" | "note" | "busy";
  /** @default a correction */
  readonly at?: "correct" | "create" | "removeReconcileTag" | "remove" | "any";
}

/** What happens to a resource that exists before any declaration names it. */
export interface ExistingDeed {
  readonly kind: "existing";
  readonly cloud: number;
  /** Which of the cloud's existing resources. */
  readonly nth: number;
  /**
   * A person makes it, changes it, sets its management tag to the value of `tag` or deletes it; a live system of its own declares it
   * exactly, or is deleted.
   */
  readonly what: "make" | "edit" | "tag" | "remove" | "adopt" | "release";
  readonly size: number;
  readonly tag: string | null;
}

/** The two tags of the protocol. */
export type ProtocolTag = "managed-by" | "platform";
/** A tag of the protocol in another spelling. Only clouds that ignore case take a differently spelled key for it. */
export interface OddTag {
  readonly key: ProtocolTag | "Managed-By" | "MANAGED-BY" | "Platform" | "Platform-Reason";
  readonly value: string;
}
/** The tags by which people say why they take over. */
export type NoteTag = "platform-reason" | "platform-owner" | "platform-until";

/** One possible declaration. */
export interface Variant {
  /** The declared components, of those that may be left out. */
  readonly declared: readonly string[];
  readonly size: number;
  readonly level: number;
  readonly retained: boolean;
  /** Changes of `/scale` are ignored. */
  readonly ignored?: boolean;
  /** Unbound writes are allowed. */
  readonly unconditional?: boolean;
  /** The components that have their other name. */
  readonly renamed?: readonly string[];
  /** Renamed components aren't declared as moved. */
  readonly unsaid?: boolean;
  /** What goes by the tags of a network goes by those of the second one. */
  readonly otherOwner?: boolean;
  /** Apps have a password of their own instead of the environment's secret. */
  readonly plain?: boolean;
  /**
   * What becomes of the paths of each cloud's two networks: they swap them; or the second gets a third path, the first gets the second's, and
   * a new one the first's.
   */
  readonly twins?: "swap" | "chain";
}

/** The calls that a fault affects. */
export type CloudCallKind = "read" | "bulk" | "write" | "removeTag" | "find" | "log";

/**
 * The result of the next calls: how many fail, are refused, succeed without an answer, are late, or succeed only after their sender gave up; or
 * the resource is shown as being worked on, or a write is refused because it is.
 */
export interface CloudFault {
  readonly what: "fail" | "reject" | "throttle" | "lose-answer" | "late" | "straggle" | "busy" | "conflict";
  readonly times: number;
}

/** The next slow writes: how many, how long, and how they end. */
export interface SlowWrites {
  readonly takesMs: number;
  readonly times: number;
  /** `done`; or failed, which the resource shows (`marked`), or only the operation (`unmarked`). */
  readonly ends: "done" | "marked" | "unmarked";
  /** Nobody sees a new resource until it is done. */
  readonly hidden: boolean;
}

/** The result of the next commits. */
export interface StoreFault {
  readonly what: "fail" | "lose-answer" | "late";
  readonly times: number;
}

/** What differs between worlds and stays the same within one. */
export interface WorldFacts {
  /** Two processes share the store; one owns it alone. */
  readonly processes: 1 | 2;
  readonly restoredTag: Settings["restoredTag"];
  readonly clouds: readonly CloudVariation[];
  /** The processes share the shards, under leases that end. Absent: each works on all. */
  readonly leases?: true;
  /** Apps go by the tags of their networks too. */
  readonly governsApps?: true;
  /** Networks need the rules that go by their tags, or the rules need apps. */
  readonly order?: "owners-last" | "members-last";
  /** The parameters whose drift raises no reminders. */
  readonly muted?: readonly string[];
  /** Each cloud has a second network like the first. */
  readonly twins?: true;
  /** Variants that ignore changes of some places of an app ignore one of its references too. */
  readonly ignoresReference?: true;
  /** Apps have a list of items with names. */
  readonly items?: true;
  /** Pointers of the lists in apps that may hold more items than are declared. */
  readonly extras?: readonly string[];
  /** How long a deploy waits for a cloud that is working, and for one that fails. @default as long as ever */
  readonly waits?: { readonly workingSeconds: number; readonly failingSeconds: number };
  /** Another environment has resources in the same scopes, and other credentials of the same name. */
  readonly neighbours?: true;
}

/** What clouds can and can't do. */
export interface CloudVariation {
  readonly conditionalWrites: boolean;
  readonly choosesIds: boolean;
  readonly identities: boolean;
  /** How far bulk reads lag behind. */
  readonly lagMs: number;
  /** How long a direct read doesn't show a new resource. */
  readonly lateMs?: number;
  /** How it treats apps' values: each habit has a place in their declaration. @default values are shown as sent */
  readonly habits?: readonly Habit[];
  /** Writes are answered without the resource, so only reads show their result. */
  readonly answersEmpty?: boolean;
  /** It never shows the password of an app. */
  readonly hidesPassword?: true;
  /** It shows nothing of a resource that it gave up. */
  readonly hidesFailed?: true;
  /** How long it asks to be left alone about a slow write. @default a tenth of the write's time */
  readonly pollMs?: number;
  /** It has an activity log, which shows a change after this time. @default none */
  readonly logMs?: number;
  /** How the writes of the declared types are bound. @default by etag with `conditionalWrites`, otherwise by mask */
  readonly bindings?: Readonly<Record<DeclaredKind, Binding>>;
  /** How the tags of these kinds are bound, where not like their properties. */
  readonly tagBindings?: Partial<Readonly<Record<DeclaredKind, Binding>>>;
  /** Every third read shows no etag. */
  readonly forgetsEtags?: true;
  /** How many characters it says before it repeats a secret. @default 0 */
  readonly longWords?: number;
  /** A running operation has a new address after each look at it, and its former addresses end. */
  readonly movesOperations?: true;
}

/** The kinds declared in each cloud. */
export type DeclaredKind = "net" | "app" | "rule";

/** A whole simulation: nothing else influences it. */
export interface SimulationPlan {
  readonly seed: number;
  readonly world: WorldFacts;
  readonly deeds: readonly { readonly at: number; readonly deed: Deed }[];
}
