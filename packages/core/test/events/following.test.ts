import fc from "fast-check";
import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import type { LiveplaneEvent } from "../../src/contract/event-types.ts";
import type { Actor, EnvironmentRef } from "../../src/contract/target.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, refusal } from "../builders/identity.ts";
import { toAccount } from "../builders/principals.ts";

type World = Awaited<ReturnType<typeof identityWorld>>;
type Person = Awaited<ReturnType<World["person"]>>;

const wide = { accounts: 1000, organizations: 1000 };
const plans = { discover: wide, workgroup: wide };

/** Follows until an event of its own tells that it has read everything. */
async function readAll({ account, api }: Person, shortName: string, after = 0): Promise<LiveplaneEvent[]> {
  await api.environments.create({ type: "Personal", ownerId: account.id, shortName }, {});
  const seen: LiveplaneEvent[] = [];
  for await (const event of api.events.follow({ after })) {
    seen.push(event);
    if (event.type === "environment.created" && event.subject.endsWith(`/${shortName}`)) break;
  }
  return seen;
}

/** A store that counts the rows that are read from it. */
function counting(store: Store) {
  const read = { rows: 0 };
  const counted: Store = {
    ...store,
    async get(keys, options) {
      read.rows += keys.length;
      return store.get(keys, options);
    },
    async list(range, options) {
      const entries = await store.list(range, options);
      read.rows += entries.length;
      return entries;
    },
  };
  return { read, store: counted };
}

/** Has somebody else make much happen. */
async function crowd(world: World, events: number): Promise<Person> {
  const crowded = await world.person("crowd");
  const ownerId = crowded.account.id;
  for (let at = 0; at < events / 2; at++) {
    await world.host.environments.create({ type: "Personal", ownerId, shortName: `e${at}` }, {});
    await world.host.environments.delete({ type: "Personal", ownerId, shortName: `e${at}` });
  }
  await world.liveplane.log.sequence();
  return crowded;
}

test("following in process ends, and doesn't fail, when the host stops", async () => {
  const { liveplane, operator, settle } = await identityWorld();
  const { api } = await operator();
  const seen: string[] = [];
  const ended = (async () => {
    for await (const { type } of api.events.follow({ after: 0 })) seen.push(type);
    return "ended";
  })();
  await settle();
  await liveplane.stop();
  await settle();
  expect(await ended).toBe("ended");
  expect(seen).toContain("account.registered");
});

test("following ends for its caller alone when the caller's signal fires", async () => {
  const { liveplane, operator, host, settle } = await identityWorld();
  const { api } = await operator();
  const leave = new AbortController();
  const left: string[] = [];
  const stayed: string[] = [];
  const follow = async (into: string[], signal?: AbortSignal) => {
    for await (const { type } of api.events.follow({ ...(signal && { signal }) })) into.push(type);
  };
  const both = [follow(left, leave.signal), follow(stayed)];
  await settle();
  leave.abort();
  await both[0];
  await host.accounts.createWithCredentials({ username: "grace", password: "vK9-mQ2-xPLw-7d" });
  await settle();
  expect(left).toEqual([]);
  expect(stayed).toContain("account.registered");
  await liveplane.stop();
  await both[1];
});

test("a stranger who follows from the beginning reads a few rows, however much happened to others", async () => {
  const runtime = fakeRuntime();
  const { read, store } = counting(memoryStore({ now: runtime.clock.now }));
  const world = await identityWorld({}, undefined, { store });
  await crowd(world, 3000);
  const stranger = await world.person("stranger");
  read.rows = 0;
  const seen = await readAll(stranger, "own");
  expect(seen.map(({ type }) => type)).toEqual(expect.arrayContaining(["account.registered", "environment.created"]));
  expect(read.rows).toBeLessThan(200);
});

test("an operator reads every number of the log", async () => {
  const world = await identityWorld();
  const { api } = await world.operator();
  await crowd(world, 500);
  const head = await world.liveplane.log.head();
  const sequences: number[] = [];
  for await (const { sequence } of api.events.follow({ after: 0 })) if (sequences.push(sequence) === head) break;
  expect(sequences).toEqual(Array.from({ length: head }, (_, at) => at + 1));
});

