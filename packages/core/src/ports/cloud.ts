import type { CallSort, CloudCapabilities, RemainingCalls } from "./cloud-capabilities.ts";
import type { ResourceType, TypeDescription } from "./resource-type.ts";
import type { SecretValue } from "./secret-value.ts";
import type { Json } from "./store.ts";

/** Where resources of an environment go: a subscription or project, and a region in it. */
export interface CloudTarget {
  readonly scope: string;
  readonly region: string;
  readonly tenantId?: string;
  /** What an initialization made to hold the resources, where the cloud has such a thing: a resource group. */
  readonly container?: string;
  /** Where in the region what lies in a zone goes, as an initialization found it out. */
  readonly zone?: string;
  /** The only location in the scope whose resources count. @default all */
  readonly location?: string;
}

/**
 * What somebody proves themselves with. `name` and `secret` as the cloud has them; a `clientAssertion` is a signed statement in the place of
 * a client's secret; a `federatedToken` is another identity provider's, which the cloud knows under `name`; a `delegated` one came from a
 * person's sign-in.
 */
export interface CloudCredentials {
  readonly kind:
    | "servicePrincipal"
    | "clientAssertion"
    | "serviceAccountKey"
    | "federatedToken"
    | "delegated"
    | "workload";
  readonly name: string | null;
  /** Of a `federatedToken`: the e-mail address of the service account to act as. Absent: the federated identity acts itself. */
  readonly impersonates?: string;
  readonly secret: SecretValue | null;
}

/** What every call takes. `workload` credentials are the adapter's own. */
export interface CloudCall {
  readonly credentials: CloudCredentials;
  readonly signal?: AbortSignal;
}

/** A place that a cloud offers. */
export interface CloudLocation {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly geography: string | null;
}

/** A resource in a cloud, by the cloud's own id. */
export interface ResourceRef {
  readonly type: string;
  readonly resourceId: string;
}

/**
 * An id as the cloud writes it, with the name that resources of its type are made under; or why it is none, and whether already its
 * type makes none.
 */
export type ParsedResourceId =
  | { readonly id: string; readonly name: string }
  | { readonly refused: "type" | "resourceId"; readonly detail: string };

/** A place within a cloud that an ID names. */
export interface ParsedScope extends Pick<CloudTarget, "scope" | "container" | "location"> {
  readonly id: string;
}

/** What a read returned of a resource. */
export interface SeenResource {
  /** Changes when the resource is deleted and made again under the same id. Absent where the cloud has none. */
  readonly identity?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly outputs: Readonly<Record<string, Json>>;
  /** What a write can be bound to. Absent where the cloud has no conditional writes for this resource. */
  readonly etag?: string;
}

/** A resource as a cloud lists it. */
export interface ListedResource extends ResourceRef {
  readonly name: string;
  readonly location: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** What manages it, where the cloud itself records that: the ID of another resource. */
  readonly managedBy?: string;
}

/** One page of a list of resources. */
export interface ListedResources {
  readonly items: readonly ListedResource[];
  /** Where the next page begins; `null`: this was the last. */
  readonly next: string | null;
  /** What may be missing because the credentials can't see it, a sentence each. @default none */
  readonly warnings?: readonly string[];
}

/** A cloud's own words for what went wrong. Adapters put them in an error's `details` as `providerCode` and so on. */
export interface ProviderFailure {
  readonly code: string;
  readonly message: string;
  /** What the vendor's support asks for. */
  readonly requestId?: string;
}

/**
 * What a direct or bulk read saw. Unreadable is a value: it never means that something is missing or untagged. `working`: the cloud has
 * accepted a write, anyone's, and isn't done: a state in transition, or a 404 of what is being made. `failed`: it gave up, and the
 * resource says so. Both carry the resource only where the read returned it: absent means that its tags are unknown.
 */
export type Reading =
  | ({ readonly state: "present" } & SeenResource)
  | { readonly state: "missing" }
  | {
      readonly state: "working";
      readonly resource?: SeenResource;
      /** An instant, where the cloud says since when. */
      readonly since?: string;
      /** Percent, where the cloud says how far it is. */
      readonly progress?: number;
      /** How long the cloud asks to be left alone. */
      readonly pollAfterMs?: number;
    }
  | ({
      readonly state: "failed";
      readonly resource?: SeenResource;
      /** No write tries it again: what differs in nothing is left as it is. @default false */
      readonly isFinal?: boolean;
    } & ProviderFailure)
  | { readonly state: "unreadable"; readonly reason: string; readonly retryAfterMs?: number };

