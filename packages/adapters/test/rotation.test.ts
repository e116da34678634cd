import { generateKeyPairSync } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";
import {
  canary,
  entriesOf,
  type Filled,
  filled,
  keyA,
  keyB,
  type Plane,
  planeOver,
  sealedUnder,
  subscriptionId,
  until,
} from "./rotation-world.ts";

const folder = emptyFolder(afterAll);
const original = join(folder, "under-a.db");
let known: Filled;

/** One database, everything in it sealed under the first key: each test takes a copy. */
beforeAll(async () => {
  const { privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: `${canary}-passphrase` },
  });
  const plane = await planeOver(await sqliteStore({ file: original }), [keyA], folder);
  known = await filled(plane, privateKey);
  await plane.liveplane.stop();
}, 60_000);

let copies = 0;
async function copied(): Promise<Store> {
  const file = join(folder, `copy-${++copies}.db`);
  copyFileSync(original, file);
  return sqliteStore({ file });
}

const dev = () => ({ type: "Personal" as const, ownerId: known.accountId, shortName: "dev" });
const secret = (name: string) => ({ ...dev(), secretShortName: name });

/** Everything that was sealed still opens, each thing by what uses it. */
async function stillWorks({ liveplane, bearer, signedIn, console }: Plane): Promise<void> {
  const api = bearer(known.token);
  await api.environments.get(dev());
  await bearer((await signedIn()).accessToken).environments.get(dev());
  for (const name of ["db", "mail", "queue"]) {
    for (const version of [1, 2]) {
      const { value } = await api.environments.secrets.reveal(secret(name), { version });
      expect(value).toBe(`${canary}-${name}-${version}`);
    }
  }
  const { items } = await console.list();
  expect(items.length).toBeGreaterThanOrEqual(5);
  await console.setFaults({});
  await liveplane.start();
  const stuck = { ...dev(), shortName: "stuck" };
  const ended = await until(
    async () => (await api.environments.providerA.status(stuck)).initializationRun?.status,
    (status) => status !== "InProgress",
  );
  expect(ended).toBe("Completed");
  const places = await api.environments.providerA.locations({ ...dev(), shortName: "asked" }, { subscriptionId });
  expect(places.items.length).toBeGreaterThan(1);
}

test("begins with every kind of sealed value under the first key, and none in the clear", async () => {
  const store = await copied();
  expect(await sealedUnder(store, keyA)).toEqual({
    installation: 2,
    "record/signing-key": 1,
    "record/secret": 3,
    "record/ci-cd-profile": 1,
    "record/device-authorization": 2,
    "record/initialization-run": 1,
    "record/initialization-placement": 1,
    "record/component": 1,
    "simulated-cloud": 5,
  });
  expect(JSON.stringify(await entriesOf(store))).not.toContain(canary);
  await store.close();
});

/** Restarts with the new key before the old one, and keeps house until nothing is left to move. */
async function rotate(plane: Plane): Promise<number> {
  await plane.liveplane.start();
  for (let rounds = 1; ; rounds++) {
    await plane.housekeep();
    if (await plane.liveplane.isKeyRotated()) return rounds;
    if (rounds > 50) throw new RangeError("The rotation does not end.");
  }
}

test("moves everything under the new key, after which the old one is not needed", async () => {
  const store = await copied();
  const both = await planeOver(store, [keyB, keyA], folder);
  const before = await sealedUnder(store, keyA);
  await rotate(both);
  expect(await sealedUnder(store, keyA)).toEqual({});
  expect(await sealedUnder(store, keyB)).toEqual(before);
  await both.liveplane.drain();

  const alone = await planeOver(store, [keyB], folder);
  await stillWorks(alone);
  expect(JSON.stringify(await entriesOf(store))).not.toContain(canary);
  await alone.liveplane.stop();
});

