import type { ErrorCode } from "../errors.ts";
import type { credentialHeaders, OperationId, routes } from "./routes.ts";

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
 * - `creates`: Edit on the organization where nothing of that name is there yet, else on the thing itself.
 * - `inBody`: the target is named by the body instead of the path.
 * - `reveals`: a service-account role that may reveal does as well.
 * - `begins`: a service-account role that deploys may begin it, where that decides nothing anew.
 * - `partly`: whoever sees anything of it sees that part.
 * - `orOneself`: nobody needs a right to ask about themselves.
 */
export type AccessRule = "environmentGroups" | "creates" | "inBody" | "reveals" | "begins" | "orOneself" | "partly";

/** Who may call an operation. */
export type CallerRule =
  /** `anyone`: no credential. `challenge`: the mailed credential is the bearer. `principal`: any live credential.
   * `account`: a person's account (or the service account that stands for it), for itself. `operator`: named by the host. */
  | { readonly who: "anyone" | "challenge" | "principal" | "account" | "operator" }
  | { readonly on: TargetKind; readonly need: Permission; readonly rules?: readonly AccessRule[] };

/** The rate limit's bucket that a call counts in. */
export type RateClass = "reads" | "writes" | "secretWrites" | "signIn" | "registration" | "challenges" | "token";

/** What a row says of an operation, beside its route. */
export interface RowOptions {
  /** One sentence; the row's TSDoc says the same. */
  readonly summary: string;
  readonly access: CallerRule;
  readonly query?: Schema<unknown>;
  readonly body?: Schema<unknown>;
  /** The body may be left out. @default false */
  readonly bodyOptional?: boolean;
  /** The answer; of a page, one of its items; of a stream, one event. */
  readonly result: Schema<unknown>;
  /** The statuses of success; with two, the first says that something was made. @default [200] */
  readonly success?: readonly [number, ...number[]];
  /** The cloud credentials that it takes in headers. */
  readonly credentials?: "provider-a" | "provider-b";
  /** @default by method: `reads` for GET, else `writes` */
  readonly rate?: RateClass;
  /** The member of the body that names an account, whether there is one or not: what is tried with a name counts for it as well. @default none */
  readonly ratedName?: { readonly member: string; readonly bucket: "signInName" | "challengeName" };
  /** Counts in the environment's own small bucket of cloud calls as well. @default false */
  readonly callsCloud?: boolean;
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