/** A write that a cloud has accepted and not finished. Whoever has its address can follow it, in any process. */
export interface CloudOperation {
  /** The adapter's own; opaque to all others. It is kept sealed, never logged, and MUST be judged again before it is called. */
  readonly address: string;
  /** How long the cloud asks to be left alone. */
  readonly pollAfterMs?: number;
}

/** What an operation has come to. `gone`: the cloud knows it no more, and only the resource can tell how it ended. */
export type OperationReading =
  | { readonly state: "working"; readonly progress?: number; readonly pollAfterMs?: number; readonly address?: string }
  /** `shown`: the resource as the operation's own result shows it, where it has one. */
  | { readonly state: "done"; readonly shown?: SeenResource }
  | ({ readonly state: "failed" } & ProviderFailure)
  | { readonly state: "gone" }
  | { readonly state: "unreadable"; readonly reason: string; readonly retryAfterMs?: number };

/** A write's answer. Without an operation it is done. */
export interface Written {
  readonly operation?: CloudOperation;
  /**
   * The resource as the write's own, final answer shows it. It MUST come from that answer: a read may show what somebody else has done
   * since. Without it, nothing but a difference of spelling is learned from the write. @default none
   */
  readonly shown?: SeenResource;
}

/** A creation's answer. With an operation the resource may not be there yet. */
export interface Created extends Written {
  readonly resourceId: string;
}

/** A new resource. `resourceId` as `resourceIdFor` gave it; `intent` finds it again when the answer is lost. */
export interface NewResource {
  readonly type: string;
  readonly name: string;
  readonly resourceId: string | null;
  readonly target: CloudTarget;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly intent: string;
}

/**
 * A correction: parameters by JSON Pointer below `parameters`, tags key by key. What isn't named stays. A step into a list may name its item by
 * a key: `/subnets/name=web/prefix`. There `null` removes the item, and an item that isn't there is added; `withValuesAt` knows both.
 */
export interface ResourceChange {
  readonly parameters: readonly { readonly pointer: string; readonly value: Json }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** Somebody who changed a resource, as the cloud's own record has them. */
export interface ResourceChanger {
  /** What they are called there: a person's address, the id of a service. */
  readonly name: string;
  readonly at: string;
  /** In the cloud's words. */
  readonly operation: string;
}

/** Under which condition a write may happen: the resource is still what was read. */
export interface WriteCondition {
  readonly etag?: string;
}

/** One step of an initialization, as planned. */
export interface StepPlan {
  readonly name: string;
  readonly description: string;
  readonly resourceName: string | null;
  readonly resourceType: string | null;
}

/** What an initialization works on. `name` is made from the environment's id and is the same at every attempt. */
export interface InitializationRequest {
  readonly name: string;
  readonly target: CloudTarget;
  readonly tags: Readonly<Record<string, string>>;
  /** Outputs of the steps that are completed, by step name. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/**
 * A cloud. Every failure is a `LiveplaneError` with code `ProviderError`, `ProviderTimeout`, `RateLimited` or
 * `ProviderCredentialsRejected`, with `retryable` set, and `details.retryAfterSeconds` where the cloud said so. When a write's
 * answer was lost `details.outcome` is `"unknown"`: it may have been made. No vendor error, no credential comes out of here.
 */
export interface Cloud {
  /** `provider-a` or `provider-b`, which environments are initialized in; or a name of the host's, which says where resources go. */
  readonly provider: string;
  readonly capabilities: CloudCapabilities;
  /** The facts of a type. An unknown type is a plain taggable one. */
  resourceType(type: string): ResourceType;
  /**
   * Says of types, in order, whether resources of them can be made: what `resourceType` knows it says without asking anybody, and asks the
   * cloud for what it lacks. A deploy asks once, for the components that are new. Throws as the others do where the cloud couldn't be asked.
   * Absent: every type that makes an id can be made.
   */
  describeTypes?(types: readonly string[], target: CloudTarget, call: CloudCall): Promise<readonly TypeDescription[]>;
  /** The id that a resource of this name will have; `null` when the cloud chooses ids itself. Pure. */
  resourceIdFor(type: string, name: string, target: CloudTarget): string | null;
  /** The type of the resource that an id names, with the spelling of `resourceType`; `null`: unknown. Pure. Absent: ids don't tell. */
  typeOf?(resourceId: string): string | null;
  /**
   * Judges an id that somebody declared, before anything is done with it. MUST refuse what isn't of this type, what lies outside of the
   * target (the container where there is one, else the scope), and whatever could be read as another path or address: empty segments,
   * `.` and `..`, a slash at the end, `?`, `#`, `%`, `\`, spaces and control characters. All ways to write the id of one resource MUST
   * come out as one; where the cloud ignores case, names may keep theirs, for ids are claimed without case. Ids of `resourceIdFor` come
   * out as they are, with their name. A type that makes no id is told before the id. Says nothing of what is there. Pure.
   */
  parseResourceId(type: string, id: string, target: CloudTarget): ParsedResourceId;
  /**
   * The place that the ID of a resource group, subscription, project or location names, with its canonical ID; `null`: it names none here.
   * `parseResourceId` and `discover` MUST take it as part of a target. Pure. Absent: environments can't have `resourceScopes` in this cloud.
   */
  parseScope?(id: string): ParsedScope | null;
  /** Throws `ProviderError` unless the credentials may read and tag resources in a target. Absent: it can't be checked. */
  checkRights?(target: CloudTarget, call: CloudCall): Promise<void>;
  /** What a throttle counts: reads and writes of one scope slow each other, not those of another. Pure. */
  throttleScope(resourceId: string): string;

