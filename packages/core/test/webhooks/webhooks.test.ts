import { expect, test } from "vitest";
import { refusal } from "../builders/identity.ts";
import { type Got, happen, type WebhookWorld, webhookWorld } from "../builders/webhooks.ts";

const url = "https://receiver.example/hooks/T0/s3cret-path?key=s3cret-key";
const types = (got: readonly Got[]) => got.map(({ event }) => event.type);
const dayMs = 86_400_000;

test("its address and its secret show when it is made, and never again", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const made = await hooks.create({ name: "Chat", url });
  expect(made).toMatchObject({ name: "Chat", url, format: "cloudevents", types: [], status: "Active" });
  const webhookId = made.id;
  const shown = [
    await hooks.get({ webhookId }),
    (await hooks.list()).items[0],
    await hooks.update({ webhookId }, { name: "Team" }),
  ];
  for (const one of shown) expect(one).toMatchObject({ id: webhookId, url: "https://receiver.example" });
  const { secret } = await hooks.issueSecret({ webhookId });
  await happen(world.api, world.dev);
  await world.passing();
  await hooks.delete({ webhookId });
  const everything = await world.everything();
  for (const hidden of ["s3cret", made.secret, secret, made.secret.slice(6), secret.slice(6)])
    expect(everything).not.toContain(hidden);
  expect(await refusal(hooks.get({ webhookId }))).toMatchObject({ code: "NotFound" });
});

test("each change is told once, and one that changes nothing isn't", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId, version } = await hooks.create({ name: "Chat", url });
  expect((await hooks.update({ webhookId }, { name: "Chat", url, types: null })).version).toBe(version);
  const changed = await hooks.update({ webhookId }, { url: "https://other.example/", types: ["environment.created"] });
  expect(changed).toMatchObject({ url: "https://other.example", types: ["environment.created"], name: "Chat" });
  expect(await refusal(hooks.update({ webhookId }, { name: "x" }, { ifMatch: version }))).toMatchObject({
    code: "PreconditionFailed",
  });
  await hooks.issueSecret({ webhookId });
  await hooks.resume({ webhookId });
  await hooks.delete({ webhookId });
  const told = (await world.events()).filter(({ type }) => type.startsWith("webhook."));
  expect(told.map(({ type, data }) => [type, data.changed])).toEqual([
    ["webhook.created", []],
    ["webhook.updated", ["url", "types"]],
    ["webhook.secret_issued", undefined],
    ["webhook.deleted", []],
  ]);
});

test("an owner has twenty, and a deleted one makes room", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const twenty = Array.from({ length: 20 }, () => hooks.create({ name: "One", url }));
  const made = await world.runtime.during(Promise.all(twenty));
  expect(await refusal(hooks.create({ name: "More", url }))).toMatchObject({ code: "InvalidState" });
  await hooks.delete({ webhookId: made[0]?.id ?? "" });
  await hooks.create({ name: "More", url });
  expect((await hooks.list({ limit: 7 })).items).toHaveLength(7);
  const all: string[] = [];
  for await (const { id } of hooks.list.all({ limit: 7 })) all.push(id);
  expect(new Set(all).size).toBe(20);
});

test("what can't be a webhook is refused at its place", async () => {
  const world = await webhookWorld();
  const { create, update } = world.api.accounts.webhooks;
  const refused = async (input: object) => {
    const { code, at } = (await refusal(create({ name: "Chat", url, ...input }))) as { code: string; at?: string };
    return [code, at];
  };
  expect(await refused({ url: "http://receiver.example/" })).toEqual(["ValidationFailed", "#/url"]);
  expect(await refused({ url: "receiver.example" })).toEqual(["ValidationFailed", "#/url"]);
  expect(await refused({ url: "https://user@receiver.example/" })).toEqual(["ValidationFailed", "#/url"]);
  expect(await refused({ types: ["environment.exploded"] })).toEqual(["ValidationFailed", "#/types/0"]);
  expect(await refused({ types: ["environment.created", "environment.created"] })).toEqual([
    "ValidationFailed",
    "#/types/1",
  ]);
  expect(await refused({ format: "teams" })).toEqual(["ValidationFailed", "#/format"]);
  expect(await refused({ status: "Paused" })).toEqual(["ValidationFailed", "#/status"]);
  const { id: webhookId } = await create({ name: "Chat", url });
  expect(await refusal(update({ webhookId }, { url: "http://receiver.example/" }))).toMatchObject({ at: "#/url" });
});

