import type { Violation } from "../errors.ts";
import type { Cause } from "../records/records.ts";
import type { Body, Query, Result } from "./api.ts";
import type { Preconditions } from "./preconditions.ts";
import type { OperationId } from "./routes.ts";
import type { CredentialOption, Params, TakesOf } from "./row.ts";
import type { Actor } from "./target.ts";

/** A call that was authenticated, authorized and validated: what a service gets. */
export interface Call<Id extends OperationId> {
  readonly actor: Actor;
  readonly params: Params<Id>;
  readonly query: Query<Id>;
  readonly body: Body<Id>;
  /** Of an itemwise list, what is wrong with items that can't be read: `body` lacks them, and the handler refuses. */
  readonly unread?: UnreadItems;
  readonly credentials: { readonly [name in CredentialOption]?: string };
  readonly preconditions: Preconditions;
  /** Who and in which request, for events and audit. */
  readonly cause: Cause;
  /** What the transport knows of the caller. */
  readonly from: CallerFacts;
  /** What fires when nobody waits for the answer any more: made when it is asked for, since most operations don't. */
  readonly signal?: () => AbortSignal | undefined;
}

/** Items of a list that don't fit their schema, among those that do. */
export interface UnreadItems {
  /** Where the items that can be read are in what was sent. */
  readonly places: readonly number[];
  /** The whole list, as it was sent. */
  readonly sent: readonly unknown[];
  readonly violations: readonly Violation[];
}

/** What a transport knows of the caller beyond the credential. */
export interface CallerFacts {
  readonly address: string | null;
  readonly userAgent: string | null;
  /** True over HTTP, where some operations are off unless the host turns them on. */
  readonly remote: boolean;
}

/** A service's answer. `made`: something was created. An upsert, which always answers 200, says so in its body. */
export interface Answer<T> {
  readonly value: T;
  readonly made?: boolean;
  /** The path of what was made or begun. */
  readonly location?: string;
}

/** Carries out one operation. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Result<Id>>>;

/** The handlers of all operations under a name: `Handlers<"environments">`. */
export type Handlers<Area extends string> = {
  readonly [Id in OperationId as Id extends `${Area}.${string}` ? Id : never]: Handler<Id>;
};

/** The operations that are answered once. A stream is followed instead. */
export type AnsweredId = { [Id in OperationId]: TakesOf<Id> extends "stream" ? never : Id }[OperationId];

export type AllHandlers = { readonly [Id in AnsweredId]: Handler<Id> };
