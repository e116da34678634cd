import type { ErrorCode } from "../errors.ts";
import type { credentialHeaders, OperationId, routes } from "./routes.ts";
import type { TokenScope } from "./target.ts";

/** Turns input into a `T`, or throws. Built with zod, but typed as no more than this to keep editors fast. */
export interface Schema<out T> {
  /** The value as a `T`; throws an error that says what is wrong. */
  parse(value: unknown): T;
  /** For tools that accept any schema: https://standardschema.dev */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** The value as a `T`, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** A value that fits a schema, or what is wrong with it. */
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Something wrong in a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A permission that can be granted. */
export type Permission = "Admin" | "Edit" | "Terminate" | "View";

/** The kinds of things that permissions are held on. */
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
 * - `begins`: a service-account role that deploys may start it, if that decides nothing new.
 * - `partly`: a caller who can see any part sees that part.
 * - `orOneself`: nobody needs a permission to ask about themselves.
 * - `personOnly`: it issues or shows credentials, so an account's own service account can't call it for its owner.
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

/** The purpose of a mailed challenge. */
export type ChallengeKind = "activation" | "reset" | "email";

/** Who may call an operation. */
export type CallerRule =
  /** Any valid credential. */
  | { readonly who: "principal" }
  /** No credential is needed. `registers`: if registration is closed, only operators may call it. */
  | { readonly who: "anyone"; readonly registers?: true }
  /** The bearer is a mailed challenge of one of these kinds. */
  | { readonly who: "challenge"; readonly opens: readonly ChallengeKind[] }
  /**
   * A person's account, for itself. `orItsServiceAccount`: its service account may call it too. `changes: "things"`: it changes what the
   * account owns, which an expired plan refuses.
   */
  | { readonly who: "account"; readonly orItsServiceAccount?: true; readonly changes?: "things" }
  /** Named by the host. `orOneself`: people may call it for their own account. */
  | { readonly who: "operator"; readonly orOneself?: true }
  | { readonly on: TargetKind; readonly need: Permission; readonly rules?: readonly AccessRule[] };

/**
 * An operation's effect on existing things. A suspended organization refuses everything but reads and its own deletion (`closes`). An
 * expired plan refuses creates and updates, but allows ending things.
 */
export type CallEffect = "reads" | "ends" | "closes" | "writes";

/** The rate-limit bucket of a call. */
export type RateClass = "reads" | "writes" | "secretWrites" | "signIn" | "registration" | "challenges" | "token";

/** What a row says about an operation, besides its route. */
export interface RowOptions {
  /** One sentence; the row's TSDoc says the same. */
  readonly summary: string;
  /** Further notes for readers of the document. */
  readonly note?: string;
  readonly access: CallerRule;
  readonly query?: Schema<unknown>;
  readonly body?: Schema<unknown>;
  /** The body is optional. @default false */
  readonly bodyOptional?: boolean;
  /** @default by method and permission: `reads` for GET and View, `ends` for DELETE, otherwise `writes` */
  readonly effect?: CallEffect;
  /** The scope that a token needs; `null` if each item is judged by itself. @default its area's */
  readonly tokenScope?: TokenScope | null;
  /** It creates the thing that its answer is about. */
  readonly makes?: "organization" | "subscription";
  /** Callers whose password must be changed first may call it. @default false */
  readonly beforePasswordChange?: true;
  /** Sessions that still need a second factor may call it. @default false */
  readonly beforeSecondFactor?: true;
  /** People may call it without the second factor that the server requires of them, so that they can add one. @default false */
  readonly withoutSecondFactor?: true;
  /** People must have signed in within the last ten minutes: it is costly, or it changes who can sign in. @default false */
  readonly fresh?: true;
  /** Members of the body that only Admins can send. @default none */
  readonly adminMembers?: readonly string[];
  /** Members of the body that an account's own service account can't change for its owner. @default none */
  readonly personOnlyMembers?: readonly string[];
  /** The result; for a page, one of its items; for a stream, one event. */
  readonly result: Schema<unknown>;
  /** The HTTP status of success. @default [200] */
  readonly success?: readonly [number];
  /** The cloud credentials that it takes in headers. */
  readonly credentials?: "provider-a" | "provider-b";
  /** @default by method: `reads` for GET, else `writes` */
  readonly rate?: RateClass;
  /**
   * The member of the body that names an account. Attempts with a name count against that name too, whether or not the account exists.
   * @default none
   */
  readonly ratedName?: { readonly member: string; readonly bucket: "signInName" | "challengeName" };
  /** Also counts in a small bucket for the environment's cloud calls; `discovery` has its own. @default false */
  readonly callsCloud?: boolean | "discovery";
  /** The result is a versioned record: it has an ETag, and its writes honour preconditions. @default false */
  readonly versioned?: boolean;
  /**
   * Takes no preconditions although it answers a versioned record, because that record is always new or other parts of it change.
   * @default false
   */
  readonly unconditional?: boolean;
  /** The result holds a one-time secret, so it is never stored for a repeated key. @default false */
  readonly secretResult?: boolean;
  /** Codes besides those implied by its access, method and body. */
  readonly errors?: readonly ErrorCode[];
  /** Codes answered with 400, besides or instead of their usual status. */
  readonly badRequests?: readonly ErrorCode[];
  /** @default 16 for anonymous calls and challenges, otherwise 1024 */
  readonly bodyLimitKiB?: number;
  /** The body is a list whose items are validated one by one: the handler gets the valid ones and refuses the whole call. @default false */
  readonly itemwise?: boolean;
  readonly deprecated?: { readonly successor: OperationId; readonly since: string; readonly sunset: string };
}

/** An operation: a row of the contract. */
export type Operation<Id extends OperationId = OperationId, Options extends RowOptions = RowOptions> = Options & {
  readonly id: Id;
};

/** The size limit of an operation's body, in KiB. It is small where the caller may be unknown. */
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

/** What an operation takes or answers besides plain JSON: `body`, `page` or `stream`. */
export type TakesOf<Id extends OperationId> =
  RouteText<Id> extends `${string} ${string} ${infer Takes}` ? Takes : "nothing";

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** An ID of one kind of record. Any string is one, but the ID of another kind isn't. */
export type IdOf<Kind extends string> = string & { readonly idOf?: Kind };

/** The types of path parameters that aren't plain strings. */
interface ParamTypes {
  type: "Personal" | "Organizational" | "Unknown";
  mutationId: IdOf<"mutation">;
  componentId: IdOf<"component">;
}

/** The type of a path parameter; `id` belongs to the area of its operation. */
type ParamType<Id extends OperationId, Name extends string> = Name extends keyof ParamTypes
  ? ParamTypes[Name]
  : [Id, Name] extends [`liveSystems.${string}`, "id"]
    ? IdOf<"live system">
    : string;

/** The path parameters of an operation, derived from its path. */
export type Params<Id extends OperationId> = {
  readonly [Name in Names<PathOf<Id>>]: ParamType<Id, Name>;
};

/** Flattens an intersection, so that editors show the resulting members. */
export type InOne<T> = T extends infer All ? { [Member in keyof All]: All[Member] } : never;

/** The cloud credentials, by option name. */
export type CredentialOption = keyof typeof credentialHeaders;
