import { expect, test } from "vitest";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { type Got, happen, type WebhookWorld, webhookWorld } from "../builders/webhooks.ts";

const url = "https://receiver.example/hook?key=abc";
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const types = (got: readonly Got[]) => got.map(({ event }) => event.type);

/** A live system, of which something can be told at will. */
async function liveSystem({ api, dev }: WebhookWorld, name: string) {
  const { livesystemId } = await api.liveSystems.create({ name, environmentId: dev, components: [] });
  const deploy = (description: string) =>
    api.liveSystems.deploy({ id: livesystemId }, { name, description, environmentId: dev, components: [] });
  return { id: livesystemId, deploy };
}

const aboutSystem = (id: string) => (message: Got) =>
  JSON.stringify(message.event).includes(id) && message.event.type.startsWith("livesystem.");

test("a webhook is sent what happens from its making on, as it stands in the log", async () => {
  const world = await webhookWorld();
  await happen(world.api, world.dev);
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await happen(world.api, world.dev, 2);
  await world.passing();
  expect(types(world.got)).toEqual(["webhook.created", "environment.updated", "environment.updated"]);
  const [first] = world.got;
  expect(first?.url).toBe(url);
  const logged = await world.liveplane.log.read((first?.event.sequence ?? 0) - 1, 1);
  const { about: _about, ...shown } = logged[0] ?? {};
  expect(first?.event).toEqual(shown);
  expect(first?.headers).toMatchObject({
    "content-type": "application/cloudevents+json",
    "webhook-id": first?.event.id,
    "webhook-timestamp": String(Math.floor((first?.at ?? 0) / 1000)),
  });
  await world.passing();
  expect(world.got).toHaveLength(3);
});

test("it is told of what it is for alone: types, a live system, an environment", async () => {
  const world = await webhookWorld();
  const { api, dev } = world;
  const one = await liveSystem(world, "one");
  const other = { ...dev, shortName: "other" };
  await api.environments.create(other, {});
  const hooks = api.accounts.webhooks;
  await hooks.create({ name: "types", url: "https://types.example/", types: ["environment.deleted"] });
  await hooks.create({ name: "system", url: "https://system.example/", livesystemId: one.id });
  await hooks.create({ name: "environment", url: "https://environment.example/", environmentId: other });
  await happen(api, dev);
  await happen(api, other);
  await one.deploy("again").catch(() => {});
  await api.environments.delete(other);
  await world.passing(60_000);
  const at = (host: string) => types(world.got.filter(({ url }) => url.includes(host)));
  expect(at("types")).toEqual(["environment.deleted"]);
  expect(at("environment")).toEqual(["environment.updated", "environment.deleted"]);
  const system = world.got.filter(({ url }) => url.includes("system"));
  expect(system.length).toBeGreaterThan(0);
  expect(system.every(aboutSystem(one.id))).toBe(true);
});

test("what fails is tried again, later each time, and nothing behind it goes first", async () => {
  const world = await webhookWorld();
  await world.passing();
  world.status(503);
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await happen(world.api, world.dev, 2);
  await world.passing(hourMs, { everyMs: 30_000 });
  const times = world.got.map(({ at }) => at);
  expect(types(world.got)).toEqual(times.map(() => "webhook.created"));
  const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  expect(pauses.length).toBeGreaterThan(3);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  const [waiting] = (await deliveriesOf(world)).items;
  expect(waiting).toMatchObject({ status: "Waiting", answerStatus: 503, failure: "NotTaken", attempts: times.length });
  world.got.length = 0;
  world.status(200);
  await world.passing(hourMs, { everyMs: 30_000 });
  expect(types(world.got)).toEqual(["webhook.created", "environment.updated", "environment.updated"]);
});

async function deliveriesOf({ api }: WebhookWorld) {
  const [hook] = (await api.accounts.webhooks.list()).items;
  return api.accounts.webhooks.deliveries.list({ webhookId: hook?.id ?? "" });
}

