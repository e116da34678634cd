import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Commit, Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import type { Change } from "../../src/records/records.ts";
import { defaultSettings } from "../../src/settings.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import type { Reply, Request } from "../../src/transport/dispatch.ts";
import { createIdempotency } from "../../src/transport/idempotency.ts";

interface Made {
  readonly id: string;
}
const made = collection<Made>()("made", { key: ({ id }) => [id] });
const row = operationsById["organizations.create"];
const actor = { kind: "account", accountId: "somebody" } as never;

/** What becomes of the commit that makes the thing: its answer is lost, before or after it was made, or the store is away from then on. */
type Fate = "lost, made" | "lost, never made" | "lost, made late" | "gone after it";

function setUp() {
  const runtime = fakeRuntime();
  const inner = memoryStore({ now: runtime.clock.now });
  const state: { fate: Fate | null; late: Commit | null; away: boolean } = { fate: null, late: null, away: false };
  let hook: (() => Promise<void>) | null = null;
  const store: Store = {
    ...inner,
    async commit(commit, options) {
      const keepsAnswer = commit.sets?.some(({ value }) => Reflect.get(Object(value), "state") === "answered");
      if (keepsAnswer) {
        const does = hook;
        hook = null;
        await does?.();
      }
      if (state.away) throw new LiveplaneError("StoreFailed");
      const { fate } = state;
      if (fate === null || !commit.sets?.some(({ key }) => key[1] === "made")) return inner.commit(commit, options);
      state.fate = null;
      if (fate === "lost, made late") state.late = commit;
      if (fate === "gone after it") state.away = true;
      const version = fate.startsWith("lost, ") && fate !== "lost, made" ? null : await inner.commit(commit, options);
      if (fate === "gone after it") return version;
      throw new LiveplaneError("CommitOutcomeUnknown");
    },
  };
  const records = createRecords({ store, runtime });
  const idempotency = createIdempotency({
    records,
    runtime,
    settings: defaultSettings,
    digestKey: async () => new Uint8Array(32),
  });
  /** Makes a thing with a new id each time, as a request with one and the same key. */
  const ask = (during: () => Promise<unknown> = async () => {}) => {
    const request = {
      operation: row.id,
      params: {},
      query: {},
      requestId: "request",
      idempotencyKey: "key",
    } as unknown as Request;
    return idempotency.run(request, actor, row, { name: "a" }, async ({ receipt }): Promise<Reply> => {
      const cause = { actor: "somebody", requestId: "request", ...(receipt && { receipt }) };
      await during();
      const { id } = await records.change(cause, (change: Change) => change.put(made, { id: runtime.newId() }));
      return { row, status: 201, value: { id } };
    });
  };
  const things = async () => (await records.list(made)).length;
  const beforeAnswerIsKept = (does: () => Promise<void>) => {
    hook = does;
  };
  return { runtime, inner, state, ask, things, beforeAnswerIsKept };
}

const code = (code: string) => expect.objectContaining({ code });

test("answers a repeated request as before, and does nothing twice", async () => {
  const { ask, things } = setUp();
  const first = await ask();
  expect(await ask()).toEqual(first);
  expect(await things()).toBe(1);
});

test("a request that comes while another is about to be answered finds it in flight", async () => {
  const { ask, things, beforeAnswerIsKept } = setUp();
  const repeated: Promise<Reply>[] = [];
  beforeAnswerIsKept(async () => {
    repeated.push(ask());
    await expect(repeated[0]).rejects.toEqual(code("IdempotencyInFlight"));
  });
  expect((await ask()).status).toBe(201);
  expect(repeated).toHaveLength(1);
  expect(await things()).toBe(1);
});

test.each([
  ["lost, made", "AlreadyExists"],
  ["lost, never made", 201],
] as const)(
  "a commit whose answer was lost is neither success nor failure, and is made once (%s)",
  async (fate, then) => {
    const { state, ask, things } = setUp();
    state.fate = fate;
    await expect(ask()).rejects.toEqual(code("CommitOutcomeUnknown"));
    expect(
      await ask().then(
        ({ status }) => status,
        (refusal) => refusal.code,
      ),
    ).toBe(then);
    expect(await things()).toBe(1);
  },
);

test("a commit that arrives after its key was freed is not made any more", async () => {
  const { inner, state, ask, things } = setUp();
  state.fate = "lost, made late";
  await expect(ask()).rejects.toEqual(code("CommitOutcomeUnknown"));
  expect(await inner.commit(state.late ?? {})).toBeNull();
  expect((await ask()).status).toBe(201);
  expect(await inner.commit(state.late ?? {})).toBeNull();
  expect(await things()).toBe(1);
});

test("a request so slow that its key was free again makes nothing beside the one that took it over", async () => {
  const { runtime, ask, things } = setUp();
  const second: Promise<Reply>[] = [];
  const slow = ask(async () => {
    await runtime.advance(61_000);
    second.push(ask());
    await second[0];
  });
  await expect(slow).rejects.toEqual(code("IdempotencyInFlight"));
  expect((await second[0])?.status).toBe(201);
  expect(await things()).toBe(1);
});

test.each([-86_400_000, 86_400_000])(
  "a clock that jumps by %i ms keeps no key in flight, and makes nothing twice",
  async (ms) => {
    const { runtime, ask, things } = setUp();
    const second: Promise<Reply>[] = [];
    const slow = ask(async () => {
      runtime.jump(ms);
      second.push(ask());
      await second[0];
    });
    await expect(slow).rejects.toEqual(code("IdempotencyInFlight"));
    expect((await second[0])?.status).toBe(201);
    expect(await things()).toBe(1);
  },
);

test("what was carried out is answered, also when the store goes away before the answer is kept", async () => {
  const { runtime, state, ask, things } = setUp();
  state.fate = "gone after it";
  expect((await ask()).status).toBe(201);
  state.away = false;
  await expect(ask()).rejects.toEqual(code("IdempotencyInFlight"));
  await runtime.advance(60_000);
  await expect(ask()).rejects.toEqual(code("AlreadyExists"));
  expect(await things()).toBe(1);
});

test("a request that fails tells its own failure, also when its key can't be freed", async () => {
  const { state, ask } = setUp();
  const failing = ask(async () => {
    state.away = true;
    throw new LiveplaneError("ValidationFailed");
  });
  await expect(failing).rejects.toEqual(code("ValidationFailed"));
});
