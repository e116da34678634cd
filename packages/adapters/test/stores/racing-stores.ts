import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import type { Store } from "@liveplane/core/store";
import { afterEach, beforeAll } from "vitest";
import { memoryStore } from "../../../core/src/ports/memory-store.ts";
import { sharedPostgres } from "../postgres.ts";

/** What there is to race over: each kind, with as many stores over the same data as there may be processes over it. */
export type RacingStores = Readonly<Record<"memory" | "sqlite" | "postgres", () => Promise<readonly Store[]>>>;

/** Opens real stores for the tests of a file, and closes them after each. */
export function racingStores(): RacingStores {
  const cleanUp: (() => Promise<void>)[] = [];
  beforeAll(async () => void (await sharedPostgres()));
  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  const closedAfter = (stores: readonly Store[]): readonly Store[] => {
    cleanUp.push(async () => void (await Promise.all(stores.map((store) => store.close()))));
    return stores;
  };
  return {
    memory: async () => closedAfter([memoryStore()]),
    async sqlite() {
      const folder = await mkdtemp(join(tmpdir(), "liveplane-races-"));
      cleanUp.push(() => rm(folder, { recursive: true }));
      return closedAfter([await sqliteStore({ file: join(folder, "liveplane.db") })]);
    },
    async postgres() {
      const connectionString = await (await sharedPostgres()).freshSchema();
      const open = [1, 2, 3].map(() => postgresStore({ connectionString, connections: 4 }));
      return closedAfter(await Promise.all(open));
    },
  };
}
