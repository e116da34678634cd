import * as z from "zod";
import type { Access, Caller } from "../access/access.ts";
import type { Page } from "../contract/api.ts";
import { errorCodesOf } from "../contract/error-answers.ts";
import type { AllHandlers, Answer, CallerFacts, UnreadItems } from "../contract/handler.ts";
import { operationsById } from "../contract/operations/operations.ts";
import { parseInput, parseItems } from "../contract/parse-input.ts";
import { pathParameters } from "../contract/path-parameters.ts";
import type { Preconditions } from "../contract/preconditions.ts";
import { type OperationId, parseRoute } from "../contract/routes.ts";
import type { CredentialOption, Operation, Schema } from "../contract/row.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { isForHostsOnly, isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Tracer } from "../ports/runtime.ts";
import type { Store } from "../ports/store.ts";
import { createCallRecords } from "../records/call-records.ts";
import type { Reader, Receipt } from "../records/records.ts";
import { namingWhatIsMissing } from "./what-is-missing.ts";

/** One call as a transport passes it on, before any checks. */
export interface Request {
  readonly operation: OperationId;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly credentials: { readonly [name in CredentialOption]?: string };
  /** The path as sent, if the transport has one: an idempotency key is valid only for it. */
  readonly path?: string;
  /** Reads the body, or promises it; called only after the caller is authorized. `undefined`: there is none. */
  readonly body: () => unknown;
  /** The bytes that `body` read, if the transport has them. */
  readonly bodyBytes?: () => Uint8Array;
  readonly preconditions: Preconditions;
  readonly idempotencyKey?: string;
  readonly requestId: string;
  /** The remote parent span as W3C's `traceparent`, if the transport received one. */
  readonly traceparent?: string | undefined;
  readonly from: CallerFacts;
  readonly signal?: AbortSignal;
  /** Written in the commit of the call's change. */
  readonly receipt?: Receipt;
  /** Called once the caller is known, before all other checks: for rate limits. */
  readonly admit?: (actor: Actor, row: Operation) => void;
  /** Called once the caller is authorized: for counts per target. */
  readonly authorized?: (row: Operation, params: Readonly<Record<string, string>>) => void;
}

/** A successful answer, with what a transport adds to the body. */
export interface Reply {
  readonly row: Operation;
  readonly status: number;
  readonly value: unknown;
  /** The path of what was created, or can be followed. */
  readonly location?: string;
}

export interface DispatchOptions {
  readonly access: Access;
  readonly handlers: AllHandlers;
  readonly idempotency: Idempotency;
  readonly records: Reader;
  /** If it has `recall` it is a journey away, and what a call will need is read along with its caller. */
  readonly store: Pick<Store, "recall">;
  readonly tracer: Tracer;
  readonly settings: { readonly requireIfMatch: boolean; readonly validateAnswers: boolean };
}

/** Stores the answers of requests with a key, so that repeating one does nothing twice. */
export interface Idempotency {
  /**
   * Called right after authentication: whether this request was made before. The result returns the first answer after the body has been
   * read, but never to a different body, and not while the first request is running.
   */
  recall(request: Request, actor: Actor, row: Operation): Promise<((body: unknown) => Promise<Reply>) | undefined>;
  run(
    request: Request,
    actor: Actor,
    row: Operation,
    body: unknown,
    work: (request: Request) => Promise<Reply>,
  ): Promise<Reply>;
}

/** Executes any operation, with refusals in one order: identity, rate, View, permission, body, input, preconditions, state. */
export type Dispatch = (request: Request) => Promise<Reply>;

/** What a call for a page lists, so that the same list can be read faster the next time; `null` for other calls. */
function listName({ operation, params, query }: Request): string | null {
  return parseRoute(operation).takes === "page" ? JSON.stringify([operation, params, query]) : null;
}

/** Creates the single entry to every operation, for all transports. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { access, handlers, idempotency, records, settings, tracer } = options;
  const readerOf = options.store.recall && createCallRecords(records);
  const judge: Dispatch = async (request) => {
    const row = operationsById[request.operation];
    const handle = handlerOf(handlers, request.operation);
    const { params } = request;
    const reader = readerOf?.(listName(request));
    const actor = await access.identify(request.caller, row, { params, reader });
    request.admit?.(actor, row);
    const isKeyed = request.idempotencyKey !== undefined;
    const recalled = isKeyed ? await idempotency.recall(request, actor, row) : undefined;
    if (recalled !== undefined) return answerAgain(request, { actor, row, recalled });
    const refusal = await access.authorize(actor, row, { params, query: request.query, reader });
    request.authorized?.(row, params);
    const read = readInput(row, request, refusal);
    const { body, input } = read instanceof Promise ? await read : read;
    const judged = access.authorizeBody(actor, row, input);
    if (judged !== undefined) await judged;
    if (refusal !== undefined) throw refusal;
    const carryOut = async ({ receipt }: Request) => {
      const cause = { actor: actorName(actor), requestId: request.requestId };
      const call = {
        ...input,
        actor,
        credentials: request.credentials,
        reader: (row.body === undefined ? reader : undefined) ?? records,
        preconditions: { ...request.preconditions, required: settings.requireIfMatch },
        cause: receipt === undefined ? cause : { ...cause, receipt },
        from: request.from,
        signal: () => request.signal,
      };
      const answer = await handle(call as never);
      if (settings.validateAnswers) checkAnswer(row, answer.value);
      return reply(row, answer);
    };
    return isKeyed ? await idempotency.run(request, actor, row, body, carryOut) : await carryOut(request);
  };

  /** A deleted thing can't be found any more, and whoever deleted it may ask for the result again. */
  async function answerAgain(request: Request, { actor, row, recalled }: Again): Promise<Reply> {
    request.authorized?.(row, request.params);
    const { body, input } = await readInput(row, request);
    const again = await recalled(body);
    await access.authorizeAgain(actor, row, { ...input, value: again.value });
    return again;
  }

  const dispatch = wordingRefusals(judge);
  return traced(settings.validateAnswers ? checkingRefusals(dispatch) : dispatch, tracer);
}

