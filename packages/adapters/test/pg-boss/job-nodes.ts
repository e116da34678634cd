import { type Runtime, type Scheduler, webRuntime } from "@liveplane/core";
import type { Store } from "@liveplane/core/store";
import { memoryStore } from "@liveplane/core/testing";
import { onTestFinished } from "vitest";
import { sharedPostgres } from "../postgres.ts";
import { pgBossWorld } from "./pg-boss-world.ts";

/** What a process over the store of all has. */
export interface JobNode {
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly runtime: Runtime;
  /** The process is gone in the middle of whatever it does: it hears nothing and says nothing, for ever. The first one's alone. */
  kill(): Promise<void>;
}

const startedAt = Date.UTC(2026, 0, 1);

/** Processes over one store, whose jobs are in a real Postgres. Time moves when it is told to. */
export async function jobNodes() {
  const fleet = await pgBossWorld(await sharedPostgres());
  const runtime = webRuntime({ clock: { ...fleet.clock, now: () => startedAt + fleet.clock.monotonic() } });
  const store = memoryStore({ now: runtime.clock.now });
  onTestFinished(async () => fleet.end?.());
  return {
    advance: fleet.advance,
    runtime,
    async node({ isFirst = false } = {}): Promise<JobNode> {
      const life = { isOver: false };
      const scheduler = isFirst ? fleet.scheduler : ((await fleet.another?.()) ?? fleet.scheduler);
      return {
        ...{ store: mortal(store, life), scheduler, runtime },
        async kill() {
          life.isOver = true;
          await fleet.cut?.();
        },
      };
    },
  };
}

function mortal(store: Store, life: { readonly isOver: boolean }): Store {
  const whileAlive = <R>(answer: Promise<R>) => (life.isOver ? new Promise<R>(() => {}) : answer);
  return {
    ...store,
    capabilities: { ...store.capabilities, sharedByProcesses: true },
    get: (...args) => whileAlive(store.get(...args)),
    list: (...args) => whileAlive(store.list(...args)),
    commit: (...args) => whileAlive(store.commit(...args)),
    close: async () => {},
  };
}
