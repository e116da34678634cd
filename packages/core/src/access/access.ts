import type { Operation, Permission } from "../contract/row.ts";
import type { Actor, EnvironmentRef, Target } from "../contract/target.ts";
import type { LiveplaneError } from "../errors.ts";
import type { Json } from "../ports/store.ts";

/** How somebody presents themselves: an actor that the host vouches for, or a credential to judge. */
export type Caller = Actor | { readonly kind: "bearer"; readonly token: string };

/** What an operation is called with, as far as access depends on it. */
export interface AccessInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
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

/** The containers of a target, as far as rights flow down them. `null`: there is no such thing. */
export interface Containers {
  readonly owner: { readonly type: "Personal" | "Organizational"; readonly id: string };
  /** Resource groups: `Type/ownerId/shortName`. */
  readonly groups: readonly string[];
}

/** What other areas tell the permissions about their things. */
export interface ScopeResolvers {
  environment(target: Extract<Target, { kind: "environment" }>): Promise<Containers | null>;
  /** A live system's scope is its environment's, with its own group added; `environment` names it for role tokens. */
  liveSystem(id: string): Promise<(Containers & { readonly environment: EnvironmentRef }) | null>;
  /** The role that a service account has in an environment, and whether it may act. `null`: none, or the environment is gone. */
  role(
    environment: EnvironmentRef,
    principalId: string,
  ): Promise<{ readonly role: ServiceAccountRole; readonly active: boolean } | null>;
}

/** What a service account is for, within one environment. */
export type ServiceAccountRole = "CloudAgent" | "CiCd" | "Custom" | "BasicAuthKeyVaultOnly" | "Bot";

/** Judges who calls and whether they may: the one place where every operation is authorized, from its row. */
export interface Access {
  /** Turns a credential into an actor, as the row wants it. Throws the 401s; for the right kind of actor only, the 403s of the account's own state. */
  identify(caller: Caller, row: Operation): Promise<Actor>;
  /**
   * Before the body is read. Throws `NotFound` without View, `PermissionDenied` without the right. Where only the body says which
   * of the two it is, gives what a body that says nothing is refused with.
   */
  authorize(actor: Actor, row: Operation, input: AccessInput): Promise<LiveplaneError | undefined>;
  /** The rules that need the validated body; `undefined`: there are none. */
  authorizeBody(
    actor: Actor,
    row: Operation,
    input: AccessInput & { readonly body: unknown },
  ): Promise<void> | undefined;
  /**
   * Before an actor is told again what a write of theirs was answered: they ended something by it, or may still View what remains.
   * Throws what they are refused with else.
   */
  authorizeAgain(actor: Actor, row: Operation, answered: AnsweredInput): Promise<void>;
  /** Whether an actor operates the installation, with a credential that is good for it. */
  operates(actor: Actor): boolean;
  /** Whether an actor holds a right now. `within`: the containers of the target, where the asker has just read them. */
  can(actor: Actor, target: Target, need: Permission, within?: Containers): Promise<boolean>;
  /** Whether an actor may follow what happens to a target: View, operators too, and what has been deleted by what it was in. */
  sees(actor: Actor, target: Target): Promise<boolean>;
  /** Which of some events an actor may see: each one's target, and the team that it names. */
  seesEvents(actor: Actor, events: readonly EventFacts[]): Promise<readonly boolean[]>;
  /** Whose events an actor may come across: where a stream looks, before it asks `sees` for each event. */
  hears(actor: Actor): Promise<Pick<Reach, "everything" | "owners">>;
  /** Where an actor may see anything at all: what lists begin with, before they ask `can` for each item. */
  reach(actor: Actor): Promise<Reach>;
}

/** A team, by the id that grants name it by. */
export interface TeamName {
  readonly organizationId: string;
  readonly principalId: string;
}

/** The owners among whose things a list looks. */
export interface Reach {
  /** There are no bounds. */
  readonly everything: boolean;
  readonly owners: readonly { readonly type: "Personal" | "Organizational"; readonly id: string }[];
  /** A role's token sees this environment alone. */
  readonly environment: EnvironmentRef | null;
}