test("it is narrowed to what its owner may View alone, and told the same of what is another's and of what isn't there", async () => {
  const world = await webhookWorld();
  const eve = await world.person("eve");
  const { livesystemId } = await world.api.liveSystems.create({
    name: "shop",
    environmentId: world.dev,
    components: [],
  });
  const { create } = world.as(eve.account.id).accounts.webhooks;
  const asked = [
    { livesystemId },
    { livesystemId: "00000000-0000-4000-8000-000000000001" },
    { environmentId: world.dev },
    { environmentId: { ...world.dev, shortName: "none" } },
  ];
  const refusals = await Promise.all(asked.map((narrowed) => refusal(create({ name: "Spy", url, ...narrowed }))));
  expect(refusals.map(({ code }) => code)).toEqual(asked.map(() => "ValidationFailed"));
  expect(refusals[0]).toEqual(refusals[1]);
  expect(refusals[2]).toEqual(refusals[3]);
  await world.api.accounts.webhooks.create({ name: "Own", url, livesystemId, environmentId: world.dev });
});

/** An organization of Ada's in which Bob may View one environment's group. */
async function shared(world: WebhookWorld) {
  const bob = await world.person("bob");
  const { id: organizationId } = await world.api.organizations.create({ name: "Works" });
  const web = { type: "Organizational", ownerId: organizationId, shortName: "web" } as const;
  await world.api.environments.create(web, {});
  const right = { principalType: "Account", principalId: bob.account.id, permissionType: "View" } as const;
  await world.api.organizations.permissions.grant({ organizationId }, right);
  return { bob: world.as(bob.account.id), organizationId, web, right };
}

test("an account is told of what it may View at that moment: nothing any more once the right is revoked, whatever waits", async () => {
  const world = await webhookWorld();
  const { bob, organizationId, web, right } = await shared(world);
  await bob.accounts.webhooks.create({ name: "Chat", url, types: ["environment.updated"] });
  await world.passing(0);
  await happen(world.api, web);
  await world.passing();
  expect(types(world.got)).toEqual(["environment.updated"]);
  world.got.length = 0;
  world.status(500);
  await happen(world.api, web);
  await world.passing(0);
  expect(world.got).toHaveLength(1);
  await happen(world.api, web);
  await world.api.organizations.permissions.revoke({ organizationId }, right);
  world.got.length = 0;
  world.status(200);
  await world.passing(60_000);
  expect(world.got).toEqual([]);
  const [hook] = (await bob.accounts.webhooks.list()).items;
  const { items } = await bob.accounts.webhooks.deliveries.list({ webhookId: hook?.id ?? "" });
  expect(items.map(({ status }) => status)).toEqual(["Withheld", "Delivered"]);
});

test("a person's webhook gives no second factor: an organization that requires one is told of by its own webhooks alone", async () => {
  const world = await webhookWorld();
  const { bob, organizationId, web } = await shared(world);
  const own = await bob.accounts.webhooks.create({ name: "Own", url, types: ["environment.updated"] });
  const home = { type: "Personal", ownerId: (await bob.accounts.me()).id, shortName: "home" } as const;
  await bob.environments.create(home, {});
  await bob.accounts.webhooks.create({ name: "Home", url, environmentId: home, types: ["account.updated"] });
  expect(own.leavesOut).toEqual([]);
  await world.api.organizations.update({ organizationId, requiresSecondFactor: true });
  await happen(world.api, web);
  await world.passing();
  expect(types(world.got)).toEqual([]);
  const { items } = await bob.accounts.webhooks.list();
  const left = Object.fromEntries(items.map((one) => [one.name, one.leavesOut]));
  expect(left).toEqual({ Own: [organizationId], Home: [] });
  const theirs = await world.api.organizations.webhooks.create(
    { organizationId },
    { name: "Theirs", url, types: ["environment.updated"] },
  );
  expect(theirs.leavesOut).toEqual([]);
  await world.passing(0);
  await happen(world.api, web);
  await world.passing();
  expect(types(world.got)).toEqual(["environment.updated"]);
});

test("an organization's webhook tells of all that is the organization's, and of nothing else; whoever made it may go", async () => {
  const world = await webhookWorld();
  const { organizationId, web } = await shared(world);
  const carol = await world.person("carol");
  const admin = { principalType: "Account", principalId: carol.account.id, permissionType: "Admin" } as const;
  await world.api.organizations.permissions.grant({ organizationId }, admin);
  const { webhooks } = world.as(carol.account.id).organizations;
  await webhooks.create({ organizationId }, { name: "Chat", url });
  await world.api.organizations.permissions.revoke({ organizationId }, admin);
  expect(await refusal(webhooks.list({ organizationId }))).toMatchObject({ code: "NotFound" });
  await happen(world.api, web);
  await happen(world.api, world.dev);
  await world.api.organizations.teams.upsert({ organizationId }, { shortName: "hidden", isPrivate: true });
  await world.passing();
  expect(types(world.got)).toEqual(["webhook.created", "permission.revoked", "environment.updated", "team.created"]);
});

