import type { Caller } from "../access/access.ts";
import type { Api } from "../contract/api.ts";
import { type AllSettings, type CallParts, isRequestId } from "../contract/call-arguments.ts";
import { callsOver } from "../contract/calls.ts";
import type { Preconditions } from "../contract/preconditions.ts";
import { forStrangers } from "../errors.ts";
import { ownCopy } from "../records/shown-once.ts";
import type { Dispatch, Reply } from "./dispatch.ts";
import type { Follow } from "./follow.ts";

/** What the in-process transport needs. */
export interface InProcessOptions {
  readonly dispatch: Dispatch;
  readonly follow: Follow;
  readonly newId: () => string;
}

/** The whole API for one caller without a network: calls take the same path as remote ones, except for the wire. */
export function apiInProcess({ dispatch, follow, newId }: InProcessOptions, caller: Caller): Api {
  const calls = callsOver({
    async call(parts) {
      const request = requestOf(parts, caller, newId);
      const tell = tellerOf(parts.options, request.requestId);
      try {
        const reply = await dispatch(request);
        tell(reply.status, headersOf(reply));
        return ownCopy(reply.value);
      } catch (error) {
        tell(forStrangers(error).status);
        throw error;
      }
    },
    async *stream({ query, options: { signal } }) {
      yield* await follow({ caller, query, ...(signal && { signal }) });
    },
  });
  return calls as Api;
}

function tellerOf({ onAnswer }: AllSettings, requestId: string) {
  return (status: number, headers = new Headers()) => onAnswer?.({ status, requestId, headers });
}

function headersOf({ row, value, location }: Reply): Headers {
  const headers = new Headers(location === undefined ? {} : { location });
  if (row.versioned === true) headers.set("etag", `"${Reflect.get(Object(value), "version")}"`);
  return headers;
}

function requestOf({ id, params, query, body, credentials, options }: CallParts, caller: Caller, newId: () => string) {
  const { requestId } = options;
  return {
    operation: id,
    caller,
    params,
    query,
    credentials,
    body: () => body,
    preconditions: preconditionsOf(options),
    requestId: requestId !== undefined && isRequestId(requestId) ? requestId : newId(),
    from: { address: null, userAgent: null, remote: false },
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.signal && { signal: options.signal }),
  };
}

function preconditionsOf({ ifMatch, ifNoneMatch }: AllSettings): Preconditions {
  return {
    ...(ifMatch !== undefined && { ifMatch: tags(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: tags(ifNoneMatch) }),
  };
}

function tags(version: string): "*" | readonly string[] {
  return version === "*" ? "*" : [version];
}
