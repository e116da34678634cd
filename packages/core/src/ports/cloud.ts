import type { JsonObject } from "../json-pointer.ts";
import type { CallSort, CloudCapabilities, RemainingCalls } from "./cloud-capabilities.ts";
import type { ParameterMistake, ResourceType, TypeDescription } from "./resource-type.ts";
import type { SecretValue } from "./secret-value.ts";
import type { Json } from "./store.ts";

/** Where an environment's resources go: a subscription or project, and a region in it. */
export interface CloudTarget {
  readonly scope: string;
  readonly region: string;
  readonly tenantId?: string;
  /** The container that an initialization created, if the cloud has such a thing: a resource group. */
  readonly container?: string;
  /** The zone for zonal resources, as the initialization determined it. */
  readonly zone?: string;
  /** The only location in the scope whose resources count. @default all */
  readonly location?: string;
}

/**
 * A credential. `name` and `secret` are in the cloud's terms; `clientAssertion` is a signed statement instead of a client's secret;
 * `federatedToken` comes from another identity provider that the cloud knows as `name`; `delegated` comes from a person's sign-in.
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
  /** For a `federatedToken`: the e-mail address of the service account to act as. Absent: the federated identity acts itself. */
  readonly impersonates?: string;
  readonly secret: SecretValue | null;
}

/** The options of every call. `workload` credentials are the adapter's own. */
export interface CloudCall {
  readonly credentials: CloudCredentials;
  readonly signal?: AbortSignal;
}

/** A location that a cloud offers. */
export interface CloudLocation {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly geography: string | null;
}

/** A resource in a cloud, by the cloud's own ID. */
export interface ResourceRef {
  readonly type: string;
  readonly resourceId: string;
}

/** A parsed ID in the cloud's spelling, with the name that creates it; or why it is invalid, and whether the type alone is the reason. */
export type ParsedResourceId =
  | { readonly id: string; readonly name: string }
  | { readonly refused: "type" | "resourceId"; readonly detail: string };

/** A place within a cloud that an ID names. */
export interface ParsedScope extends Pick<CloudTarget, "scope" | "container" | "location"> {
  readonly id: string;
}

/** What a read returned of a resource. */
export interface SeenResource {
  /** Changes when the resource is deleted and recreated under the same ID. Absent if the cloud has none. */
  readonly identity?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly outputs: Readonly<Record<string, Json>>;
  /** The etag for conditional writes. Absent if the cloud has none for this resource. */
  readonly etag?: string;
}

/** A resource as a cloud lists it. */
export interface ListedResource extends ResourceRef {
  readonly name: string;
  readonly location: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Its manager, if the cloud records one: the ID of another resource. */
  readonly managedBy?: string;
}

/** Which page of a list of resources is requested. */
export interface DiscoveryPage {
  readonly after: string | null;
  readonly limit: number;
  /**
   * Accepts the types of resources that are listed even if each parent costs a call, such as the containers of a storage account. It's the
   * same for all pages. @default none
   */
  readonly nested?: (type: string) => boolean;
}

/** One page of a list of resources. */
export interface ListedResources {
  readonly items: readonly ListedResource[];
  /** Where the next page begins; `null` for the last page. */
  readonly next: string | null;
  /** What may be missing because the credentials can't see it, a sentence each. @default none */
  readonly warnings?: readonly string[];
}

/** A cloud's own description of a failure. Adapters put it in an error's `details` as `providerCode` and so on. */
export interface ProviderFailure {
  readonly code: string;
  readonly message: string;
  /** The ID that the vendor's support asks for. */
  readonly requestId?: string;
}

/**
 * What a direct or bulk read saw. Unreadable is a value: it never means that something is missing or untagged. `working`: the cloud has
 * accepted a write, by anyone, and hasn't finished: a transitional state, or a 404 for a resource being created. `failed`: the cloud gave
 * up, and the resource says so. Both contain the resource only if the read returned it; absent means that its tags are unknown.
 */
export type Reading =
  | ({ readonly state: "present" } & SeenResource)
  | { readonly state: "missing" }
  | {
      readonly state: "working";
      readonly resource?: SeenResource;
      /** An instant, if the cloud says since when. */
      readonly since?: string;
      /** In percent, if the cloud tells its progress. */
      readonly progress?: number;
      /** How long the cloud asks to wait before the next poll. */
      readonly pollAfterMs?: number;
    }
  | ({
      readonly state: "failed";
      readonly resource?: SeenResource;
      /** A write won't retry it: a resource without differences is left as it is. @default false */
      readonly isFinal?: boolean;
    } & ProviderFailure)
  | { readonly state: "unreadable"; readonly reason: string; readonly retryAfterMs?: number };

/** A write that a cloud has accepted and not finished. Any process with its address can follow it. */
export interface CloudOperation {
  /**
   * Belongs to the adapter; opaque to everything else. It is stored sealed, never logged, and MUST be validated again before it is called.
   */
  readonly address: string;
  /** How long the cloud asks to wait before the next poll. */
  readonly pollAfterMs?: number;
}

