import { schedulerConformance } from "@liveplane/core/testing";
import { beforeAll, test } from "vitest";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { pgBossWorld } from "./pg-boss-world.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

schedulerConformance(
  (title, run) => test(title, { timeout: 60_000 }, run),
  () => pgBossWorld(postgres),
  { sharedByProcesses: true },
);
