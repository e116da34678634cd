import type { Operation, Permission } from "../contract/row.ts";
import type { Actor, EnvironmentRef, Target } from "../contract/target.ts";
import type { LiveplaneError } from "../errors.ts";
import type { Json } from "../ports/store.ts";
import type { CallRecords } from "../records/call-records.ts";
import type { Reader } from "../records/records.ts";

/** How a caller identifies itself: an actor that the host vouches for, or a credential to verify. */
export type Caller = Actor | { readonly kind: "bearer"; readonly token: string };

/** The parts of a call that access depends on. */
export interface AccessInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** What reads records for the decision. @default reads each one anew */
  readonly reader?: Reader | undefined;
}

export interface AnsweredInput extends AccessInput {
  readonly body: unknown;
  readonly value: unknown;
}

/** The members of an event that decide who may see it. */
export interface EventFacts {
  readonly about: Target;
  readonly data: Readonly<Record<string, Json>>;
}

/** The containers of a target, from which permissions are inherited. `null` if the target doesn't exist. */
export interface Containers {
  readonly owner: { readonly type: "Personal" | "Organizational"; readonly id: string };
  /** Resource groups: `Type/ownerId/shortName`. */
  readonly groups: readonly string[];
}

/** What the other areas tell the permissions about their records. */
export interface ScopeResolvers {
  environment(target: Extract<Target, { kind: "environment" }>, reader?: Reader): Promise<Containers | null>;
  /** A live system's scope is its environment's, with its own group added; `environment` names it for role tokens. */
  liveSystem(id: string): Promise<(Containers & { readonly environment: EnvironmentRef }) | null>;
  /** The role that a service account has in an environment, and whether it may act. `null` if it has none or the environment is gone. */
  role(
    environment: EnvironmentRef,
    principalId: string,
  ): Promise<{ readonly role: ServiceAccountRole; readonly active: boolean } | null>;
}

/** The purpose of a service account within one environment. */
export type ServiceAccountRole = "CloudAgent" | "CiCd" | "Custom" | "BasicAuthKeyVaultOnly" | "Bot";

/** Decides who calls and what they may do: every operation is authorized here, from its row. */
export interface Access {
  /**
   * Turns a credential into an actor of the kind that the row accepts. Throws the 401s, and the 403s that follow from the account's own
   * state. If the input has a reader, that begins at the same time to read what the call will ask it for.
   */
  identify(
    caller: Caller,
    row: Operation,
    input?: Pick<AccessInput, "params"> & { readonly reader?: CallRecords | undefined },
  ): Promise<Actor>;
  /**
   * Runs before the body is read. Throws `NotFound` without View and `PermissionDenied` without the permission. If only the body can tell
   * the two apart, returns the error for a body that names nothing.
   */
  authorize(actor: Actor, row: Operation, input: AccessInput): Promise<LiveplaneError | undefined>;
  /** The rules that need the validated body; `undefined` if there are none. */
  authorizeBody(
    actor: Actor,
    row: Operation,
    input: AccessInput & { readonly body: unknown },
  ): Promise<void> | undefined;
  /**
   * Decides whether an actor may receive the stored answer to their own earlier write: they ended something by it, or they may still View
   * what remains. Throws the refusal otherwise.
   */
  authorizeAgain(actor: Actor, row: Operation, answered: AnsweredInput): Promise<void>;
  /** Whether an actor operates the installation, with a credential that allows it. */
  operates(actor: Actor): boolean;
  /**
   * Whether an actor holds a right now. `within`: the containers of the target, where the asker has just read them. `reader`: what reads the
   * rest.
   */
  can(
    actor: Actor,
    target: Target,
    need: Permission,
    options?: { readonly within?: Containers; readonly reader?: Reader },
  ): Promise<boolean>;
  /** Whether an actor may follow what happens to a target: View, operators too, and what has been deleted by what it was in. */
  sees(actor: Actor, target: Target): Promise<boolean>;
  /** Filters events by what an actor may see: each event's target, and the team that it names. */
  seesEvents(actor: Actor, events: readonly EventFacts[]): Promise<readonly boolean[]>;
  /** The owners whose events an actor could see: a stream looks only there, then asks `sees` for each event. */
  hears(actor: Actor): Promise<Pick<Reach, "everything" | "owners">>;
  /** The organizations of an actor that show it nothing, because they require a second factor. */
  closedTo(actor: Actor): Promise<readonly string[]>;
  /** Where an actor could see anything: lists look only there, then ask `can` for each item. */
  reach(actor: Actor, reader?: Reader): Promise<Reach>;
}

/** A team, by the principal ID that grants use. */
export interface TeamName {
  readonly organizationId: string;
  readonly principalId: string;
}

/** The owners that a list searches. */
export interface Reach {
  /** Searches all owners. */
  readonly everything: boolean;
  readonly owners: readonly { readonly type: "Personal" | "Organizational"; readonly id: string }[];
  /** A role's token sees only this environment. */
  readonly environment: EnvironmentRef | null;
}
