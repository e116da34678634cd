import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../../adapters/test/postgres.ts";
import { beginStory, register, steps, take } from "./override-story-steps.ts";
import { send } from "./raw-http.ts";
import { operatorPassword, runServer } from "./running-server.ts";

/** A server whose jobs are in Postgres, with an environment that is ready for deploys, and a session of an administrator. */
async function world() {
  const postgres = await sharedPostgres();
  const connectionString = await postgres.freshSchema();
  const schema = `${/search_path%3D(\w+)/.exec(connectionString)?.[1]}_jobs`;
  const server = await runServer({
    DATABASE_URL: connectionString,
    LIVEPLANE_MASTER_KEY: randomBytes(32).toString("base64"),
    LIVEPLANE_CHECK_SECONDS: "0.3",
    LIVEPLANE_SCHEDULER: "pg-boss",
  });
  const administrator = new pg.Client(connectionString);
  await administrator.connect();
  onTestFinished(() => administrator.end());
  const story = beginStory(await register(server.url, operatorPassword));
  for (const step of steps.slice(0, 2)) await take(step, story);
  const { api, known } = story;
  return {
    schema,
    administrator,
    ready: () => send(server.url, { path: "/readyz" }),
    async deploy() {
      const { livesystemId, id: mutationId } = await api.liveSystems.create(known.definition);
      return async () => (await api.liveSystems.mutations.get({ id: livesystemId, mutationId })).status;
    },
  };
}

test.each(["job", "queue"])(
  "while a session locks the table %s of pg-boss, /readyz says so, and afterwards accepted deploys end",
  { timeout: 60_000 },
  async (table) => {
    const { schema, administrator, ready, deploy } = await world();
    expect(await ready()).toMatchObject({ status: 200, json: { jobs: true } });
    const underWay = await deploy();

    await administrator.query(`BEGIN; LOCK TABLE ${schema}.${table}`);
    const begun = performance.now();
    expect(await ready()).toMatchObject({ status: 503, json: { store: true, agent: true, jobs: false } });
    expect(performance.now() - begun).toBeLessThan(2_000);
    const accepted = await deploy();
    const blocked =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'liveplane-jobs' AND wait_event_type = 'Lock'";
    await expect
      .poll(async () => (await administrator.query(blocked)).rowCount, { timeout: 10_000 })
      .toBeGreaterThan(0);

    await administrator.query("ROLLBACK");
    for (const status of [underWay, accepted]) await expect.poll(status, { timeout: 40_000 }).toBe("Succeeded");
    await expect.poll(async () => (await ready()).status, { timeout: 10_000 }).toBe(200);
  },
);