test("lets others run after every batch, also where many follow at once", async () => {
  const fake = fakeRuntime();
  let batches = 0;
  let mostAtOnce = 0;
  const turn = async () => {
    mostAtOnce = Math.max(mostAtOnce, batches);
    batches = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const memory = memoryStore({ now: fake.clock.now });
  const store: Store = {
    ...memory,
    async list(range, options) {
      if (range.prefix[0] === "event" && range.prefix[1] !== "pending") batches += 1;
      return memory.list(range, options);
    },
  };
  const world = await identityWorld({}, undefined, { store, runtime: { ...fake, yield: turn } });
  const crowded = await crowd(world, 600);
  await turn();
  mostAtOnce = 0;
  await Promise.all(Array.from({ length: 10 }, (_, at) => readAll(crowded, `done${at}`)));
  expect(mostAtOnce).toBeGreaterThan(0);
  expect(mostAtOnce).toBeLessThanOrEqual(2);
});

test("streams on which nothing happens wait for nobody when something happens to others", async () => {
  const fake = fakeRuntime();
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  const world = await identityWorld({}, undefined, { runtime: { ...fake, yield: turn } });
  const [stranger, other] = [await world.person("stranger"), await world.person("other")];
  const leave = new AbortController();
  const open = Array.from({ length: 20 }, async () => {
    for await (const _ of stranger.api.events.follow({ signal: leave.signal }));
  });
  await world.settle();
  turns = 0;
  const own = readAll(other, "own");
  await world.settle();
  expect((await own).length).toBeGreaterThan(0);
  expect(turns).toBeLessThan(10);
  leave.abort();
  await Promise.all(open);
});

test("a reader who takes nothing is read for no further than a batch", async () => {
  const runtime = fakeRuntime();
  const { read, store } = counting(memoryStore({ now: runtime.clock.now }));
  const world = await identityWorld({}, undefined, { store });
  const { api } = await crowd(world, 3000);
  read.rows = 0;
  const slow = api.events.follow({ after: 0 })[Symbol.asyncIterator]();
  await slow.next();
  for (let turns = 0; turns < 20; turns++) await world.settle();
  expect(read.rows).toBeLessThan(1000);
  await slow.return?.();
});

/** A person of an organization, whose right ends when the test says. */
async function membership() {
  const world = await identityWorld({ plans });
  const [owner, guest] = [await world.person("owner"), await world.person("guest")];
  const organizationId = (await owner.api.organizations.create({ name: "Org" })).id;
  const grant = toAccount(guest.account.id, "View");
  await owner.api.organizations.permissions.grant({ organizationId }, grant);
  const make = (shortName: string) =>
    owner.api.environments.create({ type: "Organizational", ownerId: organizationId, shortName }, {});
  const follow = () => guest.api.events.follow({ after: 0, type: ["environment.created"] })[Symbol.asyncIterator]();
  const next = async (events: ReturnType<typeof follow>) => (await events.next()).value?.subject.split("/")[2];
  const revoke = () => owner.api.organizations.permissions.revoke({ organizationId }, grant);
  return { world, owner, guest, make, follow, next, revoke };
}

test.each([
  ["within a batch", 3],
  ["between two batches", 100],
])("what was granted and is revoked %s shows no more from then on", async (_when, taken) => {
  const { guest, make, follow, next, revoke } = await membership();
  for (let at = 0; at < 150; at++) await make(`e${at}`);
  const events = follow();
  for (let at = 0; at < taken; at++) expect(await next(events)).toBe(`e${at}`);
  await revoke();
  await guest.api.environments.create({ type: "Personal", ownerId: guest.account.id, shortName: "own" }, {});
  expect(await next(events)).toBe("own");
  await events.return?.();
});

test("a session that ends within a batch ends the stream", async () => {
  const { world, guest, make, follow, next } = await membership();
  for (let at = 0; at < 10; at++) await make(`e${at}`);
  const events = follow();
  expect(await next(events)).toBe("e0");
  await world.nobody.tokens.revoke({ token: guest.tokens.accessToken });
  expect(await refusal(events.next())).toMatchObject({ code: "TokenRevoked" });
});

test("a session that ends while nothing happens ends the stream by the next heartbeat", async () => {
  const { world, guest, follow } = await membership();
  const events = follow();
  const ended = refusal(events.next());
  await world.settle();
  await world.nobody.tokens.revoke({ token: guest.tokens.accessToken });
  await world.advance(20_000);
  expect(await ended).toMatchObject({ code: "TokenRevoked" });
});

test("a principal has twenty streams at most, and one that ends frees its place", async () => {
  const world = await identityWorld();
  const [one, other] = [await world.person("one"), await world.person("other")];
  const leave = Array.from({ length: 20 }, () => new AbortController());
  const open = leave.map(async ({ signal }) => {
    for await (const _ of one.api.events.follow({ signal }));
  });
  await world.settle();
  const refused = await one.api.events
    .follow({ after: 0 })
    [Symbol.asyncIterator]()
    .next()
    .catch((error) => error);
  expect(refused).toMatchObject({
    code: "RateLimited",
    status: 429,
    details: { retryAfterSeconds: expect.any(Number) },
  });
  expect((await readAll(other, "own")).length).toBeGreaterThan(0);
  leave[7]?.abort();
  await open[7];
  expect((await readAll(one, "own")).length).toBeGreaterThan(0);
  for (const one of leave) one.abort();
  await Promise.all(open);
});

test("a clock that jumps back keeps nobody waiting", async () => {
  const fake = fakeRuntime();
  let back = 0;
  const clock = { ...fake.clock, now: () => fake.clock.now() - back };
  const store = memoryStore({ now: clock.now });
  const world = await identityWorld({}, undefined, { store, runtime: { ...fake, clock } });
  const { account, api } = await world.person("ada");
  const seen: string[] = [];
  const leave = new AbortController();
  const following = (async () => {
    for await (const { subject } of api.events.follow({ type: ["environment.created"], signal: leave.signal }))
      seen.push(subject.split("/")[2] ?? "");
  })();
  await world.settle();
  const make = (shortName: string) =>
    world.host.environments.create({ type: "Personal", ownerId: account.id, shortName }, {});
  await make("before");
  await world.settle();
  back = 86_400_000;
  await make("after");
  await fake.advance(2000);
  expect(seen).toEqual(["before", "after"]);
  leave.abort();
  await following;
});

interface Step {
  readonly what: "environment" | "organizational" | "delete" | "grant" | "revoke" | "group" | "password";
  readonly who: number;
  readonly whom: number;
  readonly at: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom("environment", "organizational", "delete", "grant", "revoke", "group", "password"),
  who: fc.nat({ max: 2 }),
  whom: fc.nat({ max: 2 }),
  at: fc.nat({ max: 3 }),
});

