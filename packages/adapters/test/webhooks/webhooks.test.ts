import { fakeRuntime } from "@liveplane/core/testing";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { fakeReceivers, happen, webhookWorld } from "../../../core/test/builders/webhooks.ts";
import { webhookSender } from "../../src/webhooks/webhook-sender.ts";
import { stranger } from "./webhook-stranger.ts";

/** A world that sends over real HTTP, in which it is now. */
async function worldFor(origin: string) {
  const runtime = fakeRuntime({ now: Date.now() });
  const receivers = { ...fakeReceivers(runtime.clock), sender: webhookSender({ allow: [origin] }) };
  const world = await webhookWorld({ runtime, receivers });
  await world.liveplane.start();
  /** One look, in real time: what is sent goes over a socket. */
  const look = async () => {
    const task = world.tasks.find(({ name }) => name === "webhooks");
    const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    await world.liveplane.log.sequence();
    for (const id of (await task?.shards()) ?? []) await task?.run(id, lease);
  };
  return { ...world, look };
}

test("a stranger verifies what it gets by the library of Standard Webhooks, with the old secret and the new", async () => {
  const receiver = await stranger();
  const world = await worldFor(receiver.origin);
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId, secret: first } = await hooks.create({ name: "Stranger", url: `${receiver.origin}/hook` });
  await world.look();
  expect(receiver.verified(first).map(({ type }) => type)).toEqual(["webhook.created"]);
  expect(() => receiver.verified(`whsec_${btoa("another secret of somebody else")}`)).toThrow("No matching signature");
  const { secret: second } = await hooks.issueSecret({ webhookId });
  await happen(world.api, world.dev);
  receiver.got.length = 0;
  await world.look();
  for (const secret of [first, second])
    expect(receiver.verified(secret).map(({ type }) => type)).toEqual(["webhook.secret_issued", "environment.updated"]);
  const [message] = receiver.got;
  const changed = message?.body.replace("webhook.", "webh00k.") ?? "";
  expect(() => new Webhook(second).verify(changed, message?.headers as Record<string, string>)).toThrow();
});

test("what a stranger didn't take comes again under the same id, and what is asked for again too", async () => {
  const receiver = await stranger();
  const world = await worldFor(receiver.origin);
  const hooks = world.api.accounts.webhooks;
  const { id: webhookId, secret } = await hooks.create({ name: "Stranger", url: receiver.origin });
  receiver.answer(500);
  await world.look();
  world.runtime.jump(60_000);
  receiver.answer(200);
  await world.look();
  const [delivery] = (await hooks.deliveries.list({ webhookId })).items;
  expect(delivery).toMatchObject({ status: "Delivered", attempts: 2 });
  await hooks.deliveries.redeliver({ webhookId, deliveryId: delivery?.id ?? "" });
  await world.look();
  expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual([delivery?.id, delivery?.id, delivery?.id]);
  expect(receiver.verified(secret)).toHaveLength(3);
});

test.each([
  "https://169.254.169.254/latest/meta-data/",
  "https://127.0.0.1/",
  "https://[::ffff:10.0.0.1]/",
  "https://localhost/",
])("a webhook to %s can't be made", async (url) => {
  const world = await worldFor("http://127.0.0.1:1");
  const making = world.api.accounts.webhooks.create({ name: "Inside", url });
  await expect(making).rejects.toMatchObject({
    code: "ValidationFailed",
    details: { errors: [{ pointer: "#/url", code: "Forbidden" }] },
  });
});
