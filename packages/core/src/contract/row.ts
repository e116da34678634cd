import type { ErrorCode } from "../errors.ts";
import type { credentialHeaders, OperationId, routes } from "./routes.ts";
import type { TokenScope } from "./target.ts";

/** Turns what somebody sent into a `T`, or throws. Built by zod, seen as no more than this: it keeps editors fast. */
export interface Schema<out T> {
  /** The value as a `T`; throws what is wrong with it. */
  parse(value: unknown): T;
}

/** A right that can be granted. */
export type Permission = "Admin" | "Edit" | "Terminate" | "View";

/** What a right is held on. */
export type TargetKind =
  | "environment"
  | "liveSystem"
  | "organization"
  | "team"
  | "personalGroup"
  | "organizationGroup"
  | "subscription";

/**
 * A right that depends on more than the path: a pure function of the input and of what is stored, kept with the permissions.
 * - `environmentGroups`: Edit on every resource group that is added or taken away.
 * - `resourceScopes`: Admin, where the body has `resourceScopes`.
 * - `creates`: Edit on the organization where nothing has that name yet, otherwise on the thing itself.
 * - `createsNew`: the permission on the owner; what exists already must be visible. Where the type is `Unknown`, the handler refuses.
 * - `inBody`: the body names the target instead of the path.
 * - `reveals`: a service-account role that may reveal secrets is enough.
 * - `begins`: a service-account role that deploys may begin it, if that decides nothing new.
 * - `partly`: a caller who can see any part of it sees that part.
 * - `orOneself`: nobody needs a permission to ask about themselves.
 * - `personOnly`: it issues or shows credentials, so an account's own service account can't call it in its owner's place.
 */
export type AccessRule =
  | "environmentGroups"
  | "resourceScopes"
  | "creates"
  | "createsNew"
  | "inBody"
  | "reveals"
  | "begins"
  | "orOneself"
  | "partly"
  | "personOnly";

/** What a mailed challenge is for. */
export type ChallengeKind = "activation" | "reset" | "email";

/** Who may call an operation. */
export type CallerRule =
  /** Any live credential. */
  | { readonly who: "principal" }
  /** No credential is needed. `registers`: where registration isn't open, only operators may call it. */
  | { readonly who: "anyone"; readonly registers?: true }
  /** The bearer is a mailed challenge of one of these kinds. */
  | { readonly who: "challenge"; readonly opens: readonly ChallengeKind[] }
  /**
   * A person's account, for itself. `orItsServiceAccount`: the account's own service account may call it in its place.
   * `changes: "things"`: it changes what the account has, which an expired plan refuses.
   */
  | { readonly who: "account"; readonly orItsServiceAccount?: true; readonly changes?: "things" }
  /** Named by the host. `orOneself`: people may call it for their own account. */
  | { readonly who: "operator"; readonly orOneself?: true }
  | { readonly on: TargetKind; readonly need: Permission; readonly rules?: readonly AccessRule[] };

/**
 * How an operation touches what exists. A suspended organization refuses everything but reads and its own deletion (`closes`).
 * An expired plan refuses creates and updates, but lets things be ended.
 */
export type CallEffect = "reads" | "ends" | "closes" | "writes";

/** The rate limit's bucket that a call counts in. */
export type RateClass = "reads" | "writes" | "secretWrites" | "signIn" | "registration" | "challenges" | "token";

