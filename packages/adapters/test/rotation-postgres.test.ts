import { generateKeyPairSync } from "node:crypto";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";
import { type SharedPostgres, sharedPostgres } from "./postgres.ts";
import { canary, filled, keyA, keyB, planeOver, sealedUnder } from "./rotation-world.ts";

const folder = emptyFolder(afterAll);
let postgres: SharedPostgres;

beforeAll(async () => {
  postgres = await sharedPostgres();
}, 60_000);
afterAll(async () => {});

test("processes go over to a new key one after the other, on one database, and nothing stays under the old one", async () => {
  const connectionString = await postgres.freshSchema();
  const process = async (...keys: string[]) => planeOver(await postgresStore({ connectionString }), keys, folder);
  const { privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: `${canary}-passphrase` },
  });
  const first = await process(keyA);
  const { accountId, token } = await filled(first, privateKey);
  await first.liveplane.stop();

  // Every process knows both keys before any seals with the new one.
  const behind = await process(keyA, keyB);
  const ahead = await process(keyB, keyA);
  await behind.liveplane.start();
  await ahead.liveplane.start();
  const dev = { type: "Personal" as const, ownerId: accountId, shortName: "dev" };
  const place = { ...dev, secretShortName: "db" };
  const [one, other] = [behind.bearer(token), ahead.bearer(token)];
  let last = "";
  for (let at = 0; at < 12; at++) {
    const writer = at % 2 === 0 ? one : other;
    const reader = at % 2 === 0 ? other : one;
    last = `${canary}-turn-${at}`;
    await Promise.all([
      ahead.housekeep(),
      writer.environments.secrets.update(place, { value: last }),
      writer.environments.secrets.create(dev, { shortName: `made-${at}`, value: last }),
    ]);
    expect((await reader.environments.secrets.reveal(place)).value).toBe(last);
  }
  // Kept house last of all by the one that is behind: what the other moved comes back, and nothing is lost.
  await behind.housekeep();
  await behind.liveplane.stop();
  for (let rounds = 0; rounds < 3; rounds++) await ahead.housekeep();
  expect(await sealedUnder(ahead.store, keyA)).toEqual({});
  await ahead.liveplane.stop();

  const alone = await process(keyB);
  const api = alone.bearer(token);
  expect((await api.environments.secrets.reveal(place)).value).toBe(last);
  for (let at = 0; at < 12; at++) {
    const { value } = await api.environments.secrets.reveal({ ...dev, secretShortName: `made-${at}` });
    expect(value).toBe(`${canary}-turn-${at}`);
  }
  await alone.liveplane.stop();
}, 60_000);