test.each([400, 404, 302])(
  "an event that is answered %i is set aside after five tries, and the events behind it are delivered",
  async (status) => {
    const world = await webhookWorld();
    const { api } = world;
    const { id: webhookId } = await api.accounts.webhooks.create({ name: "Chat", url, types: ["environment.updated"] });
    await happen(api, world.dev, 3);
    await world.liveplane.log.sequence();
    const refused = (await world.events("environment.updated"))[1]?.id;
    world.answer(({ event }) => ({ kind: "answered", status: event.id === refused ? status : 204 }));
    await world.passing(hourMs, { everyMs: 5000 });
    const tries = (id: string | undefined) => world.got.filter(({ event }) => event.id === id).length;
    const { items } = await api.accounts.webhooks.deliveries.list({ webhookId });
    expect(items.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["Delivered", 1],
      ["SetAside", 5],
      ["Delivered", 1],
    ]);
    expect(items[1]).toMatchObject({ id: refused, answerStatus: status, nextTryAt: null });
    expect(tries(refused)).toBe(5);
    expect(types(world.got.slice(0, 1))).toEqual(["environment.updated"]);
    expect(world.got.slice(1, 6).every(({ event }) => event.id === refused)).toBe(true);
    expect(await api.accounts.webhooks.get({ webhookId })).toMatchObject({ status: "Active", failingSince: null });
    world.status(200);
    await api.accounts.webhooks.deliveries.redeliver({ webhookId, deliveryId: refused ?? "" });
    await world.look();
    expect((await api.accounts.webhooks.deliveries.list({ webhookId })).items[0]).toMatchObject({
      ...{ id: refused, status: "Delivered" },
    });
  },
);

test("a webhook fails since its last success, whether it tries again or has skipped the event", async () => {
  const world = await webhookWorld();
  const { api } = world;
  const hooks = api.accounts.webhooks;
  const { id: webhookId } = await hooks.create({ name: "Chat", url, types: ["environment.updated"] });
  const failing = async () => (await hooks.get({ webhookId })).failingSince;
  await happen(api, world.dev);
  await world.passing(0);
  expect(await failing()).toBeNull();
  world.status(404);
  await world.runtime.advance(hourMs);
  await happen(api, world.dev);
  await world.passing(60_000);
  const [first] = (await deliveriesOf(world)).items;
  expect(first).toMatchObject({ status: "Waiting" });
  expect(await failing()).toBe(first?.eventAt);
  await world.passing(hourMs, { everyMs: 15_000 });
  await happen(api, world.dev);
  await world.passing(hourMs, { everyMs: 15_000 });
  const [second] = (await deliveriesOf(world)).items;
  expect(second).toMatchObject({ status: "SetAside" });
  expect(await failing()).toBe(first?.eventAt);
  world.status(200);
  await hooks.deliveries.redeliver({ webhookId, deliveryId: second?.id ?? "" });
  await world.look();
  expect(await failing()).toBeNull();
  await world.runtime.advance(1000);
  world.status(503);
  await hooks.deliveries.redeliver({ webhookId, deliveryId: first?.id ?? "" });
  await world.look();
  expect(await failing()).toBe((await deliveriesOf(world)).items[1]?.triedAt);
});

test("a webhook whose receiver is down goes on once a person redelivers the event that holds it", async () => {
  const world = await webhookWorld();
  const { api } = world;
  const { id: webhookId } = await api.accounts.webhooks.create({ name: "Chat", url, types: ["environment.updated"] });
  await happen(api, world.dev, 2);
  world.status(503);
  await world.passing(hourMs, { everyMs: 60_000 });
  const [waiting] = (await api.accounts.webhooks.deliveries.list({ webhookId })).items;
  world.status(200);
  world.got.length = 0;
  await api.accounts.webhooks.deliveries.redeliver({ webhookId, deliveryId: waiting?.id ?? "" });
  await world.look();
  expect(world.got.map(({ event }) => event.id)).toEqual(
    (await world.events("environment.updated")).slice(-2).map(({ id }) => id),
  );
});

