import { expect, test } from "vitest";
import type { EventLog } from "../src/events/event-log.ts";
import type { Scheduler } from "../src/ports/scheduler.ts";
import type { Store } from "../src/ports/store.ts";
import { createProcessLife } from "../src/process-life.ts";

/** A process that notes in which order its parts end. */
function noted() {
  const ended: string[] = [];
  const ends = (name: string) => async () => void ended.push(name);
  const part = (name: string) => ({ start: async () => {}, stop: ends(name) });
  const deps = {
    store: { close: ends("store") } as unknown as Store,
    scheduler: {} as Scheduler,
    log: { wake: () => {}, sequence: async () => {} } as unknown as EventLog,
    requireKeys: async () => {},
    deliverMail: async () => {},
    housekeeping: part("housekeeping"),
    agent: part("agent"),
    initializations: part("initializations"),
    webhooks: part("webhooks"),
    stopping: new AbortController(),
  };
  return { life: createProcessLife(deps), ended };
}

test.each([{ starts: true }, { starts: false }])(
  "the store closes when everything that writes has ended, in a process that was started ($starts) or wasn't",
  async ({ starts }) => {
    const { life, ended } = noted();
    if (starts) await life.start();
    await life.stop();
    expect(ended).toEqual(["agent", "initializations", "webhooks", "housekeeping", "store"]);
    expect(life.isRunning()).toBe(false);
  },
);
