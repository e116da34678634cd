import { growingRest, type StoreBell } from "@liveplane/core/store";
import type { Client, Pool } from "pg";

export interface PostgresBellDeps {
  readonly pool: Pool;
  /** Makes the connection that listens: one of its own, for as long as somebody hears. */
  readonly connect: () => Client;
}

/** The bell of a store, and how to take it down with it. */
export interface PostgresBell extends StoreBell {
  close(): Promise<void>;
}

/** By schema, since channels are the whole database's, and installations may share one. */
const channel = "'liveplane.' || current_schema()";
const ringText = `SELECT pg_notify(${channel}, $1)`;
const listenText = `DO $$ BEGIN EXECUTE format('LISTEN %I', ${channel}); END $$`;
/** Between attempts to listen again. The processes that a database has dropped don't return together. */
const pauses = { firstMs: 250, longestMs: 15_000 };

/** Rings by NOTIFY, and hears by LISTEN over its own connection, which is made again when it breaks. */
export function postgresBell({ pool, connect }: PostgresBellDeps): PostgresBell {
  const wakers = new Set<() => void>();
  /** A process doesn't hear itself. */
  const self = globalThis.crypto.randomUUID();
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;

  const wakeAll = () => {
    for (const wake of [...wakers]) wake();
  };

  function listen(): void {
    timer = null;
    if (wakers.size === 0) return;
    const own = connect();
    client = own;
    const gone = () => lost(own);
    own.on("error", gone).on("end", gone);
    own.on("notification", ({ payload }) => {
      if (payload !== self) wakeAll();
    });
    const listening = own.connect().then(() => own.query(listenText));
    // What was rung for while nobody heard is there by now.
    listening.then(() => {
      failures = 0;
      wakeAll();
    }, gone);
  }

  function lost(own: Client): void {
    if (client !== own) return;
    client = null;
    own.end().catch(() => {});
    if (wakers.size === 0) return;
    timer = setTimeout(listen, growingRest(failures, { ...pauses, chance: Math.random() }));
    timer.unref();
    failures += 1;
  }

  async function stop(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const own = client;
    client = null;
    await own?.end().catch(() => {});
  }

  return {
    async ring() {
      await pool.query(ringText, [self]).catch(() => {});
    },
    hear(wake) {
      // Each listener is one, whatever it is called with.
      const own = () => wake();
      wakers.add(own);
      if (client === null && timer === null) listen();
      return () => {
        if (wakers.delete(own) && wakers.size === 0) void stop();
      };
    },
    async close() {
      wakers.clear();
      await stop();
    },
  };
}
