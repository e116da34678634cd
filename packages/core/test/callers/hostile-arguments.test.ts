import { expect, test } from "vitest";
import type { Caller } from "../../src/access/access.ts";
import type { Api } from "../../src/contract/api.ts";
import { errorCodesOf } from "../../src/contract/error-answers.ts";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { type OperationId, parseRoute } from "../../src/contract/routes.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { identityWorld } from "../builders/identity.ts";
import { calls } from "./calls.ts";
import { methodOf, worldOfCallers } from "./world.ts";

const ids = Object.keys(operationsById) as OperationId[];
const world = await worldOfCallers();
const marker = "a thought of the caller's own";

/** What plain JavaScript may pass where the types ask for something else. Each is made anew: some are spoilt by use. */
const hostile: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  "a number": () => 7,
  "no number": () => Number.NaN,
  "a bigint": () => 7n,
  "a symbol": () => Symbol(marker),
  "a function": () => () => marker,
  "a list": () => [],
  "an object": () => ({}),
  "an object without a prototype": () => Object.create(null),
  text: () => "x",
  "lone surrogates": () => "\ud800",
  "a cycle": () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    return cycle;
  },
  "a getter that throws": () => Object.defineProperty({}, "name", { enumerable: true, get: broken }),
  "a conversion that throws": () => ({ toJSON: broken, toString: broken, valueOf: broken }),
  "a proxy that throws": () => new Proxy({}, { get: broken, has: broken, ownKeys: broken, getPrototypeOf: broken }),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "a member that reaches the prototype": () => JSON.parse(`{"__proto__": {"admin": true}}`),
  "a deep nesting": () => deep,
};

/** Made once: fifty thousand lists for each call are most of the garbage here. */
const deep = Array.from({ length: 50_000 }).reduce<unknown>((within) => Object.freeze([within]), []);

function broken(): never {
  throw new TypeError(marker);
}

/** A good call with an argument, a member of one or an option put out by something hostile. */
function* spoilt(args: readonly unknown[], make: () => unknown): Generator<readonly [at: string, unknown[]]> {
  // One more than there are: the options, where a good call needs none.
  for (let at = 0; at <= args.length; at++) {
    yield [`argument ${at}`, args.toSpliced(at, 1, make())];
    const argument = args[at];
    if (typeof argument !== "object" || argument === null) continue;
    for (const name of Object.keys(argument)) {
      const copy = Array.isArray(argument) ? [...argument] : { ...argument };
      Reflect.set(copy, name, make());
      yield [`argument ${at}, ${name}`, args.with(at, copy)];
    }
  }
  for (const name of ["signal", "ifMatch", "idempotencyKey", "requestId", "limit", "cursor"])
    yield [`option ${name}`, [...args, { [name]: make() }]];
}

/** What becomes of a call: "ok", or how it is refused. */
async function outcome(api: Api, id: OperationId, args: readonly unknown[]): Promise<string> {
  let answer: unknown;
  try {
    answer = methodOf(api, id)(...args);
  } catch (thrown) {
    return `thrown before there was a promise: ${thrown}`;
  }
  try {
    if (id === "events.follow") for await (const _ of answer as AsyncIterable<unknown>) break;
    else await answer;
    return "ok";
  } catch (refusal) {
    if (!(refusal instanceof LiveplaneError)) return `${refusal}`;
    const said = `${refusal.message} ${JSON.stringify(refusal.details)} ${refusal.cause}`;
    return said.includes(marker) ? "it tells what was thrown" : refusal.code;
  }
}

/** The one of the two who gets furthest with an operation: what is refused before it is looked at proves little. */
async function callerOf(id: OperationId): Promise<"owner" | "operator"> {
  const refusal = await (await world.again()).refusal("owner", id, calls[id](world.known, "owner"));
  return refusal === null || refusal.status < 403 || refusal.status > 404 ? "owner" : "operator";
}

test.each(ids)("%s is refused by a code that its row says, whatever plain JavaScript calls it with", async (id) => {
  const who = await callerOf(id);
  const codes = [...errorCodesOf(operationsById[id])].filter((code) => !faults.has(code));
  const foreseen = new Set<string>(["ok", "Aborted", ...codes]);
  const wrong: Record<string, string> = {};
  let again = await world.again();
  for (const [kind, make] of Object.entries(hostile)) {
    for (const [at, args] of spoilt(calls[id](world.known, who), make)) {
      if (id === "events.follow" && at === "argument 0" && saysNothing.has(kind)) continue;
      const found = await outcome(again.as(who), id, args);
      if (!foreseen.has(found)) wrong[`${at} is ${kind}`] = found;
      if (again.changed()) again = await world.again();
    }
  }
  expect(wrong).toEqual({});
});

/** What is never the caller's doing. */
const faults = new Set(["InternalError", "Unavailable"]);
/** Options that say nothing: good ones, with which a stream has no end. */
const saysNothing = new Set(["undefined", "null", "an object", "an object without a prototype"]);

const plain = ids.filter((id) => id !== "events.follow");

test.each(plain)("%s refuses arguments that have no form on the wire as invalid, before anything else", async (id) => {
  const again = await world.again();
  const args = calls[id](world.known, "owner");
  const { params, takes } = parseRoute(id);
  const inOptions = (value: unknown) => [...args.slice(0, wanted), value];
  const wanted = (params.length > 0 ? 1 : 0) + (takes === "body" ? 1 : 0);
  const cases = ["a cycle", "a bigint", "a function", "a proxy that throws", "a revoked proxy"].flatMap((kind) => {
    const make = hostile[kind] as () => unknown;
    return [...Array.from({ length: wanted }, (_, at) => args.toSpliced(at, 1, make())), inOptions(make())];
  });
  for (const one of cases) expect(await outcome(again.as("nobody"), id, one)).toBe("ValidationFailed");
  expect(again.changed()).toBe(false);
});

test("who calls is copied at once, and refused as invalid where it is nobody", async () => {
  const { liveplane } = await identityWorld();
  for (const [kind, make] of Object.entries(hostile)) {
    const callers = [
      make(),
      { kind: make() },
      { kind: "bearer", token: make() },
      { kind: "account", accountId: make() },
    ];
    for (const [at, caller] of callers.entries()) {
      // A token or an id of one letter is of the right type.
      if (at > 1 && ["text", "lone surrogates"].includes(kind)) continue;
      const as = () => liveplane.as(caller as never);
      expect(as, `${at}: ${kind}`).toThrow(expect.objectContaining({ code: "ValidationFailed" }));
    }
  }
  const caller = { kind: "anonymous" as string, name: "host" };
  const api = liveplane.as(caller as Caller);
  caller.kind = "system";
  await expect(api.accounts.list()).rejects.toMatchObject({ code: "Unauthenticated" });
});
