import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { createClient } from "@liveplane/client";
import type { Store } from "@liveplane/core/store";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedPostgres, sharedPostgres } from "../../adapters/test/postgres.ts";
import { createServer, type LiveplaneServer } from "../src/server.ts";
import { clockFrom, type Kept, type KeptPlane, keptPlane, personal, until } from "./fixtures/kept-plane.ts";

const fixtures = new URL("./fixtures/", import.meta.url);
const names = readdirSync(fixtures, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const readKept = (name: string) => JSON.parse(readFileSync(new URL(`${name}/kept.json`, fixtures), "utf8")) as Kept;
const unzipped = (file: string) => gunzipSync(readFileSync(new URL(file, fixtures)));

let folder: string;
let postgres: SharedPostgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "liveplane-kept-"));
  postgres = await sharedPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

type Opening = (name: string, now: () => number) => Promise<Store>;
const openings: Readonly<Record<string, Opening>> = {
  async SQLite(name, now) {
    const file = join(folder, `${name}.db`);
    writeFileSync(file, unzipped(`${name}/store.db.gz`));
    return sqliteStore({ file, now });
  },
  async Postgres(name, now) {
    const connectionString = await postgres.freshSchema();
    const client = new pg.Client(connectionString);
    await client.connect();
    await client.query(unzipped(`${name}/postgres.sql.gz`).toString("utf8"));
    await client.end();
    return postgresStore({ connectionString, now, connections: 4 });
  },
};
const cases = names.flatMap((name) => Object.entries(openings).map(([where, open]) => ({ name, where, open })));

test.each(names)("the store of %s is opened by no other key ring, and by none that lacks a key", async (name) => {
  const { testKeys, writtenAt, password } = readKept(name);
  const file = join(folder, `${name}-foreign.db`);
  writeFileSync(file, unzipped(`${name}/store.db.gz`));
  const clock = clockFrom(writtenAt);
  const untouched = await sqliteStore({ file, now: clock.now });
  const before = await untouched.list({ prefix: [], limit: 1e6 });
  await untouched.close();
  for (const keys of [[randomBytes(32).toString("base64")], ...testKeys.map((key) => [key])]) {
    const store = await sqliteStore({ file, now: clock.now });
    const opened = keptPlane({ store, testKeys: keys, clock, dataDir: folder, password });
    await expect(opened).rejects.toMatchObject({ code: "ConfigurationInvalid" });
    expect(await store.list({ prefix: [], limit: 1e6 })).toEqual(before);
    await store.close();
  }
});

test("the key that the first build kept in the clear is in no byte of the file that this one leaves", async () => {
  const { testKeys, writtenAt, password, challenges } = readKept("first-build");
  const file = join(folder, "first-build-exposed.db");
  writeFileSync(file, unzipped("first-build/store.db.gz"));
  const clock = clockFrom(writtenAt);
  const store = await sqliteStore({ file, now: clock.now });
  const [entry] = await store.get([["installation", "key"]]);
  const clear = String(entry?.value);
  expect(readFileSync(file).includes(clear)).toBe(true);
  const plane = await keptPlane({ store, testKeys, clock, dataDir: folder, password });
  await plane.bearer(challenges["ivy email"] ?? "").accounts.activate({});
  await plane.anonymous.accounts.resendChallenge({ email: "zoe@example.com" });
  await plane.liveplane.stop();
  expect(readdirSync(folder).filter((name) => name.startsWith("first-build-exposed.db-"))).toEqual([]);
  expect(readFileSync(file).includes(clear)).toBe(false);
});

