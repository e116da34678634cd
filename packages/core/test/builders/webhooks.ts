import type { Api } from "../../src/contract/api.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Scheduler, ShardedTask } from "../../src/ports/scheduler.ts";
import type { Store } from "../../src/ports/store.ts";
import type { WebhookMessage, WebhookOutcome, WebhookSender } from "../../src/ports/webhook-sender.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";
import { identityWorld } from "./identity.ts";

/** What a receiver got. */
export interface Got extends WebhookMessage {
  readonly event: { readonly id: string; readonly type: string; readonly subject: string; readonly sequence?: number };
  readonly at: number;
}

type Answering = (message: Got) => WebhookOutcome | Promise<WebhookOutcome>;

/** Receivers that answer as they are told, and keep what they got. */
export function fakeReceivers(clock: { now(): number }) {
  const got: Got[] = [];
  let answering: Answering = () => ({ kind: "answered", status: 204 });
  const sender: WebhookSender = {
    refusalOf: (url) => (url.startsWith("http://") ? "It must be https." : null),
    async send(message) {
      const event = JSON.parse(message.body);
      const whole = { ...message, event, at: clock.now() };
      got.push(whole);
      return answering(whole);
    },
  };
  return {
    got,
    sender,
    answer(how: Answering) {
      answering = how;
    },
    status(status: number) {
      answering = () => ({ kind: "answered", status });
    },
  };
}

/** Runs tasks when it is told to. */
function byHand(): { readonly tasks: ShardedTask[]; readonly scheduler: Scheduler } {
  const tasks: ShardedTask[] = [];
  const scheduler: Scheduler = {
    async start(task) {
      tasks.push(task);
      return { request: async () => {}, stop: async () => {} };
    },
    enqueue: async () => {},
  };
  return { tasks, scheduler };
}

/** A control plane that sends webhooks, over a store that may be another's already. */
export async function sendingWorld({
  store: given,
  receivers: known,
  runtime = fakeRuntime(),
}: Partial<WorldParts> = {}) {
  const receivers = known ?? fakeReceivers(runtime.clock);
  const store = given ?? memoryStore({ now: runtime.clock.now });
  const { tasks, scheduler } = byHand();
  const real = { runtime, store, sealer: fakeSealer(), webhookSender: receivers.sender, scheduler };
  const world = await identityWorld({}, undefined, real);

  /** One look for what is to be sent, and the sending of it, however long receivers take. */
  async function look(): Promise<void> {
    const task = tasks.find(({ name }) => name === "webhooks");
    const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    await world.liveplane.log.sequence();
    const ids = (await task?.shards()) ?? [];
    await runtime.during(Promise.all(ids.map((id) => task?.run(id, lease))));
  }
  /** Time passes, and it is looked every so often. */
  async function passing(ms = 15_000, { everyMs = 5000 }: { readonly everyMs?: number } = {}) {
    await world.liveplane.start();
    const until = runtime.clock.now() + ms;
    for (await look(); runtime.clock.now() + everyMs <= until; await look()) await runtime.advance(everyMs);
  }
  const as = (accountId: string) => world.liveplane.as({ kind: "account", accountId });
  return { ...world, ...receivers, runtime, store, tasks, passing, look, as };
}

/** The same with a person, Ada, who has one environment. */
export async function webhookWorld(parts: Partial<WorldParts> = {}) {
  const world = await sendingWorld(parts);
  const ada = await world.person("ada");
  const api = world.as(ada.account.id);
  await api.accounts.update({ name: "Ada" });
  const dev = { type: "Personal", ownerId: ada.account.id, shortName: "dev" } as const;
  await api.environments.create(dev, {});
  return { ...world, ada, api, dev };
}

interface WorldParts {
  readonly store: Store;
  readonly receivers: ReturnType<typeof fakeReceivers>;
  readonly runtime: ReturnType<typeof fakeRuntime>;
}

export type WebhookWorld = Awaited<ReturnType<typeof webhookWorld>>;

let names = 0;

/** Makes something happen in an environment, so often. */
export async function happen(
  api: Api,
  environment: { type: "Personal" | "Organizational"; ownerId: string; shortName: string },
  times = 1,
) {
  for (let nth = 0; nth < times; nth++) await api.environments.update(environment, { name: `Name ${names++}` });
}
