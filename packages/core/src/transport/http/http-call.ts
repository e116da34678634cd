import type { Caller } from "../../access/access.ts";
import type { CallerFacts } from "../../contract/handler.ts";
import { operationsById } from "../../contract/operations/operations.ts";
import type { Preconditions } from "../../contract/preconditions.ts";
import type { OperationId } from "../../contract/routes.ts";
import type { Operation } from "../../contract/row.ts";
import type { Actor } from "../../contract/target.ts";
import type { Request } from "../dispatch.ts";
import type { RateVerdict } from "../rate-limits.ts";
import type { Exchange } from "./answers.ts";
import { type ReadBody, readBody } from "./body.ts";
import { basicCredentials, callerOf, type FoundCredentials, providerCredentials, refuseWrong } from "./credentials.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { preconditionsOf, refuseMalformed, refuseOtherVersions, refuseUnacceptable } from "./negotiation.ts";
import type { RateGate } from "./rate-gate.ts";

/** What makes a request a call: its operation, and the parts of its target. */
interface HttpCallParts {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly startedAt: number;
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: string;
}

const noCredentials: FoundCredentials = { found: {}, wrong: [] };

/**
 * A request to an operation, as dispatch needs it: what anonymous callers may not learn is read only on demand. An object with methods,
 * because one is created for every request.
 */
export class HttpCall implements Request, Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly startedAt: number;
  readonly headers: string[] = [];
  readonly operation: OperationId;
  readonly row: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly from: CallerFacts;
  readonly credentials: FoundCredentials["found"];
  readonly preconditions: Preconditions;
  readonly path?: string;
  readonly idempotencyKey?: string;
  isCounted = false;
  verdict: RateVerdict | null = null;
  tried: Exchange["tried"] = null;
  /** `null` while the caller is unknown. */
  actor: Actor | null = null;
  readonly #gate: RateGate;
  readonly #wrong: FoundCredentials["wrong"];
  readonly #malformed: readonly string[];
  #read: ReadBody | null = null;

  constructor(gate: RateGate, { request, requestId, startedAt, operation, params, query, path }: HttpCallParts) {
    this.request = request;
    this.requestId = requestId;
    this.startedAt = startedAt;
    this.operation = operation;
    this.row = operationsById[operation];
    this.params = params;
    this.query = query;
    this.caller = callerOf(request.header("authorization"));
    this.from = { address: request.address, userAgent: request.header("user-agent") ?? null, remote: true };
    this.#gate = gate;
    const { found, wrong } = this.row.credentials === undefined ? noCredentials : providerCredentials(request);
    this.credentials = found;
    this.#wrong = wrong;
    const { preconditions, malformed } = preconditionsOf(request);
    this.preconditions = preconditions;
    this.#malformed = malformed;
    const key = request.header("idempotency-key");
    if (key === undefined) return;
    this.idempotencyKey = key;
    this.path = `${request.method} ${path}`;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get traceparent(): string | undefined {
    return this.request.header("traceparent");
  }

  admit(actor: Actor, row: Operation): void {
    this.actor = actor;
    this.#gate.admit(this, actor, row);
  }

  authorized(row: Operation, params: Readonly<Record<string, string>>): void {
    this.#gate.count(this, row, params);
    refuseUnacceptable(this.request, row);
    refuseOtherVersions(this.request);
  }

  body(): unknown {
    const read = readBody(this.request, this.row);
    return read instanceof Promise ? read.then((come) => this.#taken(come)) : this.#taken(read);
  }

  #taken(read: ReadBody): unknown {
    this.#read = read;
    const { value } = read;
    refuseMalformed(this.#malformed);
    refuseWrong(this.#wrong);
    this.#gate.countName(this, this.row, value);
    if (this.operation !== "tokens.create" || typeof value !== "object" || value === null) return value;
    return { ...value, ...basicCredentials(this.request.header("authorization")) };
  }

  bodyBytes(): Uint8Array {
    return this.#read?.bytes ?? new Uint8Array();
  }
}
