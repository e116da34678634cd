import { growingRest, type StoreBell } from "@liveplane/core/store";
import type { Client, Pool } from "pg";

export interface PostgresBellDeps {
  readonly pool: Pool;
  /** Creates the listening connection: a separate one, as long as somebody listens. */
  readonly connect: () => Client;
}

/** The bell of a store, and how to close it. */
export interface PostgresBell extends StoreBell {
  close(): Promise<void>;
}

/** By schema, because channels belong to the whole database, which installations may share. */
const channel = "'liveplane.' || current_schema()";
const ringText = `SELECT pg_notify(${channel}, $1)`;
const listenText = `DO $$ BEGIN EXECUTE format('LISTEN %I', ${channel}); END $$`;
/** Between attempts to listen again, with jitter so that dropped processes don't return together. */
const pauses = { firstMs: 250, longestMs: 15_000 };

/** Rings by NOTIFY, and hears by LISTEN on a separate connection, which is reopened when it breaks. */
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
    // Rings missed meanwhile are made up for.
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
      // A new function each time, so that each registration counts separately.
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
