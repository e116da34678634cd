import { type CallParts, credentialHeaders, type OperationId } from "@liveplane/core/routes";
import type { HttpRequest } from "./http.ts";

/** Operations that take no idempotency key: who may call them has no name yet, or they answer a secret once. @internal */
export const keyless: ReadonlySet<OperationId> = new Set<OperationId>([
  "accounts.activate",
  "accounts.activateById",
  "accounts.createWithCredentials",
  "accounts.createWithEmail",
  "accounts.issueServiceAccountSecret",
  "accounts.requestPasswordReset",
  "accounts.resendChallenge",
  "accounts.resetPassword",
  "environments.secrets.reveal",
  "environments.serviceAccounts.issueSecret",
  "organizations.issueServiceAccountSecret",
  "sessions.create",
  "tokens.create",
  "tokens.revoke",
]);

/** Turns a call into a request. What makes something gets a key of its own, so that it can be sent again. */
export function toRequest({ id, route, params, query, body, credentials, options }: CallParts): HttpRequest {
  const [method] = route.methods;
  const { signal, requestId, ifMatch, ifNoneMatch } = options;
  const takesKey = method === "POST" && !keyless.has(id);
  const key = options.idempotencyKey ?? (takesKey ? newKey() : undefined);
  const headers: Record<string, string> = { accept: "application/json", "api-version": "1" };
  if (key !== undefined) headers["idempotency-key"] = key;
  if (requestId !== undefined) headers["x-request-id"] = requestId;
  if (ifMatch !== undefined) headers["if-match"] = entityTag(ifMatch);
  if (ifNoneMatch !== undefined) headers["if-none-match"] = entityTag(ifNoneMatch);
  if (body !== undefined) headers["content-type"] = "application/json";
  for (const [option, value] of Object.entries(credentials))
    headers[credentialHeaders[option as keyof typeof credentialHeaders]] = value;
  return {
    method,
    url: fill(route.path, params) + search(query),
    headers,
    repeatable: method !== "POST" || takesKey,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
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

/** 128 random bits. `randomUUID` would do, were it there in pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