test("after a day without success the webhook is paused, its owner is told, and resuming sends what is news still", async () => {
  const world = await webhookWorld();
  const { challenge } = await world.registered("grace@example.com");
  await world.bearer(challenge).accounts.activate({ password: "vK9-mQ2-xPLw-7d" });
  const signedIn = await world.signIn("grace@example.com");
  const api = world.bearer(signedIn.accessToken);
  const me = await api.accounts.me();
  const as = () => world.liveplane.as({ kind: "account", accountId: me.id });
  await world.passing();
  world.answer(() => ({ kind: "failed", because: "Unreachable" }));
  const { id: webhookId } = await api.accounts.webhooks.create({ name: "Chat", url });
  await world.passing(2 * dayMs, { everyMs: 600_000 });
  const paused = await as().accounts.webhooks.get({ webhookId });
  expect(paused).toMatchObject({ status: "Paused", pausedBecause: "Failing" });
  const lasted = Date.parse(paused.pausedAt ?? "") - Date.parse(paused.createdAt);
  expect(lasted).toBeGreaterThanOrEqual(dayMs);
  expect(lasted).toBeLessThan(dayMs + 5 * hourMs);
  expect(await world.events("webhook.paused")).toMatchObject([{ subject: webhookId, data: { because: "Failing" } }]);
  expect(world.mailer.last("grace@example.com").subject).toBe("A webhook was paused");
  const count = world.got.length;
  await world.passing(5 * dayMs + 12 * hourMs, { everyMs: hourMs });
  expect(world.got).toHaveLength(count);
  const fresh = { type: "Personal", ownerId: me.id, shortName: "fresh" } as const;
  await as().environments.create(fresh, {});
  world.status(200);
  world.got.length = 0;
  expect(await as().accounts.webhooks.resume({ webhookId })).toMatchObject({ status: "Active", pausedBecause: null });
  await world.passing(60_000);
  // What happened when the webhook was made is more than seven days old by now, and the pause is not.
  expect(types(world.got)).toEqual(["webhook.paused", "environment.created", "webhook.resumed"]);
});

test("a receiver that says it is gone is asked no more", async () => {
  const world = await webhookWorld();
  world.status(410);
  const { id: webhookId } = await world.api.accounts.webhooks.create({ name: "Chat", url });
  await world.passing(hourMs, { everyMs: 30_000 });
  expect(world.got).toHaveLength(1);
  expect(await world.api.accounts.webhooks.get({ webhookId })).toMatchObject({
    status: "Paused",
    pausedBecause: "Gone",
  });
});

test("where an organization's webhook is paused, each of its Admins with an address is told, and nobody else", async () => {
  const world = await webhookWorld();
  const account = async (name: string) => {
    const { challenge } = await world.registered(`${name}@example.com`);
    await world.bearer(challenge).accounts.activate({ password: "vK9-mQ2-xPLw-7d" });
    const api = world.bearer((await world.signIn(`${name}@example.com`)).accessToken);
    return { api, id: (await api.accounts.me()).id };
  };
  const [founder, admin, former, viewer] = [
    await account("founder"),
    await account("admin"),
    await account("former"),
    await account("viewer"),
  ];
  const { organizations } = founder.api;
  const { id: organizationId } = await organizations.create({ name: "Works" });
  const grant = (principalId: string, permissionType: "Admin" | "View") =>
    ({ principalType: "Account", principalId, permissionType }) as const;
  await organizations.permissions.grant({ organizationId }, grant(admin.id, "Admin"));
  await organizations.permissions.grant({ organizationId }, grant(former.id, "Admin"));
  await organizations.permissions.grant({ organizationId }, grant(viewer.id, "View"));
  await admin.api.organizations.webhooks.create({ organizationId }, { name: "Chat", url });
  await organizations.permissions.revoke({ organizationId }, grant(former.id, "Admin"));
  await world.settle();
  const before = world.mailer.mails.length;
  world.status(410);
  await world.passing(60_000);
  const told = world.mailer.mails.slice(before);
  expect(told.map(({ to, subject }) => [to, subject]).sort()).toEqual([
    ["admin@example.com", "A webhook was paused"],
    ["founder@example.com", "A webhook was paused"],
  ]);
  expect(JSON.stringify(told)).not.toContain("receiver.example");
});

