import { LiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import type { Access } from "../../src/access/access.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { createDispatch, type DispatchOptions, type Request } from "../../src/transport/dispatch.ts";

const access = {
  identify: async () => ({ kind: "system", name: "test" }),
  authorize: async () => undefined,
  authorizeBody: async () => undefined,
  can: async () => true,
} as unknown as Access;

/** Has an operation answer or refuse, in a dispatch that holds both to the contract or doesn't. */
function getting(
  handler: () => Promise<{ value: unknown }>,
  validateAnswers = true,
  operation: Request["operation"] = "environments.get",
) {
  const handlers = { "environments.get": handler } as unknown as DispatchOptions["handlers"];
  const idempotency = {
    recall: async () => undefined,
    run: (request: Request, _actor: unknown, _row: unknown, _body: unknown, work: (request: Request) => never) =>
      work(request),
  };
  const dispatch = createDispatch({
    ...webRuntime(),
    access,
    handlers,
    store: { recall: () => [] },
    idempotency,
    records: createRecords({ store: memoryStore(), runtime: webRuntime() }),
    settings: { requireIfMatch: false, validateAnswers },
  });
  return dispatch({
    operation,
    caller: { kind: "system", name: "test" },
    params: { type: "Personal", ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041", shortName: "dev" },
    query: {},
    credentials: {},
    body: async () => undefined,
    preconditions: {},
    requestId: "request-0001",
    from: { address: null, userAgent: null, remote: false },
  });
}

const refusing = (code: ConstructorParameters<typeof LiveplaneError>[0]) => () =>
  Promise.reject(new LiveplaneError(code));

test("a refusal that its row doesn't say fails where answers are validated", async () => {
  await expect(getting(refusing("WeakSshKey"))).rejects.toMatchObject({
    code: "InternalError",
    cause: { code: "WeakSshKey" },
  });
  await expect(getting(refusing("WeakSshKey"), false)).rejects.toMatchObject({ code: "WeakSshKey" });
});

test("a refusal that its row says, and what only hosts see, pass", async () => {
  await expect(getting(refusing("NotFound"))).rejects.toMatchObject({ code: "NotFound" });
  await expect(getting(refusing("StoreFailed"))).rejects.toMatchObject({ code: "StoreFailed" });
});

test("an answer that doesn't fit its schema fails where answers are validated", async () => {
  await expect(getting(async () => ({ value: {} }))).rejects.toMatchObject({ code: "InternalError" });
  await expect(getting(async () => ({ value: {} }), false)).resolves.toMatchObject({ status: 200 });
});

test("a stream is followed, not called", async () => {
  const following = getting(async () => ({ value: {} }), true, "events.follow");
  await expect(following).rejects.toThrow(
    new LiveplaneError("InternalError", "Events can only be followed as a stream."),
  );
});
