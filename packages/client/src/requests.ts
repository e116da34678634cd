import { type CallParts, type OperationId, optionHeaders } from "@liveplane/core/routes";
import type { HttpRequest } from "./http.ts";

/** Operations without idempotency keys: their callers are unknown, or they answer a one-time secret. @internal */
export const keyless =
  /^(?:tokens|sessions\.(?:create|begin|auth)|accounts\.(?:activate|create|rese|requestP))|\.(?:issue|addTotp$|reveal$)|webhooks\.create$/;

/** Sign-ins and token operations: sent again once after a network failure. Doing one twice is harmless. @internal */
export const sentAfterReset = /^(?:tokens\.[cr]|sessions\.(?:create$|begin))/;

/** May end its own credential: a repetition would be refused although it was done. @internal */
export const sentOnce = /^(?:accounts|sessions)\.delete/;

/** Turns a call into a request. A write gets a key, so that it can be repeated. */
export function toRequest({ id, route, params, query, body, credentials, options }: CallParts): HttpRequest {
  const [method] = route.methods;
  const { signal, timeoutMs, onAnswer, ...settings } = options;
  const takesKey = method !== "GET" && !keyless.test(id);
  const headers: Record<string, string> = { accept: "application/json", "api-version": "1" };
  const told = {
    ...(takesKey && { idempotencyKey: newKey() }),
    ...settings,
    ...credentials,
  };
  for (const [option, value] of Object.entries(told))
    headers[optionHeaders[option] as string] = option.startsWith("if") ? entityTag(value) : value;
  if (body !== undefined) headers["content-type"] = "application/json";
  const isRead = method === "GET";
  return {
    method,
    url: fill(route.path, params) + search(query),
    headers,
    repeats: isRead || takesKey ? repeatsOf(id) : keylessRepeats(id),
    isRepeatable: isRead || options.idempotencyKey !== undefined || sentAfterReset.test(id),
    ...(timeoutMs && { timeoutMs }),
    ...(onAnswer && { onAnswer }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
}

function repeatsOf(id: OperationId): HttpRequest["repeats"] {
  return sentOnce.test(id) ? "never" : "always";
}

function keylessRepeats(id: OperationId): HttpRequest["repeats"] {
  return sentAfterReset.test(id) ? "afterReset" : "never";
}

function entityTag(version: string): string {
  return version === "*" ? "*" : `"${version}"`;
}

function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function search(query: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return members.length === 0 ? "" : `?${new URLSearchParams(members)}`;
}

/**
 * 128 random bits. `randomUUID` is missing on pages without TLS, and React Native has no `crypto` at all: a key must be unique but
 * not secret, so `Math.random` is enough there.
 */
function newKey(): string {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else globalThis.crypto.getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