/** The state of an operation. `gone`: the cloud no longer knows it, and only the resource can tell how it ended. */
export type OperationReading =
  | { readonly state: "working"; readonly progress?: number; readonly pollAfterMs?: number; readonly address?: string }
  /** `shown`: the resource in the operation's own result, if it has one. */
  | { readonly state: "done"; readonly shown?: SeenResource }
  | ({ readonly state: "failed" } & ProviderFailure)
  | { readonly state: "gone" }
  | { readonly state: "unreadable"; readonly reason: string; readonly retryAfterMs?: number };

/** A write's answer. Without an operation, the write is done. */
export interface Written {
  readonly operation?: CloudOperation;
  /**
   * The resource in the write's own, final answer. It MUST come from that answer, because a read may show somebody else's changes. Without
   * it, only differences of spelling are learned from the write.
   * @default none
   */
  readonly shown?: SeenResource;
}

/** A creation's answer. With an operation, the resource may not exist yet. */
export interface Created extends Written {
  readonly resourceId: string;
}

/** A resource to create. `resourceId` comes from `resourceIdFor`; `intent` finds the resource again if the answer is lost. */
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
 * A correction: parameters by JSON Pointer below `parameters`, tags key by key. Everything else stays. A step into a list may name an item
 * by key: `/subnets/name=web/prefix`. There `null` removes the item, and a missing item is added; `withValuesAt` does both.
 */
export interface ResourceChange {
  readonly parameters: readonly { readonly pointer: string; readonly value: Json }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** Who changed a resource, by the cloud's activity log. */
export interface ResourceChanger {
  /** Their name there: a person's address, or a service's ID. */
  readonly name: string;
  readonly at: string;
  /** In the cloud's words. */
  readonly operation: string;
}

/** The condition of a write: the resource is unchanged since it was read. */
export interface WriteCondition {
  readonly etag?: string;
  /** For parts that are bound by `test`: the write MUST itself check that the resource has this tag. Deletions don't have this condition. */
  readonly tag?: { readonly key: string; readonly value: string };
}

/** One step of an initialization, as planned. */
export interface StepPlan {
  readonly name: string;
  readonly description: string;
  readonly resourceName: string | null;
  readonly resourceType: string | null;
}

/** The input of an initialization step. `name` derives from the environment's ID and is the same in every attempt. */
export interface InitializationRequest {
  readonly name: string;
  readonly target: CloudTarget;
  readonly tags: Readonly<Record<string, string>>;
  /** Outputs of the completed steps, by step name. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/**
 * A cloud. Every failure is a `LiveplaneError` with code `ProviderError`, `ProviderTimeout`, `RateLimited` or
 * `ProviderCredentialsRejected`, with `retryable` set, and `details.retryAfterSeconds` if the cloud said so. If a write's answer was lost,
 * `details.outcome` is `"unknown"`: it may have been made. No vendor error and no credential may leave an adapter.
 */
export interface Cloud {
  /** `provider-a` or `provider-b`, in which environments are initialized; or a name of the host's, which decides where resources go. */
  readonly provider: string;
  readonly capabilities: CloudCapabilities;
  /** The facts of a type. An unknown type is a plain taggable one. */
  resourceType(type: string): ResourceType;
  /**
   * Tells, in order, whether resources of these types can be created. It answers from `resourceType` for known types and asks the cloud
   * about the others. A deploy calls it once, for the new components. Throws like the other methods if the cloud can't be asked. Absent:
   * every type with an ID can be created.
   */
  describeTypes?(types: readonly string[], target: CloudTarget, call: CloudCall): Promise<readonly TypeDescription[]>;
  /**
   * What is surely wrong with the parameters of a type, such as a misspelled name. A deploy asks for new components and changed parameters,
   * with references in them, and is refused for each mistake. Asks nobody. Absent: the cloud judges once it is written.
   */
  judgeParameters?(type: string, parameters: JsonObject): Promise<readonly ParameterMistake[]>;
  /** The ID of a resource with this name; `null` if the cloud chooses IDs. Pure. */
  resourceIdFor(type: string, name: string, target: CloudTarget): string | null;
  /** The type of the resource with an ID, in the spelling of `resourceType`; `null` if unknown. Pure. Absent: IDs don't tell. */
  typeOf?(resourceId: string): string | null;
  /**
   * Validates a declared ID before it is used. MUST refuse an ID of another type, one outside the target (its container if it has one,
   * otherwise the scope), and anything that could be read as another path or address: empty segments, `.` and `..`, a trailing slash, `?`,
   * `#`, `%`, `\`, spaces and control characters. All spellings of one resource's ID MUST give the same result; if the cloud ignores case,
   * names may keep theirs, because IDs are claimed without case. IDs of `resourceIdFor` are returned unchanged, with their name. A type
   * without IDs is reported first. Reveals nothing about existing resources. Pure.
   */
  parseResourceId(type: string, id: string, target: CloudTarget): ParsedResourceId;
  /**
   * The place that the ID of a resource group, subscription, project or location names, with its canonical ID; `null`: it names none here.
   * `parseResourceId` and `discover` MUST take it as part of a target. Pure. Absent: environments can't have `resourceScopes` in this cloud.
   */
  parseScope?(id: string): ParsedScope | null;
  /**
   * The rights, in the cloud's own words, that the credentials lack in a target: to see and tag resources there, and to read, create, change
   * and delete resources of these types. Rights on single resources don't count. What the cloud doesn't tell isn't listed. Absent: it can't
   * be checked.
   */
  missingRights?(types: readonly string[], target: CloudTarget, call: CloudCall): Promise<readonly string[]>;
  /** What a throttle counts: reads and writes of one scope slow each other, not those of another. Pure. */
  throttleScope(resourceId: string): string;

