import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../../adapters/test/postgres.ts";
import { beginStory, expectHandedBack, register, steps, take } from "./override-story-steps.ts";
import { operatorPassword } from "./running-server.ts";
import { startProcess } from "./server-process.ts";

test.each([
  { scheduler: "interval", agents: 1 },
  { scheduler: "pg-boss", agents: 2 },
])(
  "over one Postgres two processes answer and others check, by $scheduler: a hand-over is told through all of them",
  {
    timeout: 120_000,
  },
  async ({ scheduler, agents: count }) => {
    const postgres = await sharedPostgres();
    const dataDir = mkdtempSync(join(tmpdir(), "liveplane-postgres-server-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const settings = {
      DATABASE_URL: await postgres.freshSchema(),
      LIVEPLANE_MASTER_KEY: randomBytes(32).toString("base64"),
      LIVEPLANE_CHECK_SECONDS: "0.3",
      LIVEPLANE_SCHEDULER: scheduler,
    };
    const started = async (role: string) => {
      const server = await startProcess(dataDir, settings, ["--role", role]);
      onTestFinished(() => void server.child.kill("SIGKILL"));
      return server;
    };
    const one = await started("api");
    const other = await started("api");
    const agents = await Promise.all(Array.from({ length: count }, () => started("agent")));

    const story = beginStory(await register(other.url, operatorPassword));
    const ada = createClient({ baseUrl: one.url, credentials: { username: "ada", password: "correct horse battery" } });
    expect(await ada.accounts.me()).toMatchObject({ id: story.ownerId });
    for (const step of steps) await take(step, story);
    await expectHandedBack(story);
    expect(await ada.liveSystems.get({ id: story.known.id })).toMatchObject({ name: "shop" });

    for (const { child, ended } of [one, other, ...agents]) {
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  },
);
