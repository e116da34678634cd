import { operationsById, parseRoute, takesIdempotencyKey } from "@liveplane/core/contract";
import { callsOver, type OperationId } from "@liveplane/core/routes";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "../src/client.ts";
import type { HttpRequest } from "../src/http.ts";
import { keyless, sentAfterReset, sentOnce, toRequest } from "../src/requests.ts";

const ids = Object.keys(operationsById) as OperationId[];
const environment = { type: "Personal", ownerId: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70", shortName: "web" };

function made(id: OperationId, ...args: unknown[]): HttpRequest {
  let request: HttpRequest | undefined;
  const calls = callsOver({
    call: async (parts) => {
      request = toRequest(parts);
    },
    stream: () => {
      throw new TypeError("not a call");
    },
  });
  const call = id.split(".").reduce((node, name) => Reflect.get(node as object, name), calls);
  void (call as (...args: unknown[]) => unknown)(...args);
  return request as HttpRequest;
}

const writes = ids.filter((id) => parseRoute(id).methods[0] !== "GET");

test("every write carries a key, but for those that the contract says take none", () => {
  const none = writes.filter((id) => !takesIdempotencyKey(operationsById[id]));
  expect(writes.filter((id) => keyless.test(id))).toEqual(none);
  expect(none.length).toBeGreaterThan(10);
});

test("a runtime without crypto, such as React Native, gets a new key for each write", () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("crypto", undefined);
  const keys = Array.from({ length: 100 }, () => made("organizations.create", { name: "Acme" }).headers);
  const sent = new Set(keys.map((headers) => new Headers(headers).get("idempotency-key")));
  expect(sent.size).toBe(100);
  for (const key of sent) expect(key).toMatch(/^[0-9a-f]{32}$/);
});

test("what is sent once, or again after a reset alone, is what ends or gives credentials", () => {
  expect(writes.filter((id) => sentOnce.test(id))).toEqual(["accounts.deleteMe", "accounts.delete", "sessions.delete"]);
  expect(writes.filter((id) => sentAfterReset.test(id))).toEqual([
    ...["sessions.create", "sessions.beginByPasskey"],
    ...["tokens.create", "tokens.revoke"],
  ]);
});

test("path parameters are encoded, a component's slashes too", () => {
  const componentId = "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70/network/vnet";
  const { url } = made("liveSystems.components.check", { id: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70", componentId });
  expect(url).toBe(
    "/livesystems/0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70/components/0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70%2Fnetwork%2Fvnet/check",
  );
});

test("query members that are lists are repeated", () => {
  const { url } = made("liveSystems.components.list", { id: "a" }, { status: ["Active", "ManualOverride"], limit: 5 });
  expect(url).toBe("/livesystems/a/components?status=Active&status=ManualOverride&limit=5");
});

test("options become headers, and cloud credentials theirs", () => {
  const { headers, body } = made(
    "environments.providerA.initialize",
    environment,
    { region: "westeurope" },
    { providerAClientId: "id", providerAClientSecret: "secret", ifMatch: "7", requestId: "request-17" },
  );
  expect(headers).toMatchObject({
    "X-ProviderA-SP-Client-ID": "id",
    "X-ProviderA-SP-Client-Secret": "secret",
    "If-Match": '"7"',
    "X-Request-Id": "request-17",
    "content-type": "application/json",
  });
  expect(body).toBe('{"region":"westeurope"}');
});

test("what makes something carries a key of its own, unless the caller brings one", () => {
  const first = made("organizations.create", { name: "a" });
  const second = made("organizations.create", { name: "a" });
  expect(first.headers["Idempotency-Key"]).toMatch(/^[0-9a-f]{32}$/);
  expect(second.headers["Idempotency-Key"]).not.toBe(first.headers["Idempotency-Key"]);
  expect(made("organizations.create", { name: "a" }, { idempotencyKey: "mine" }).headers["Idempotency-Key"]).toBe(
    "mine",
  );
});

test("only what can be sent twice is sent again", () => {
  expect(made("organizations.create", { name: "a" }).repeats).toBe("always");
  expect(made("environments.get", environment).repeats).toBe("always");
  expect(made("environments.delete", environment).repeats).toBe("always");
  expect(made("sessions.create", { username: "a", password: "b" }).repeats).toBe("afterReset");
  expect(made("accounts.createWithEmail", { email: "a@b.c" }).repeats).toBe("never");
  expect(made("accounts.deleteMe").repeats).toBe("never");
});

test.each(["", "/api", "127.0.0.1:8080", "http://", "file:///etc"])(
  "the base %j is refused before anything is sent",
  (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(expect.objectContaining({ code: "ConfigurationInvalid" }));
  },
);