  /**
   * How many calls of a kind the resource's scope accepts now, as the cloud's last answer said; `null` if it didn't. Makes no call. Other
   * callers in that scope are included. Absent: the cloud doesn't say before it refuses.
   */
  remaining?(resourceId: string, sort: CallSort): RemainingCalls | null;

  /** The locations of a scope (a subscription, a project) where resources can be created. */
  locations(scope: string, tenantId: string | null, call: CloudCall): Promise<CloudLocation[]>;

  /** The steps of the initialization of this name, in order. Pure. */
  initializationSteps(target: CloudTarget, name: string): readonly StepPlan[];
  /**
   * Runs one step idempotently: running it twice creates each thing once. Returns the step's outputs. A step that the cloud is still
   * working on MAY throw with `details.outcome: "working"` and `retryAfterSeconds`; it is then run again, and that isn't a failure.
   */
  runStep(step: string, request: InitializationRequest, call: CloudCall): Promise<Readonly<Record<string, Json>>>;

  /** Reads one resource from the source of truth. Never throws for the cloud's answers: those become `unreadable`. */
  read(ref: ResourceRef, call: CloudCall): Promise<Reading>;
  /**
   * Reads up to `bulkReadSize` in one call, in order. May be stale: it only shows where to look. It returns `unread` for what it can't tell
   * about, which the agent then reads directly.
   */
  readMany(refs: readonly ResourceRef[], call: CloudCall): Promise<Reading[]>;
  /**
   * Lists the resources of a target (its container if it has one, otherwise the scope), about `limit` at a time, each exactly once. `after`
   * is the `next` of the previous page, `null` for the first. Tags may lag behind. MUST list nothing outside the target. Throws like the
   * other methods. Absent: the cloud can't list.
   */
  discover?(target: CloudTarget, page: DiscoveryPage, call: CloudCall): Promise<ListedResources>;
  /** Only creates: throws `AlreadyExists` and changes nothing if the ID is taken. */
  create(resource: NewResource, call: CloudCall): Promise<Created>;
  /**
   * The resource created for this intent, if any, for clouds that choose IDs. Other clouds may return `null`. A resource that is gone must not
   * be returned: as long as one is, the agent doesn't create another.
   */
  findCreated(intent: string, target: CloudTarget, call: CloudCall): Promise<ResourceRef | null>;
  /**
   * Changes what is named; an empty change asks the cloud to apply again what it holds, and is bound like a change of properties.
   * Throws `PreconditionFailed` if the etag has changed or the tag isn't there, `NotFound` if the resource is gone, `InvalidState` while the
   * cloud processes another write of it.
   */
  update(ref: ResourceRef, change: ResourceChange, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /** Deletes; a missing resource is fine. Throws `PreconditionFailed` if the etag has changed, `InvalidState` like `update`. */
  remove(ref: ResourceRef, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /** Removes one tag by the cloud's own call for it and nothing else; a missing tag is fine. Throws like `update`. */
  removeTag(ref: ResourceRef, key: string, condition: WriteCondition, call: CloudCall): Promise<Written>;
  /**
   * The state of an operation that a write of this resource returned. Any process MAY ask, much later, and repeatedly. Never throws for the
   * cloud's answers: those become `unreadable`. Absent: the cloud's writes are done when they answer.
   */
  follow?(ref: ResourceRef, operation: Pick<CloudOperation, "address">, call: CloudCall): Promise<OperationReading>;
  /**
   * Who other than the caller last changed a resource between two instants: its tags or, if nobody changed those, anything; `null` if the
   * activity log names nobody. One request. Throws like the other methods if the log can't be read. Absent: there is no log.
   */
  whoChanged?(
    ref: ResourceRef,
    within: { readonly since: string; readonly until: string },
    call: CloudCall,
  ): Promise<ResourceChanger | null>;
}