  /**
   * How many calls of a sort the scope of this resource takes at the moment, as the cloud said with its last answer; `null`: it hasn't. Asks
   * nobody. Whoever else calls in that scope is counted in. Absent: the cloud says nothing of it before it refuses.
   */
  remaining?(resourceId: string, sort: CallSort): RemainingCalls | null;

  /** The places of a scope (a subscription, a project) where resources can be created. */
  locations(scope: string, tenantId: string | null, call: CloudCall): Promise<CloudLocation[]>;

  /** The steps of the initialization of this name, in order. Pure. */
  initializationSteps(target: CloudTarget, name: string): readonly StepPlan[];
  /**
   * Does one step, idempotently: run twice it makes each thing once. Answers the step's outputs. A step that the cloud is still at MAY
   * throw with `details.outcome: "working"`, and `retryAfterSeconds`: it is run again then, and that counts as no failure.
   */
  runStep(step: string, request: InitializationRequest, call: CloudCall): Promise<Readonly<Record<string, Json>>>;

  /** Reads one resource, fresh from the source of truth. Never throws for what the cloud said: that is `unreadable`. */
  read(ref: ResourceRef, call: CloudCall): Promise<Reading>;
  /** Reads up to `bulkReadSize` in one call, in order. May be stale: it says only where to look. */
  readMany(refs: readonly ResourceRef[], call: CloudCall): Promise<Reading[]>;
  /**
   * Lists the resources of a target (the container where there is one, else the scope), about `limit` at a time, each exactly once.
   * `after` is the `next` of the page before, `null` for the first. Tags may lag behind. MUST list nothing outside of the target. Throws as
   * the others do. Absent: the cloud can't list.
   */
  discover?(
    target: CloudTarget,
    page: { readonly after: string | null; readonly limit: number },
    call: CloudCall,
  ): Promise<ListedResources>;
  /** Creates only: throws `AlreadyExists` when the id is taken, and changes nothing then. */
  create(resource: NewResource, call: CloudCall): Promise<Created>;
  /** The resource that was created under this intent, if any: for clouds that choose ids. One that knows them may answer `null`. */
  findCreated(intent: string, target: CloudTarget, call: CloudCall): Promise<ResourceRef | null>;
  /**
   * Changes what is named; a change that names nothing asks the cloud to carry out once more what it holds. Throws `PreconditionFailed`
   * when the etag moved, `NotFound` when it is gone, `InvalidState` while the cloud is at another write of the same resource.
   */
  update(ref: ResourceRef, change: ResourceChange, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /** Deletes; gone already is fine. Throws `PreconditionFailed` when the etag moved, `InvalidState` as `update` does. */
  remove(ref: ResourceRef, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /** Removes one tag by the cloud's own call for it, all else untouched; gone already is fine. Throws as `remove` does. */
  removeTag(ref: ResourceRef, key: string, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /**
   * What became of an operation that a write of this resource answered with; MAY be asked by any process, long afterwards, and again.
   * Never throws for what the cloud said: that is `unreadable`. Absent: the cloud's writes are done when they answer.
   */
  follow?(ref: ResourceRef, operation: Pick<CloudOperation, "address">, call: CloudCall): Promise<OperationReading>;
  /**
   * Who else than the caller changed a resource last between two instants: its tags, or where nobody did those anything of it; `null`: the
   * cloud's own record tells of nobody. One request. Throws as the others do where the record can't be read. Absent: it keeps none.
   */
  whoChanged?(
    ref: ResourceRef,
    within: { readonly since: string; readonly until: string },
    call: CloudCall,
  ): Promise<ResourceChanger | null>;
}