test("changes nothing of a record but the wrapping", async () => {
  const store = await copied();
  const values = async () => {
    const found = new Map<string, string>();
    for (const { key, value } of await entriesOf(store)) {
      // What the agent and the polls of devices change meanwhile isn't the rotation's.
      if (!["secret", "ci-cd-profile", "signing-key"].includes(key[1] ?? "")) continue;
      found.set(key.join("/"), JSON.stringify(value).replaceAll(/"(keyId|wrappedKey)":"[^"]*"/g, '"$1":"…"'));
    }
    return found;
  };
  const both = await planeOver(store, [keyB, keyA], folder);
  await both.liveplane.start();
  const before = await values();
  await rotate(both);
  const after = await values();
  expect(after).toEqual(before);
  await both.liveplane.stop();
});

test("loses no write and refuses no read that goes on meanwhile", async () => {
  const store = await copied();
  const both = await planeOver(store, [keyB, keyA], folder);
  const api = both.bearer(known.token);
  let rotating = true;
  const last = new Map<string, string>();

  async function write(name: string): Promise<void> {
    for (let at = 0; rotating || at < 15; at++) {
      const value = `${canary}-${name}-new-${at}`;
      await api.environments.secrets.update(secret(name), { value });
      last.set(name, value);
      expect((await api.environments.secrets.reveal(secret(name))).value).toBe(value);
    }
  }
  async function create(): Promise<void> {
    for (let at = 0; rotating || at < 15; at++) {
      const value = `${canary}-made-${at}`;
      await api.environments.secrets.create(dev(), { shortName: `made-${at}`, value });
      last.set(`made-${at}`, value);
      if (at % 3 === 0) {
        await api.environments.secrets.delete(secret(`made-${at}`));
        last.delete(`made-${at}`);
      }
    }
  }
  const traffic = Promise.all([write("db"), write("mail"), create()]);
  await rotate(both).finally(() => {
    rotating = false;
  });
  await traffic;
  expect(await sealedUnder(store, keyA)).toEqual({});
  await both.liveplane.drain();

  const alone = await planeOver(store, [keyB], folder);
  for (const [name, value] of last) {
    const { value: kept } = await alone.bearer(known.token).environments.secrets.reveal(secret(name));
    expect(kept, name).toBe(value);
  }
  const list = await alone.bearer(known.token).environments.secrets.list(dev(), { limit: 1000 });
  expect(list.items.length).toBe(last.size + 1);
  await alone.liveplane.stop();
});

test("goes on where a crash stopped it, whichever commit that was", async () => {
  let survived = false;
  let crashes = 0;
  for (let commits = 0; !survived; commits++) {
    // Right before one commit, right after the next: an answer that nobody heard.
    const when = commits % 2 === 0 ? "before" : "after";
    const store = await copied();
    const dying = dyingAfter(store, commits, when);
    const crashed = await planeOver(dying.store, [keyB, keyA], folder);
    await crashed.liveplane.start();
    dying.arm();
    survived = await crashed.housekeep().then(
      () => true,
      () => false,
    );
    await crashed.liveplane.drain().catch(() => {});
    if (survived) break;
    crashes++;

    const again = await planeOver(store, [keyB, keyA], folder);
    await rotate(again);
    expect(await sealedUnder(store, keyA), `${commits} ${when}`).toEqual({});
    await again.liveplane.drain();
    const alone = await planeOver(store, [keyB], folder);
    const { value } = await alone.bearer(known.token).environments.secrets.reveal(secret("queue"));
    expect(value).toBe(`${canary}-queue-2`);
    await alone.liveplane.stop();
  }
  expect(crashes).toBeGreaterThan(15);
}, 120_000);

/** A store that dies right before, or right after, a commit of that number since it was armed. */
function dyingAfter(store: Store, commits: number, when: "before" | "after") {
  let left = Number.POSITIVE_INFINITY;
  const dead = () => new LiveplaneError("StoreFailed", "The process is gone.");
  const proxied: Store = {
    ...store,
    async commit(...args) {
      if (left <= 0 && when === "before") throw dead();
      if (left < 0) throw dead();
      left--;
      const made = await store.commit(...args);
      if (left < 0) throw dead();
      return made;
    },
    close: async () => {},
  };
  const arm = () => {
    left = commits;
  };
  return { store: proxied, arm };
}

test("leaves what doesn't open as it is, moves the rest, and says that it isn't through", async () => {
  const store = await copied();
  const key = (await store.list({ prefix: ["record", "secret"] })).find(({ key }) => key.includes("mail"));
  if (key === undefined) throw new RangeError("There is one.");
  const another = (_: string, start: string, letter: string) => `${start}${letter === "_" ? "-" : "_"}`;
  const broken = JSON.parse(JSON.stringify(key.value).replace(/("wrappedKey":")(.)/, another));
  await store.commit({ sets: [{ key: key.key, value: broken }] });
  const both = await planeOver(store, [keyB, keyA], folder);
  await both.liveplane.start();
  for (let rounds = 0; rounds < 5; rounds++) await both.housekeep();
  // Its canary stays with it.
  expect(await sealedUnder(store, keyA)).toEqual({ "record/secret": 1, installation: 1 });
  expect(await both.liveplane.isKeyRotated()).toBe(false);
  await both.liveplane.stop();
});

test("turns round to a third key in the middle, and back", async () => {
  const store = await copied();
  const first = await planeOver(store, [keyB, keyA], folder);
  await rotate(first);
  await first.liveplane.drain();
  const back = await planeOver(store, [keyA, keyB], folder);
  await back.liveplane.start();
  for (let rounds = 0; rounds < 5; rounds++) await back.housekeep();
  expect(await sealedUnder(store, keyB)).toEqual({});
  await back.liveplane.stop();
});