test("what a receiver asks for is given it: no attempt before its Retry-After, which counts for an hour at most", async () => {
  const world = await webhookWorld();
  await world.passing();
  world.answer(() => ({ kind: "answered", status: 429, retryAfterMs: 100 * hourMs }));
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await world.passing(55 * 60_000);
  expect(world.got).toHaveLength(1);
  await world.passing(10 * 60_000);
  expect(world.got).toHaveLength(2);
});

test("a receiver that never answers is given up after fifteen seconds, and holds no other webhook up", async () => {
  const world = await webhookWorld();
  await world.passing();
  world.answer((message) =>
    message.url.includes("slow") ? new Promise<WebhookOutcome>(() => {}) : { kind: "answered", status: 204 },
  );
  await world.api.accounts.webhooks.create({ name: "slow", url: "https://slow.example/" });
  await world.api.accounts.webhooks.create({ name: "fast", url: "https://fast.example/" });
  await world.passing(10_000);
  const to = (host: string) => world.got.filter(({ url }) => url.includes(host)).length;
  expect([to("slow"), to("fast")]).toEqual([1, 1]);
  await world.passing(60_000);
  expect(to("slow")).toBeGreaterThan(1);
});

test("a redirect is a failure", async () => {
  const world = await webhookWorld();
  world.status(302);
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await world.passing();
  expect((await deliveriesOf(world)).items).toMatchObject([{ status: "Waiting", failure: "Redirected" }]);
});

test("both secrets sign while they overlap, the new one alone a day later", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId, secret: first } = await hooks.create({ name: "Chat", url });
  const { secret: second, formerEndsAt } = await hooks.issueSecret({ webhookId });
  expect([first, second].every((secret) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(secret))).toBe(true);
  expect(Date.parse(formerEndsAt) - world.runtime.clock.now()).toBe(dayMs);
  await world.passing();
  expect(world.got[0]?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  world.got.length = 0;
  await world.passing(dayMs, { everyMs: hourMs });
  await world.api.environments.update(world.dev, { name: "x" });
  await world.passing();
  expect(world.got.at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
});

test("one account has at most a hundred messages on their way, and another account's isn't kept waiting by them", async () => {
  const world = await webhookWorld();
  await world.passing();
  const admin = { principalType: "Account", principalId: world.ada.account.id, permissionType: "Admin" } as const;
  const create = async (nth: number) => {
    const { organizations } = (await world.person(`founder${nth}`)).api;
    const { id: organizationId } = await organizations.create({ name: "Works" });
    await organizations.permissions.grant({ organizationId }, admin);
    const silent = { name: "Silent", url: "https://silent.example/" };
    for (let made = 0; made < 20; made++) await world.api.organizations.webhooks.create({ organizationId }, silent);
  };
  for (let nth = 0; nth < 6; nth++) await world.runtime.during(create(nth));
  const bob = await world.person("bob");
  await world.as(bob.account.id).accounts.webhooks.create({ name: "Chat", url });
  world.answer((message) =>
    message.url.includes("silent") ? new Promise<WebhookOutcome>(() => {}) : { kind: "answered", status: 204 },
  );
  const task = world.tasks.find(({ name }) => name === "webhooks");
  expect(task?.atOnce).toBeGreaterThan(100);
  await world.liveplane.log.sequence();
  const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const ids = (await task?.shards()) ?? [];
  expect(ids).toHaveLength(101);
  const runs = ids.map((id) => task?.run(id, lease));
  await world.runtime.settle();
  const sent = (host: string) => world.got.filter((message) => message.url.includes(host)).length;
  expect([sent("silent"), sent("receiver")]).toEqual([100, 1]);
  await world.runtime.during(Promise.all(runs));
});
