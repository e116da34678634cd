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
import type { Receipt } from "../records/records.ts";

/** One call as a transport hands it over, nothing of it judged yet. */
export interface Request {
  readonly operation: OperationId;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly credentials: { readonly [name in CredentialOption]?: string };
  /** The path as it was sent, where the transport has one: an idempotency key is good for it alone. */
  readonly path?: string;
  /** Reads the body, or promises it: called only once the caller may do what they ask for. `undefined`: there is none. */
  readonly body: () => unknown;
  /** The bytes that `body` read, where the transport has them. */
  readonly bodyBytes?: () => Uint8Array;
  readonly preconditions: Preconditions;
  readonly idempotencyKey?: string;
  readonly requestId: string;
  /** The span far away that it is part of, as W3C's `traceparent` has it, where the transport was told one. */
  readonly traceparent?: string | undefined;
  readonly from: CallerFacts;
  readonly signal?: AbortSignal;
  /** Written in the same commit as the change that the call makes. */
  readonly receipt?: Receipt;
  /** Called once the caller is known, before anything else is judged: where a transport limits rates. */
  readonly admit?: (actor: Actor, row: Operation) => void;
  /** Called once the caller may do what they ask for: where what is counted belongs to the target. */
  readonly authorized?: (row: Operation, params: Readonly<Record<string, string>>) => void;
}

/** A successful answer, with what a transport says next to the body. */
export interface Reply {
  readonly row: Operation;
  readonly status: number;
  readonly value: unknown;
  /** Where something was made, or can be followed. */
  readonly location?: string;
}

export interface DispatchOptions {
  readonly access: Access;
  readonly handlers: AllHandlers;
  readonly idempotency: Idempotency;
  readonly tracer: Tracer;
  readonly settings: { readonly requireIfMatch: boolean; readonly validateAnswers: boolean };
}

/** Remembers the answers of requests that carry a key, so that repeating one does nothing twice. */
export interface Idempotency {
  /**
   * Right after identity: whether this request was made before. What it gives tells the first answer again, once the body has
   * been read: to a request with another body never, and not while the first one is under way.
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

/** Carries out any operation, in the one order of refusal: identity, rate, View, right, body, input, preconditions, state. */
export type Dispatch = (request: Request) => Promise<Reply>;

/** Builds the one way into every operation, for all transports. */
export function createDispatch({ access, handlers, idempotency, tracer, settings }: DispatchOptions): Dispatch {
  const judge: Dispatch = async (request) => {
    const row = operationsById[request.operation];
    const handle = handlerOf(handlers, request.operation);
    const actor = await access.identify(request.caller, row);
    request.admit?.(actor, row);
    const { params } = request;
    const isKeyed = request.idempotencyKey !== undefined;
    const recalled = isKeyed ? await idempotency.recall(request, actor, row) : undefined;
    if (recalled !== undefined) return answerAgain(request, { actor, row, recalled });
    const refusal = await access.authorize(actor, row, { params, query: request.query });
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

  /** What was ended can't be found any more, and anyone who ended it may ask again what came of it. */
  async function answerAgain(request: Request, { actor, row, recalled }: Again): Promise<Reply> {
    request.authorized?.(row, request.params);
    const { body, input } = await readInput(row, request);
    const again = await recalled(body);
    await access.authorizeAgain(actor, row, { ...input, value: again.value });
    return again;
  }

  const dispatch = wordingTokenErrors(judge);
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

/** An operation's handler, seen without its types: dispatch validates what it passes. */
type AnyHandler = (call: never) => Promise<Answer<unknown>>;

function handlerOf(handlers: AllHandlers, id: OperationId): AnyHandler {
  if (id === "events.follow") throw new LiveplaneError("InternalError", "Events can only be followed as a stream.");
  return handlers[id];
}

/** Token operations are refused in the words of RFC 6749, whatever it is that refuses them. */
function wordingTokenErrors(dispatch: Dispatch): Dispatch {
  return (request) =>
    request.operation.startsWith("tokens.")
      ? dispatch(request).catch((refusal: unknown) => Promise.reject(inTokenWords(refusal)))
      : dispatch(request);
}

/** A refusal of a token operation, with the word that RFC 6749 has for it next to the code. */
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

/** Holds refusals to what the rows say, as answers are held to their schemas. */
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

/** A refusal that waits for what the body says goes before what is wrong with it. */
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

/** Without members there is nothing to read where none are taken. */
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
  // Clients of the specification take no 201 from an upsert: `made` and the location tell a creation.
  if (status === 200 && made === true) return { row, status, value: { ...(value as object), made }, ...at };
  return { row, status, value, ...(status !== 200 && at) };
}
