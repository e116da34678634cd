import { postgresStore } from "@liveplane/adapters/postgres-store";
import { fakeRuntime } from "@liveplane/core/testing";
import { beforeAll, expect, test } from "vitest";
import { createEventLog } from "../../../core/src/events/event-log.ts";
import { cuttingProxy } from "../cutting-proxy.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { halves, recordsOver } from "./crash-stores.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

test("several processes on one Postgres change and sequence at once: no gap, no fork, no event doubled, each heard once", async () => {
  const connectionString = await postgres.freshSchema();
  const stores = await Promise.all([1, 2, 3].map(() => postgresStore({ connectionString, connections: 4 })));
  const processes = stores.map(recordsOver);
  const heard: string[] = [];
  for (const { log } of processes) log.on("*", ({ subject }) => heard.push(subject));

  const changes = processes.flatMap(({ records }, process) =>
    Array.from({ length: 4 }, async (_, worker) => {
      for (let round = 0; round < 25; round++) {
        const id = `${process}.${worker}.${round}`;
        await records.change({ actor: "somebody", requestId: id }, (change) => {
          change.put(halves, { id, side: "left", state: "new" });
          change.emit({
            type: "environment.updated",
            subject: id,
            about: { kind: "installation" },
            data: { changed: [] },
          });
        });
      }
    }),
  );
  await Promise.all(changes);
  await Promise.all(processes.map(({ log }) => log.sequence()));

  const [first] = processes;
  expect(await first?.log.verify()).toEqual({ verified: 300, broken: null, waiting: 0 });
  const events = (await first?.log.read(0, 1000)) ?? [];
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  expect(new Set(events.map(({ subject }) => subject)).size).toBe(300);
  expect(heard.sort()).toEqual(events.map(({ subject }) => subject).sort());
  // The events of one worker stand in the order in which it made its changes.
  for (const worker of ["0.0", "1.2", "2.3"]) {
    const own = events.filter(({ subject }) => subject.startsWith(`${worker}.`)).map(({ subject }) => subject);
    expect(own).toEqual(Array.from({ length: 25 }, (_, round) => `${worker}.${round}`));
  }
  for (const store of stores) await store.close();
});

test("a reader in another process is woken by what is committed, in order, and again after Postgres was cut off", async () => {
  const connectionString = await postgres.freshSchema();
  const proxy = await cuttingProxy(connectionString);
  const [writing, reading] = await Promise.all([
    postgresStore({ connectionString }),
    postgresStore({ connectionString: proxy.connectionString }),
  ]);
  const { records } = recordsOver(writing);
  // Time stands still for the reader: nothing but the bell wakes it.
  const log = createEventLog({ store: reading, runtime: fakeRuntime() });
  const read: number[] = [];
  const over = new AbortController();
  const following = (async () => {
    for await (const { sequence } of log.follow({ after: 0, signal: over.signal })) read.push(sequence);
  })();
  const write = (id: string) =>
    records.change({ actor: "somebody", requestId: id }, (change) => {
      change.put(halves, { id, side: "left", state: "new" });
      change.emit({ type: "environment.updated", subject: id, about: { kind: "installation" }, data: { changed: [] } });
    });
  for (const id of ["a", "b", "c"]) await write(id);
  await expect.poll(() => read).toEqual([1, 2, 3]);
  proxy.heal();
  for (const id of ["d", "e"]) await write(id);
  await expect.poll(() => read).toEqual([1, 2, 3, 4, 5]);
  over.abort();
  await following;
  for (const store of [writing, reading]) await store.close();
  await proxy.end();
});