test("what is told is what the whole log holds that may be viewed, in any world", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), fc.nat({ max: 8 }), async (steps, after) => {
      const world = await identityWorld({ plans });
      const people = [await world.person("ann"), await world.person("ben"), await world.person("cleo")];
      const organizations: string[] = [];
      for (const { api } of people.slice(0, 2))
        organizations.push((await api.organizations.create({ name: "Org" })).id);
      for (const one of steps) await play(one, people, organizations).catch(() => {});
      await world.liveplane.log.sequence();
      for (const [at, person] of people.entries()) {
        const told = await readAll(person, `last${at}`, after);
        const until = told.at(-1)?.sequence ?? 0;
        const actor: Actor = { kind: "account", accountId: person.account.id };
        const all = (await world.liveplane.log.read(after, 1000)).filter(({ sequence }) => sequence <= until);
        const may = await Promise.all(all.map(({ about }) => world.liveplane.access.sees(actor, about)));
        expect(told.map(({ sequence }) => sequence)).toEqual(
          all.filter((_, place) => may[place]).map(({ sequence }) => sequence),
        );
      }
    }),
    { numRuns: 25, seed: 7 },
  );
});

async function play({ what, who, whom, at }: Step, people: readonly Person[], organizations: readonly string[]) {
  const [{ account, api } = never(), other = never()] = [people[who], people[whom]];
  const organizationId = organizations[at % 2] ?? "";
  const { organizations: admin } = (people[at % 2] ?? never()).api;
  const own: EnvironmentRef = { type: "Personal", ownerId: account.id, shortName: `p${at}` };
  const shared: EnvironmentRef = { type: "Organizational", ownerId: organizationId, shortName: `o${at}` };
  const grant = toAccount(other.account.id, "View");
  const inGroup = { organizationId, shortName: "group" };
  switch (what) {
    case "environment":
      return api.environments.create(own, {});
    case "organizational":
      return api.environments.create(
        shared,
        at < 2 ? {} : { resourceGroups: [`Organizational/${organizationId}/group`] },
      );
    case "delete":
      return api.environments.delete(at % 2 === 0 ? own : shared);
    case "grant":
      return at < 2
        ? admin.permissions.grant({ organizationId }, grant)
        : admin.resourceGroups.permissions.grant(inGroup, grant);
    case "revoke":
      return at < 2
        ? admin.permissions.revoke({ organizationId }, grant)
        : admin.resourceGroups.permissions.revoke(inGroup, grant);
    case "group":
      return admin.resourceGroups.upsert(inGroup, { displayName: "Group" });
    case "password":
      return groupOf(api, at);
  }
}

function groupOf(api: Api, at: number): Promise<unknown> {
  return api.accounts.resourceGroups.upsert({ shortName: `g${at}` }, { displayName: "Mine" });
}

function never(): never {
  throw new RangeError("There is no such person.");
}
