import { join } from "node:path";
import { keyvStore } from "@liveplane/adapters/keyv-store";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { exportStore, importStore, memoryStore, type Store } from "@liveplane/core/store";
import Keyv from "keyv";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../empty-folder.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { type Half, halves, recordsOver } from "./crash-stores.ts";

const folder = emptyFolder(afterAll);
let postgres: SharedPostgres;
let files = 0;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

const adapters: Record<string, () => Promise<Store>> = {
  memory: async () => memoryStore(),
  sqlite: () => sqliteStore({ file: join(folder, `${++files}.db`) }),
  postgres: async () => postgresStore({ connectionString: await postgres.freshSchema(), connections: 4 }),
  keyv: () => keyvStore({ keyv: new Keyv({ store: new Map() }), snapshotEvery: 100 }),
};
const pairs = Object.keys(adapters).flatMap((from) => Object.keys(adapters).map((to) => [from, to] as const));
const cause = { actor: "somebody", requestId: "request" };

/** A store in memory answers without ever letting anything else of the process run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Commits pairs of records that must always agree, until told to stop. Answers how many pairs it has made. */
function keepsWriting(store: Store) {
  const { records, log } = recordsOver(store);
  const going = { on: true, rounds: 0 };
  const write = async (state: string, round: number) => {
    await records.change(cause, async (change) => {
      for (const side of ["left", "right"] as const) {
        const half: Half = { id: `id ${round % 50}`, side, state };
        await change.get(halves, [half.id, side]);
        change.put(halves, half);
      }
      change.emit({
        type: "environment.updated",
        subject: `${round}`,
        about: { kind: "installation" },
        data: { changed: [] },
      });
    });
    going.rounds = round;
  };
  const done = (async () => {
    for (let round = 1; going.on; round++) {
      await write(`state ${round}`, round);
      await turn();
    }
    await log.sequence();
  })();
  return {
    async reaches(rounds: number) {
      while (going.rounds < rounds) await turn();
    },
    async stop() {
      going.on = false;
      await done;
      return going.rounds;
    },
  };
}

test.for(pairs)("%s moves to %s while it is in use, as it was at one instant", async ([from, to]) => {
  const [source, target] = [await adapters[from]?.(), await adapters[to]?.()];
  if (source === undefined || target === undefined) return expect.unreachable();
  await source.commit({ sets: Array.from({ length: 700 }, (_, at) => ({ key: ["bulk", `${at}\u0000é`], value: at })) });
  const writing = keepsWriting(source);
  await writing.reaches(60);

  let during = 0;
  const lines = exportStore(source, { onProgress: () => void during++ });
  async function* slowly() {
    for await (const line of lines) {
      if (during === 1) await writing.reaches(80);
      yield line;
    }
  }
  const progress: number[] = [];
  const entries = await importStore(target, slowly(), { onProgress: (count) => progress.push(count) });
  const rounds = await writing.stop();
  expect(rounds).toBeGreaterThanOrEqual(80);
  expect(progress.at(-1)).toBe(entries);

  const { records, log } = recordsOver(target);
  await log.sequence();
  const head = await log.head();
  expect(head).toBeGreaterThanOrEqual(60);
  expect(head).toBeLessThan(rounds);
  expect(await log.verify()).toEqual({ verified: head, broken: null, waiting: 0 });
  const subjects = (await log.read(0, 1000)).map(({ subject }) => Number(subject));
  expect(subjects).toEqual(Array.from({ length: head }, (_, at) => at + 1));

  const moved = (await records.list(halves)).map(({ record: { version: _version, ...half } }) => half);
  const latest = new Map(subjects.map((round) => [`id ${round % 50}`, `state ${round}`]));
  const expected = [...latest].flatMap(([id, state]) => [
    { id, side: "left", state },
    { id, side: "right", state },
  ]);
  const byPlace = (a: Pick<Half, "id" | "side">, b: Pick<Half, "id" | "side">) =>
    `${a.id} ${a.side}` < `${b.id} ${b.side}` ? -1 : 1;
  expect(moved.sort(byPlace)).toEqual((expected as Half[]).sort(byPlace));
  expect(await target.list({ prefix: ["bulk"] })).toHaveLength(700);
  expect(await target.list({ prefix: ["unique", "half"] })).toHaveLength(moved.length);

  await source.close();
  await target.close();
});
