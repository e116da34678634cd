import { postgresStore } from "@liveplane/adapters/postgres-store";
import { storeConformance } from "@liveplane/core/testing";
import { beforeAll, expect, test } from "vitest";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { programs } from "./model-programs.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

storeConformance(
  (title, run) => test(title, { timeout: 120_000 }, run),
  async ({ now }) => postgresStore({ connectionString: await postgres.freshSchema(), connections: 4, now }),
  {
    programs,
    place({ now }) {
      const schema = postgres.freshSchema();
      return async () => postgresStore({ connectionString: await schema, connections: 4, now });
    },
  },
);

test("takes away all that has expired, also after the time has jumped back", async () => {
  const connectionString = await postgres.freshSchema();
  let time = 10 * 86_400_000;
  const [store, early] = await Promise.all([
    postgresStore({ connectionString, now: () => time }),
    postgresStore({ connectionString, now: () => 0 }),
  ]);
  const expiring = (name: string, count: number) =>
    store.commit({
      sets: Array.from({ length: count }, (_, at) => ({ key: [name, `${at}`], value: at, expiresAt: time + 1000 })),
    });
  const kept = async () => (await early.list({ prefix: [], limit: 100_000 })).length;
  await expiring("many", 12_000);
  time -= 86_400_000;
  await expiring("few", 10);
  time += 61_000;
  await store.commit({});
  await expect.poll(kept).toBe(12_000);
  time += 2 * 86_400_000;
  await expect.poll(() => store.commit({}).then(kept)).toBe(0);
  for (const one of [store, early]) await one.close();
});

test("lets one of many processes' creators win", async () => {
  const connectionString = await postgres.freshSchema();
  const stores = await Promise.all([1, 2, 3].map(() => postgresStore({ connectionString, connections: 4 })));
  for (let round = 0; round < 30; round++) {
    const key = [`round ${round}`];
    const answers = await Promise.all(
      stores.map((store, at) => store.commit({ checks: [{ key, version: null }], sets: [{ key, value: at }] })),
    );
    expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
  }
  for (const store of stores) await store.close();
});

test("makes commits of very many keys at once, beside small ones, and none twice", async () => {
  const store = await postgresStore({ connectionString: await postgres.freshSchema() });
  const create = (count: number) =>
    store.commit({
      checks: [{ key: ["0"], version: null }],
      sets: Array.from({ length: count }, (_, at) => ({ key: [`${at}`], value: count })),
    });
  const answers = await Promise.all([20_000, 1, 20_001, 500, 20_002, 2, 20_003].map(create));
  expect(answers.filter((version) => version !== null)).toHaveLength(1);
  await store.close();
});

test("refuses a schema that a newer version has written", async () => {
  const connectionString = await postgres.freshSchema();
  await (await postgresStore({ connectionString })).close();
  const { default: pg } = await import("pg");
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query("UPDATE liveplane_schema SET version = 99");
  await client.end();
  await expect(postgresStore({ connectionString })).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});

test("refuses a database whose advisory locks lock nothing", async () => {
  const connectionString = await postgres.freshSchema();
  const { default: pg } = await import("pg");
  const client = new pg.Client(connectionString);
  await client.connect();
  // As CockroachDB has them: there, and without effect.
  await client.query("CREATE FUNCTION pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS ''");
  await client.end();
  const opened = postgresStore({ connectionString: `${connectionString},pg_catalog` });
  await expect(opened).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("advisory locks"),
  });
});

test("refuses an isolation under which its checks would look too early", async () => {
  const connectionString = await postgres.freshSchema();
  const stricter = `${connectionString}%20-c%20default_transaction_isolation%3Drepeatable%5C%20read`;
  await expect(postgresStore({ connectionString: stricter })).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});

test("claims to be durable only where the server waits for the disk", async () => {
  const careless = await postgresStore({ connectionString: await postgres.freshSchema() });
  expect(careless.capabilities.durable).toBe(false);
  await careless.close();
});

test("says that the store failed when there is no Postgres", async () => {
  const opened = postgresStore({ connectionString: "postgres://nobody:secret@127.0.0.1:1/none" });
  const error = await opened.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "StoreFailed", retryable: true });
  expect(String(error)).not.toContain("secret");
});