/** What a row says of an operation, beside its route. */
export interface RowOptions {
  /** One sentence; the row's TSDoc says the same. */
  readonly summary: string;
  /** What else a reader of the document should know. */
  readonly note?: string;
  readonly access: CallerRule;
  readonly query?: Schema<unknown>;
  readonly body?: Schema<unknown>;
  /** The body may be left out. @default false */
  readonly bodyOptional?: boolean;
  /** @default by method and permission: `reads` for GET and View, `ends` for DELETE, otherwise `writes` */
  readonly effect?: CallEffect;
  /** The scope that a token needs; `null`: none, because each item is judged by itself. @default its area's */
  readonly tokenScope?: TokenScope | null;
  /** It makes the thing that its answer is about. */
  readonly makes?: "organization" | "subscription";
  /** Callers whose password must be changed first may call it. @default false */
  readonly beforePasswordChange?: true;
  /** Members of the body that an account's own service account can't change for its owner. @default none */
  readonly personOnlyMembers?: readonly string[];
  /** The answer; of a page, one of its items; of a stream, one event. */
  readonly result: Schema<unknown>;
  /** The status of success. @default [200] */
  readonly success?: readonly [number];
  /** The cloud credentials that it takes in headers. */
  readonly credentials?: "provider-a" | "provider-b";
  /** @default by method: `reads` for GET, else `writes` */
  readonly rate?: RateClass;
  /** The member of the body that names an account, whether there is one or not: what is tried with a name counts for it as well. @default none */
  readonly ratedName?: { readonly member: string; readonly bucket: "signInName" | "challengeName" };
  /** Counts in a small bucket of the environment's cloud calls as well; `discovery` has one apart. @default false */
  readonly callsCloud?: boolean | "discovery";
  /** The answer is a versioned record: it has an ETag, and its writes honour preconditions. @default false */
  readonly versioned?: boolean;
  /** Takes no preconditions, though it answers a versioned record: that is always new, or changes beside its own members. @default false */
  readonly unconditional?: boolean;
  /** The answer holds a secret that is shown once: it is never kept for a repeated key. @default false */
  readonly secretResult?: boolean;
  /** Codes that it answers beside those that its access, method and body imply. */
  readonly errors?: readonly ErrorCode[];
  /** Codes that it answers with 400, beside or instead of the status they have elsewhere. */
  readonly badRequests?: readonly ErrorCode[];
  /** @default 16 where anybody may call or a challenge does, else 1024 */
  readonly bodyLimitKiB?: number;
  /** The body is a list whose items are judged each by itself: its handler gets those that can be read, and refuses all at once. @default false */
  readonly itemwise?: boolean;
  readonly deprecated?: { readonly successor: OperationId; readonly since: string; readonly sunset: string };
}

/** An operation: its row in the contract. */
export type Operation<Id extends OperationId = OperationId, Options extends RowOptions = RowOptions> = Options & {
  readonly id: Id;
};

/** What an operation's body may have, in KiB. Little where nobody has to be known to send one. */
export function bodyLimitKiB({ access, bodyLimitKiB }: Operation): number {
  const isOpen = "who" in access && (access.who === "anyone" || access.who === "challenge");
  return bodyLimitKiB ?? (isOpen ? 16 : 1024);
}

/** Writes a row. */
export function operation<Id extends OperationId, const Options extends RowOptions>(
  id: Id,
  options: Options,
): Operation<Id, Options> {
  return { ...options, id };
}

type RouteText<Id extends OperationId> = (typeof routes)[Id];

/** The method and path of an operation. */
export type PathOf<Id extends OperationId> =
  RouteText<Id> extends `${string} ${infer Path} ${string}`
    ? Path
    : RouteText<Id> extends `${string} ${infer Path}`
      ? Path
      : never;

/** The method of an operation, or its methods with `|` between them. */
export type MethodOf<Id extends OperationId> = RouteText<Id> extends `${infer Methods} ${string}` ? Methods : never;

/** What an operation takes or answers beside plain JSON: `body`, `page` or `stream`. */
export type TakesOf<Id extends OperationId> =
  RouteText<Id> extends `${string} ${string} ${infer Takes}` ? Takes : "nothing";

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** A path parameter's type, where it isn't a plain string. */
interface ParamTypes {
  type: "Personal" | "Organizational" | "Unknown";
}

/** The path parameters of an operation, read off its path. */
export type Params<Id extends OperationId> = {
  readonly [Name in Names<PathOf<Id>>]: Name extends keyof ParamTypes ? ParamTypes[Name] : string;
};

/** The members of all: an editor shows what a condition comes to, and not the words that it is made of. */
export type InOne<T> = T extends infer All ? { [Member in keyof All]: All[Member] } : never;

/** The cloud credentials, by option name. */
export type CredentialOption = keyof typeof credentialHeaders;