describe.each(cases)("the store of $name on $where", ({ name, open }) => {
  const kept = readKept(name);
  const { accounts, emails, ids, password, services } = kept;
  const dev = personal(accounts.ada, "dev");
  let clock: ReturnType<typeof clockFrom>;
  let plane: KeptPlane;
  let server: LiveplaneServer;
  let url: string;

  beforeAll(async () => {
    clock = clockFrom(kept.writtenAt);
    const store = await open(name, clock.now);
    plane = await keptPlane({ store, testKeys: kept.testKeys, clock, dataDir: folder, password });
    await plane.liveplane.start();
    server = createServer({ liveplane: plane.liveplane, rateLimits: "off" });
    url = await server.listen(0);
  });
  afterAll(async () => {
    await server.close();
    await plane.consoleA.setFaults({});
    await plane.liveplane.stop();
  });
  const signedIn = (username: string) => createClient({ baseUrl: url, credentials: { username, password } });
  const refused = (username: string) =>
    createClient({ baseUrl: url })
      .sessions.create({ username, password })
      .catch(({ code }) => code);

  test("every kind of account signs in, or is refused as before", async () => {
    expect(await refused("lou")).toBe("InvalidCredentials");
    const people = { ada: "ada", bob: "bob", spaced: "mary  ann ", wide: "ｍａｒｙ", eve: emails.eve, ivy: emails.ivy };
    for (const [who, username] of Object.entries(people))
      expect(await signedIn(username ?? "").accounts.me()).toMatchObject({ id: accounts[who], status: "Active" });
    for (const username of ["dora", emails.zoe ?? "", "nobody"])
      expect(await refused(username)).toBe("InvalidCredentials");
    expect(await refused("sam")).toBe("AccountNotActive");
    const once = await createClient({ baseUrl: url }).sessions.create({ username: "otto", password });
    expect(once).toMatchObject({ forcePasswordChange: true });
    const operator = await signedIn("operator").accounts.list({ limit: 50 });
    expect(operator.items.find(({ id }) => id === accounts.sam)).toMatchObject({ status: "Suspended" });
  });

  test("refresh tokens and service accounts' secrets still open", async () => {
    const { tokens } = createClient({ baseUrl: url });
    for (const refresh_token of Object.values(kept.tokens)) {
      const again = await tokens.create({ grant_type: "refresh_token", refresh_token });
      expect(again.access_token).toBeTypeOf("string");
    }
    for (const { id, secret } of Object.values(services)) {
      const { access_token } = await tokens.create({
        grant_type: "client_credentials",
        client_id: id,
        client_secret: secret,
      });
      expect((await createClient({ baseUrl: url, token: access_token }).environments.list()).items).toBeInstanceOf(
        Array,
      );
    }
  });

  test("everything in it is read", async () => {
    const ada = signedIn("ada");
    const works = { organizationId: ids.Works ?? "" };
    const environments = await ada.environments.list({ limit: 50 });
    expect(environments.items.map(({ id, status }) => `${id.shortName} ${status}`).sort()).toEqual([
      "asking Registered",
      "broken Failed",
      "cancelled Registered",
      "dev Active",
      "fresh Registered",
      "prod Registered",
      "waiting Initializing",
    ]);
    expect((await ada.organizations.list()).items.map(({ name }) => name).sort()).toEqual(["Halted", "Works"]);
    expect((await ada.organizations.teams.list(works)).items).toHaveLength(2);
    expect((await ada.organizations.permissions.list(works)).items).toHaveLength(2);
    expect((await ada.accounts.resourceGroups.list()).items).toHaveLength(1);
    expect(await ada.subscriptions.get({ subscriptionId: ids.enterprise ?? "" })).toMatchObject({
      subscriptionType: "Enterprise",
    });
    const profiles = await ada.environments.ciCdProfiles.list(dev);
    expect(profiles.items.map(({ shortName, hasPassphrase }) => [shortName, hasPassphrase])).toEqual([
      ["ci", false],
      ["locked", true],
    ]);
    expect((await ada.environments.serviceAccounts.list(dev)).items).toHaveLength(1);
    const shop = { id: ids.shop ?? "" };
    const components = await ada.liveSystems.components.list(shop);
    expect(components.items.map(({ id, status }) => `${id.slice(shop.id.length + 1)} ${status}`).sort()).toEqual([
      "app Active",
      "asked ReconcileRequested",
      "bucket Active",
      "db Active",
      "missing Active",
      "net/a ManualOverride",
    ]);
    const mutations = await ada.liveSystems.mutations.list(shop);
    const outcomes = mutations.items.map(({ status }) => status).sort();
    expect(outcomes).toEqual(["Failed", "Failed", "Succeeded", "Succeeded", "Succeeded"]);
    const db = { ...shop, componentId: `${ids.shop}/db` };
    expect((await ada.liveSystems.components.overrides(db)).items).toMatchObject([{ outcome: "Reconciled" }]);
    expect(await ada.liveSystems.components.get({ ...shop, componentId: `${ids.shop}/net/a` })).toMatchObject({
      override: { reason: "a load test", ticket: "OPS-7" },
    });
    expect((await ada.overrides.list()).items).toHaveLength(2);
    expect((await signedIn("bob").organizations.get(works)).name).toBe("Works");
  });

  test("secrets are revealed as they were sealed", async () => {
    const ada = signedIn("ada");
    for (const [secretShortName, values] of Object.entries(kept.secrets)) {
      for (const [at, value] of values.entries()) {
        const revealed = await ada.environments.secrets.reveal({ ...dev, secretShortName }, { version: at + 1 });
        expect(revealed.value).toBe(value);
      }
    }
  });

  test("mailed challenges are still good", async () => {
    const { bearer } = plane;
    const { challenges } = kept;
    const other = "another horse battery";
    await bearer(challenges["zoe activation"] ?? "").accounts.activate({ name: "Zoe", surname: "Moor", password });
    expect(await signedIn(emails.zoe ?? "").accounts.me()).toMatchObject({ id: accounts.zoe, status: "Active" });
    await bearer(challenges["ivy email"] ?? "").accounts.activate({});
    expect(await signedIn("ivy.new@example.com").accounts.me()).toMatchObject({ id: accounts.ivy });
    await bearer(challenges["eve reset"] ?? "").accounts.resetPassword({ newPassword: other });
    const eve = createClient({ baseUrl: url, credentials: { username: emails.eve ?? "", password: other } });
    expect(await eve.accounts.me()).toMatchObject({ id: accounts.eve });
  });

  test("events are followed from the first, and their chain holds", async () => {
    const { log } = plane.liveplane;
    const seen: number[] = [];
    const signal = AbortSignal.timeout(20_000);
    for await (const { sequence } of signedIn("operator").events.follow({ after: 0, signal })) {
      seen.push(sequence);
      if (sequence >= kept.events) break;
    }
    expect(seen).toEqual(Array.from({ length: kept.events }, (_, at) => at + 1));
    const own: number[] = [];
    for await (const { sequence, subject } of signedIn("ada").events.follow({ after: 0, signal })) {
      own.push(sequence);
      if (subject === ids.begun) break;
    }
    expect(own.length).toBeGreaterThan(300);
    const actor = { kind: "account", accountId: accounts.ada ?? "" } as const;
    const all = (await log.read(0, 10_000)).filter(({ sequence }) => sequence <= (own.at(-1) ?? 0));
    const may = await plane.liveplane.access.seesEvents(actor, all);
    expect(own).toEqual(all.filter((_, at) => may[at]).map(({ sequence }) => sequence));
    expect(await log.verify()).toMatchObject({ verified: await log.head(), broken: null });
  });

  test("one change of each kind is made", async () => {
    const ada = signedIn("ada");
    const works = { organizationId: ids.Works ?? "" };
    expect(await ada.accounts.update({ name: "Augusta" })).toMatchObject({ name: "Augusta" });
    await ada.accounts.resourceGroups.upsert({ shortName: "new" }, { displayName: "New" });
    await ada.organizations.update({ ...works, description: "We work." });
    await ada.organizations.teams.upsert(works, { shortName: "smiths", name: "The smiths" });
    await ada.organizations.permissions.grant(works, {
      ...{ principalType: "Account", principalId: accounts.wide ?? "", permissionType: "Edit" },
    });
    await ada.environments.update(dev, { name: "Development" });
    await ada.environments.secrets.update({ ...dev, secretShortName: "db" }, { value: "four" });
    const revealed = await ada.environments.secrets.reveal({ ...dev, secretShortName: "db" }, {});
    expect(revealed).toMatchObject({ value: "four", version: (kept.secrets.db?.length ?? 0) + 1 });
    await ada.environments.ciCdProfiles.update({ ...dev, profileShortName: "ci" }, { description: "builds" });
    await ada.environments.serviceAccounts.issueSecret({ ...dev, principalId: ids.pipeline ?? "" }, {});
    await signedIn("operator").accounts.resume({ accountId: accounts.sam ?? "" });
    expect(await signedIn("sam").accounts.me()).toMatchObject({ status: "Active" });
  });

  test("a sweep goes on with what was under way", { timeout: 60_000 }, async () => {
    const ada = signedIn("ada");
    await plane.consoleA.setFaults({});
    clock.skip(3_600_000);
    const begun = { id: ids.begun ?? "" };
    const shop = { id: ids.shop ?? "" };
    const sweeps: Promise<void>[] = [];
    const asked = { ...shop, componentId: `${ids.shop}/asked` };
    await until(
      async () => {
        clock.skip(60_000);
        sweeps.push(plane.sweep());
        const [{ initializationRun }, { items }, { status }] = await Promise.all([
          ada.environments.providerA.status(personal(accounts.ada, "waiting")),
          ada.liveSystems.mutations.list(begun),
          ada.liveSystems.components.get(asked),
        ]);
        return [initializationRun?.status, items[0]?.status, status];
      },
      (states) => states.join() === "Completed,Succeeded,Active",
    );
    await Promise.all(sweeps);
    await ended(ada, await ada.liveSystems.deploy(shop, (await ada.liveSystems.get(shop)).definition as never));
    expect(await plane.liveplane.log.verify()).toMatchObject({ broken: null });
  });

  test("the rotation that had begun is brought to its end", async () => {
    await until(
      async () => {
        await plane.sweep("housekeeping");
        return plane.liveplane.isKeyRotated();
      },
      (isRotated) => isRotated,
    );
  });

  test("every definition is kept once by its digest, and no mutation or live system holds one itself", async () => {
    await plane.sweep("housekeeping");
    const rows = async (kind: string) => {
      const listed = await plane.store.list({ prefix: ["record", kind], limit: 10_000 });
      return listed.map(({ value }) => value as { definition?: unknown; inForce?: string; deploys?: string | null });
    };
    const holders = [...(await rows("live-system")), ...(await rows("mutation"))];
    expect(holders.length).toBeGreaterThan(0);
    expect(holders.filter((holder) => "definition" in holder)).toEqual([]);
    const digests = (await plane.store.list({ prefix: ["record", "definition"], limit: 10_000 })).map(
      ({ key }) => key[3],
    );
    expect(new Set(digests)).toEqual(new Set(holders.flatMap(({ inForce, deploys }) => inForce ?? deploys ?? [])));
  });

  async function ended(api: ReturnType<typeof createClient>, begun: { id: string; livesystemId: string }) {
    const done = await until(
      () => api.liveSystems.mutations.get({ id: begun.livesystemId, mutationId: begun.id }),
      ({ status }) => status === "Succeeded" || status === "Failed",
    );
    expect(done).toMatchObject({ status: "Succeeded", error: null });
  }
});
