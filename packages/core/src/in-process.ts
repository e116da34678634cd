import type { Caller } from "./account/access.ts";
import type { Api } from "./contract/api.ts";
import { type CallParts, type CallSettings, callsOver } from "./contract/calls.ts";
import type { Preconditions } from "./contract/preconditions.ts";
import type { Dispatch } from "./dispatch.ts";
import type { Follow } from "./follow.ts";

/** What the in-process transport needs. */
export interface InProcessOptions {
  readonly dispatch: Dispatch;
  readonly follow: Follow;
  readonly newId: () => string;
}

/** The whole API for one caller, without a network: every call goes the way of a remote one but for the wire. */
export function apiInProcess({ dispatch, follow, newId }: InProcessOptions, caller: Caller): Api {
  const calls = callsOver({
    call: async (parts) => (await dispatch(requestOf(parts, caller, newId))).value,
    async *stream({ query, options: { signal } }) {
      yield* await follow({ caller, query: asText(query), ...(signal && { signal }) });
    },
  });
  return calls as Api;
}

function requestOf({ id, params, query, body, credentials, options }: CallParts, caller: Caller, newId: () => string) {
  return {
    operation: id,
    caller,
    params,
    query: asText(query),
    credentials,
    body: async () => asJson(body),
    preconditions: preconditionsOf(options),
    requestId: options.requestId ?? newId(),
    from: { address: null, userAgent: null, remote: false },
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.signal && { signal: options.signal }),
  };
}

/** What the wire would make of a query, so that both transports judge the same thing. */
function asText(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value));
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, text(value)]));
}

/** What the wire would make of a body: members that are `undefined` are not there. */
function asJson(body: unknown): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function preconditionsOf({ ifMatch, ifNoneMatch }: CallSettings): Preconditions {
  return {
    ...(ifMatch !== undefined && { ifMatch: tags(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: tags(ifNoneMatch) }),
  };
}

function tags(version: string): "*" | readonly string[] {
  return version === "*" ? "*" : [version];
}