interface Again {
  readonly actor: Actor;
  readonly row: Operation;
  readonly recalled: (body: unknown) => Promise<Reply>;
}

function traced(dispatch: Dispatch, tracer: Tracer): Dispatch {
  return (request) => {
    const { operation, requestId, traceparent, from } = request;
    const begin = { name: operation, fields: { operation, requestId }, parent: traceparent };
    return tracer.during(from.remote ? { ...begin, kind: "server" } : begin, () => dispatch(request));
  };
}

/** An operation's handler without its types: dispatch validates what it passes. */
type AnyHandler = (call: never) => Promise<Answer<unknown>>;

function handlerOf(handlers: AllHandlers, id: OperationId): AnyHandler {
  if (id === "events.follow") throw new LiveplaneError("InternalError", "Events can only be followed as a stream.");
  return handlers[id];
}

/** Errors name what isn't found, wherever they come from, and those of token operations use the words of RFC 6749. */
function wordingRefusals(dispatch: Dispatch): Dispatch {
  return (request) => {
    const isOfTokens = request.operation.startsWith("tokens.");
    const worded = (refusal: unknown) => (isOfTokens ? inTokenWords(refusal) : namingWhatIsMissing(refusal, request));
    return dispatch(request).catch((refusal: unknown) => Promise.reject(worded(refusal)));
  };
}

/** An error of a token operation, with RFC 6749's word besides the code. */
function inTokenWords(refusal: unknown): unknown {
  if (!isLiveplaneError(refusal) || refusal.details.error !== undefined) return refusal;
  const { code, message, cause, retryable, status, requestId } = refusal;
  const details = { ...refusal.details, error: wordOf(refusal) };
  return new LiveplaneError(code, message, { cause, details, retryable, status, requestId });
}

function wordOf({ status, details: { errors = [] } }: LiveplaneError): string {
  if (errors.some(({ pointer, code }) => pointer === "#/grant_type" && code === "Enum"))
    return "unsupported_grant_type";
  if (status === 401) return "invalid_client";
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
}

/** Checks errors against the rows, as answers are checked against their schemas. */
function checkingRefusals(dispatch: Dispatch): Dispatch {
  return async (request) => {
    try {
      return await dispatch(request);
    } catch (cause) {
      const row = operationsById[request.operation];
      const foreseen = !isLiveplaneError(cause) || isForHostsOnly(cause.code) || errorCodesOf(row).has(cause.code);
      if (foreseen) throw cause;
      throw new LiveplaneError("InternalError", `${row.id} refused with ${cause.code}, which its row doesn't list.`, {
        cause,
      });
    }
  };
}

const noQuery: Schema<unknown> = z.strictObject({});

/** An error that depends on the body's target takes precedence over what is wrong with the body. */
function readInput(row: Operation, request: Request, refusal?: LiveplaneError) {
  const refuse = (fault: unknown): never => {
    throw refusal ?? fault;
  };
  try {
    const body = request.body();
    if (body instanceof Promise) return body.then((come) => inputOf(row, request, come)).catch(refuse);
    return inputOf(row, request, body);
  } catch (fault) {
    return refuse(fault);
  }
}

function inputOf(row: Operation, request: Request, body: unknown) {
  const query = parseQuery(row, request.query);
  return { body, input: { params: pathParameters(row.id, request.params), query, ...parseBody(row, body) } };
}

const noMembers = Object.freeze({});

/** An empty query needs no parsing where none is accepted. */
function parseQuery({ query }: Operation, sent: Request["query"]): unknown {
  if (query === undefined && Object.keys(sent).length === 0) return noMembers;
  return parseInput(query ?? noQuery, sent, "query");
}

function parseBody(row: Operation, body: unknown): { body: unknown; unread?: UnreadItems } {
  if (row.body === undefined || (body === undefined && row.bodyOptional === true)) return { body: {} };
  if (row.itemwise !== true) return { body: parseInput(row.body, body, "body") };
  const { items, unread } = parseItems(row.body as Schema<readonly unknown[]>, body);
  return { body: items, ...(unread && { unread }) };
}

function checkAnswer(row: Operation, value: unknown): void {
  const parts = parseRoute(row.id).takes === "page" ? (value as Page<unknown>).items : [value];
  try {
    for (const part of parts) row.result.parse(part);
  } catch (cause) {
    throw new LiveplaneError("InternalError", `The answer of ${row.id} does not match its schema.`, { cause });
  }
}

function reply(row: Operation, { value, made, location }: Answer<unknown>): Reply {
  const [status] = row.success ?? [200];
  const at = location !== undefined && { location };
  // The specification's clients accept no 201 from an upsert: `made` and the location tell a creation.
  if (status === 200 && made === true) return { row, status, value: { ...(value as object), made }, ...at };
  return { row, status, value, ...(status !== 200 && at) };
}
