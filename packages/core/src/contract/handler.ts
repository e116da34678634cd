import type { Violation } from "../errors.ts";
import type { Cause, Reader } from "../records/records.ts";
import type { Body, Query, Result } from "./api.ts";
import type { Preconditions } from "./preconditions.ts";
import type { OperationId } from "./routes.ts";
import type { CredentialOption, Params, TakesOf } from "./row.ts";
import type { Actor } from "./target.ts";

/** A call after authentication, authorization and validation, as a service receives it. */
export interface Call<Id extends OperationId> {
  readonly actor: Actor;
  readonly params: Params<Id>;
  readonly query: Query<Id>;
  readonly body: Body<Id>;
  /** For a list judged item by item: what is wrong with the items that `body` lacks. The handler refuses the call. */
  readonly unread?: UnreadItems;
  readonly credentials: { readonly [name in CredentialOption]?: string };
  readonly preconditions: Preconditions;
  /** Reads. What was read to authorize the call isn't read again, unless a body had to come after that. */
  readonly reader: Reader;
  /** The caller and request, for events and audit. */
  readonly cause: Cause;
  /** What the transport knows about the caller. */
  readonly from: CallerFacts;
  /** Fires when the caller no longer waits. Created on demand, because most operations don't need it. */
  readonly signal?: () => AbortSignal | undefined;
}

/** The invalid items of a list, and where the valid ones were. */
export interface UnreadItems {
  /** The index of each valid item in the sent list. */
  readonly places: readonly number[];
  /** The whole list as sent. */
  readonly sent: readonly unknown[];
  readonly violations: readonly Violation[];
}

/** What a transport knows about the caller besides the credential. */
export interface CallerFacts {
  readonly address: string | null;
  readonly userAgent: string | null;
  /** True over HTTP, where some operations are off unless the host enables them. */
  readonly remote: boolean;
}

/** A service's answer. `made`: something was created. An upsert always answers 200 and says so in its body. */
export interface Answer<T> {
  readonly value: T;
  readonly made?: boolean;
  /** The path of what was created or started. */
  readonly location?: string;
}

/** Handles one operation. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Result<Id>>>;

/** The handlers of all operations under a name: `Handlers<"environments">`. */
export type Handlers<Area extends string> = {
  readonly [Id in OperationId as Id extends `${Area}.${string}` ? Id : never]: Handler<Id>;
};

/** The operations with a single answer; a stream is followed instead. */
export type AnsweredId = { [Id in OperationId]: TakesOf<Id> extends "stream" ? never : Id }[OperationId];

export type AllHandlers = { readonly [Id in AnsweredId]: Handler<Id> };