test("an operator's webhook tells of the operator's own, not of everybody's", async () => {
  const world = await webhookWorld();
  const operator = await world.operator();
  const api = world.as(operator.account.id);
  await api.accounts.webhooks.create({ name: "Spy", url });
  await happen(world.api, world.dev);
  await world.passing();
  expect(types(world.got)).toEqual(["webhook.created"]);
});

test("a suspended account is told of nothing, and of all once it is resumed; a deleted one has no webhooks any more", async () => {
  const world = await webhookWorld();
  const eve = await world.person("eve");
  const accountId = eve.account.id;
  await world.as(accountId).accounts.webhooks.create({ name: "Chat", url });
  await world.host.accounts.suspend({ accountId });
  await world.passing();
  expect(world.got).toEqual([]);
  await world.host.accounts.resume({ accountId });
  await world.passing();
  expect(types(world.got)).toEqual(["webhook.created", "account.suspended", "account.resumed"]);
  world.got.length = 0;
  await world.host.accounts.delete({ accountId });
  await world.passing();
  expect(world.got).toEqual([]);
  expect([await world.kept("webhook"), await world.kept("webhook-cursor")]).toEqual([[], []]);
});

test("a test goes out at once, to a paused webhook too, and pauses nothing", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId } = await hooks.create({ name: "Chat", url, types: ["environment.deleted"] });
  const asked = await hooks.test({ webhookId });
  expect(asked).toMatchObject({ type: "webhook.test", status: "Waiting", sequence: null });
  world.status(410);
  await world.passing(0);
  const told = async () => (await hooks.deliveries.list({ webhookId })).items;
  expect(await told()).toMatchObject([{ id: asked.id, status: "Failed", failure: "Gone", attempts: 1 }]);
  expect((await hooks.get({ webhookId })).status).toBe("Active");
  world.status(204);
  await hooks.test({ webhookId });
  await world.passing(0);
  expect((await told()).map(({ status }) => status)).toEqual(["Delivered", "Failed"]);
});

test("what was sent is sent once more when it is asked for, outside of the order, with the same id", async () => {
  const world = await webhookWorld();
  const { api } = world;
  const hooks = api.accounts.webhooks;
  const { id: webhookId } = await hooks.create({ name: "Chat", url, types: ["environment.updated"] });
  await happen(api, world.dev, 2);
  await world.passing(0);
  const [, first] = (await hooks.deliveries.list({ webhookId })).items;
  const deliveryId = first?.id ?? "";
  world.status(500);
  await happen(api, world.dev);
  await world.passing(0);
  world.status(410);
  await hooks.deliveries.redeliver({ webhookId, deliveryId });
  await world.look();
  expect((await hooks.get({ webhookId })).status).toBe("Active");
  world.got.length = 0;
  world.status(200);
  const key = { idempotencyKey: "once" };
  await hooks.deliveries.redeliver({ webhookId, deliveryId }, key);
  await hooks.deliveries.redeliver({ webhookId, deliveryId }, key);
  await world.look();
  expect(world.got.map(({ event, headers }) => [event.id, headers["webhook-id"]])).toEqual([[deliveryId, deliveryId]]);
  const eve = await world.person("eve");
  const other = await world.as(eve.account.id).accounts.webhooks.create({ name: "Spy", url });
  const spying = world.as(eve.account.id).accounts.webhooks.deliveries.redeliver({ webhookId: other.id, deliveryId });
  expect(await refusal(spying)).toMatchObject({ code: "NotFound" });
});

test("a repeated key makes one test, and the making of a webhook takes none", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId } = await hooks.create({ name: "Chat", url, types: ["environment.deleted"] });
  const key = { idempotencyKey: "once" };
  const [one, again] = [await hooks.test({ webhookId }, key), await hooks.test({ webhookId }, key)];
  expect(again).toEqual(one);
  await world.passing();
  expect(world.got).toHaveLength(1);
});

test("at most five secrets sign side by side, each for a day after it was replaced", async () => {
  const world = await webhookWorld();
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId } = await hooks.create({ name: "Chat", url });
  for (let nth = 0; nth < 4; nth++) await hooks.issueSecret({ webhookId });
  expect(await refusal(hooks.issueSecret({ webhookId }))).toMatchObject({ code: "InvalidState" });
  expect((await hooks.get({ webhookId })).secrets).toHaveLength(5);
  await world.runtime.advance(dayMs);
  expect((await hooks.get({ webhookId })).secrets).toHaveLength(1);
  await hooks.issueSecret({ webhookId });
});
