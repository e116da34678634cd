import { expect, test } from "vitest";
import type { EventType } from "../../src/contract/event-types.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { fakeRuntime, mulberry32 } from "../../src/testing/fake-runtime.ts";
import { fakeReceivers, type Got, happen, sendingWorld, webhookWorld } from "../builders/webhooks.ts";

/*
 * Two processes send for one webhook over one store. A receiver answers at random, and processes die at random commits, before or after
 * the store has them. The receiver's own notes judge: nothing is sent before what is in front of it is settled, and nothing is lost.
 */

type Dies = "before" | "after" | null;

/** A store that a process loses at one of its commits. */
function mortal(store: Store, diesAt: (commit: number) => Dies) {
  const state = { isDead: false, commits: 0 };
  const alive = (): Store => {
    if (state.isDead) throw new LiveplaneError("StoreFailed");
    return store;
  };
  const seen: Store = {
    ...store,
    get: async (...args) => alive().get(...args),
    list: async (...args) => alive().list(...args),
    async commit(...args) {
      alive();
      const dies = diesAt(++state.commits);
      state.isDead = dies !== null;
      if (dies === "before") throw new LiveplaneError("StoreFailed");
      const done = await store.commit(...args);
      if (dies === "after") throw new LiveplaneError("StoreFailed");
      return done;
    },
  };
  return { state, store: seen };
}

const outages: readonly WebhookOutcome[] = [
  { kind: "answered", status: 429, retryAfterMs: 60_000 },
  { kind: "answered", status: 503 },
  { kind: "failed", because: "TimedOut" },
  { kind: "failed", because: "Unreachable" },
];
const refusals: readonly WebhookOutcome[] = [400, 404, 101, 307].map((status) => ({ kind: "answered", status }));
const taken: WebhookOutcome = { kind: "answered", status: 200 };
const mostOutages = 3;

/** What the receiver knows of an event. */
interface Note {
  readonly isPoison: boolean;
  readonly sequence: number;
  outages: number;
  refusals: number;
  deliveries: number;
}

/** A receiver with a plan for each event, which notes each answer and what came too soon. */
function notingReceiver(chance: () => number) {
  const notes = new Map<string, Note>();
  const tooSoon: string[] = [];
  const pick = <T>(of: readonly T[]) => of[Math.floor(chance() * of.length)] as T;
  const isSettled = ({ deliveries, refusals }: Note) => deliveries > 0 || refusals >= 5;
  const answer = ({ event: { id, sequence = 0 } }: Got): WebhookOutcome => {
    const fresh = { isPoison: chance() < 0.2, sequence, outages: 0, refusals: 0, deliveries: 0 };
    const note = notes.get(id) ?? fresh;
    notes.set(id, note);
    for (const other of notes.values())
      if (other.sequence < sequence && !isSettled(other)) tooSoon.push(`${sequence} before ${other.sequence}`);
    if (note.outages < mostOutages && chance() < 0.2) {
      note.outages += 1;
      return pick(outages);
    }
    if (note.isPoison || (note.refusals < 4 && chance() < 0.15)) {
      note.refusals += 1;
      return pick(refusals);
    }
    note.deliveries += 1;
    return taken;
  };
  return { notes, tooSoon, answer };
}

/** One run of the two processes, until all is quiet. */
async function simulate(seed: number, { deaths }: { readonly deaths: number }) {
  const chance = mulberry32(seed);
  const runtime = fakeRuntime({ seed });
  const memory = memoryStore({ now: runtime.clock.now });
  const kept: Store = { ...memory, capabilities: { ...memory.capabilities, sharedByProcesses: true } };
  const receivers = fakeReceivers(runtime.clock);
  const receiver = notingReceiver(chance);
  receivers.answer(async (got) => {
    await runtime.clock.sleep(10);
    return receiver.answer(got);
  });
  const world = await webhookWorld({ store: kept, receivers, runtime });
  const { api } = world;
  const types: EventType[] = ["environment.updated"];
  const { id: webhookId } = await api.accounts.webhooks.create({ name: "Chat", url: "https://r.example/", types });
  const left = { deaths };
  const born = async () => {
    const dying = left.deaths > 0 ? 3 + Math.floor(chance() * 12) : 0;
    const life = mortal(kept, (commit) => {
      if (commit !== dying) return null;
      left.deaths -= 1;
      return chance() < 0.5 ? "before" : "after";
    });
    const process = await sendingWorld({ store: life.store, receivers, runtime });
    await process.liveplane.start();
    return { process, life };
  };
  const processes = [await born(), await born()];
  const rounds = 12;
  for (let round = 0; round < 2000; round++) {
    if (round < rounds) await happen(api, world.dev, Math.floor(chance() * 3));
    await Promise.all(processes.map(({ process }) => process.look().catch(() => {})));
    for (const [at, { life }] of processes.entries()) if (life.state.isDead) processes[at] = await born();
    const { items } = await api.accounts.webhooks.deliveries.list({ webhookId }, { limit: 100 });
    const owed = (await world.events("environment.updated")).length;
    const settled = items.filter(({ status }) => status === "Delivered" || status === "SetAside").length;
    if (round >= rounds && settled >= owed) break;
    await runtime.advance(5000 + Math.floor(chance() * 60_000));
  }
  const { items } = await api.accounts.webhooks.deliveries.list({ webhookId }, { limit: 100 });
  const owed = (await world.events("environment.updated")).map(({ id }) => id);
  return { ...receiver, owed, of: new Map(items.map((item) => [item.id, item])), died: deaths - left.deaths };
}

test("two processes deliver every event in order, and set aside exactly those that were refused five times", async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { notes, tooSoon, owed, of } = await simulate(seed, { deaths: 0 });
    expect(tooSoon, `seed ${seed}`).toEqual([]);
    for (const id of owed) {
      const note = notes.get(id);
      const [status, attempts] = [of.get(id)?.status, of.get(id)?.attempts];
      const tries = (note?.outages ?? 0) + (note?.refusals ?? 0) + (note?.deliveries ?? 0);
      expect([id, attempts], `seed ${seed}`).toEqual([id, tries]);
      expect([note?.refusals === 5, note?.deliveries], `seed ${seed}`).toEqual(note?.isPoison ? [true, 0] : [false, 1]);
      expect(status, `seed ${seed}`).toBe(note?.isPoison ? "SetAside" : "Delivered");
    }
  }
});

test("whichever commits processes die at, no event is lost or overtaken, and a death repeats one attempt at most", async () => {
  let deaths = 0;
  for (let seed = 1; seed <= 15; seed++) {
    const { notes, tooSoon, owed, of, died } = await simulate(seed, { deaths: 6 });
    deaths += died;
    expect(tooSoon, `seed ${seed}`).toEqual([]);
    let repeated = 0;
    for (const id of owed) {
      const { isPoison = null, refusals = 0, deliveries = 0 } = notes.get(id) ?? {};
      expect([id, of.get(id)?.status], `seed ${seed}`).toEqual([id, isPoison ? "SetAside" : "Delivered"]);
      repeated += isPoison ? refusals - 5 : deliveries - 1;
      expect(isPoison ? refusals >= 5 : deliveries >= 1, `seed ${seed}`).toBe(true);
    }
    expect(repeated, `seed ${seed}`).toBeLessThanOrEqual(died);
  }
  expect(deaths).toBeGreaterThan(40);
});
