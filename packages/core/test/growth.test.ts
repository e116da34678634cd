import { expect, test } from "vitest";
import type { Store } from "../src/ports/store.ts";
import { both, definition, managed } from "./builders/handed-over.ts";
import { identityWorld, otherPassword } from "./builders/identity.ts";
import { overrideWorld, type World } from "./builders/override.ts";

const day = 86_400_000;

/** The rows and bytes of a store, by kind. */
async function sizeOf(store: Store): Promise<Map<string, { rows: number; bytes: number }>> {
  const sizes = new Map<string, { rows: number; bytes: number }>();
  for (const root of ["record", "index", "unique", "event"]) {
    for (const { key, value } of await store.list({ prefix: [root], limit: 100_000 })) {
      const kind = root === "event" ? root : `${root} ${key[1]}`;
      const { rows, bytes } = sizes.get(kind) ?? { rows: 0, bytes: 0 };
      sizes.set(kind, { rows: rows + 1, bytes: bytes + JSON.stringify([key, value]).length });
    }
  }
  return sizes;
}

/** Of no kind more than there was months before, but for a few in a hundred and a row or two. */
function expectLevel(then: Awaited<ReturnType<typeof sizeOf>>, now: typeof then): void {
  const grown = [...now].filter(([kind, { rows, bytes }]) => {
    const before = then.get(kind) ?? { rows: 0, bytes: 0 };
    return rows > before.rows * 1.05 + 2 || bytes > before.bytes * 1.05 + 1024;
  });
  expect(grown.map(([kind, { rows, bytes }]) => ({ kind, rows, bytes, before: then.get(kind) }))).toEqual([]);
}

async function monthOfDeploys(world: World, { id, month }: { id: string; month: number }): Promise<void> {
  for (let week = 0; week < 4; week++) {
    const parameters = { size: 1, notes: `${month}/${week} ${"x".repeat(2000)}` };
    const { components } = await world.deploy(id, definition([{ path: "app", parameters }]));
    const [app] = components;
    const console = world.consoles["provider-a"];
    for (const tags of [{}, both, managed]) {
      await console.putTags(app?.resourceId ?? "", tags);
      for (let looks = 0; looks < 4; looks++) await world.check(app?.id ?? "");
    }
    const { livesystemId: short } = await world.create(definition([{ path: `p${month}-${week}`, parameters }]));
    await world.remove(short);
    await world.runtime.advance(7 * day);
    await world.housekeep();
  }
}

test("live systems that are deployed, taken over, made and deleted for two years keep to a size", async () => {
  const settings = { keptMutations: 20, keptEpisodes: 10, episodeSeconds: 90 * 86_400 };
  const world = overrideWorld({ settings });
  const { livesystemId: id } = await world.create(definition([{ path: "app" }]));
  const sizes: Awaited<ReturnType<typeof sizeOf>>[] = [];
  for (let month = 0; month < 24; month++) {
    await monthOfDeploys(world, { id, month });
    const size = await sizeOf(world.store);
    // Without an event log what is told waits for its number; the other test keeps one.
    size.delete("event");
    sizes.push(size);
  }
  expectLevel(sizes[11] as never, sizes[23] as never);
});

test("people who register, sign in, fail, make and delete for two years leave a store of one size", async () => {
  const world = await identityWorld({ openRegistration: true });
  const { nobody, advance, housekeep, settle, signIn, bearer } = world;
  const { account, api: own } = await world.person("ada");
  const kept = { type: "Personal", ownerId: account.id, shortName: "kept" } as const;
  await own.environments.create(kept, {});
  await own.environments.secrets.create(kept, { shortName: "db", value: "x" });
  const sizes: Awaited<ReturnType<typeof sizeOf>>[] = [];
  for (let month = 0; month < 24; month++) {
    for (let week = 0; week < 4; week++) {
      const email = `w${month}-${week}@example.com`;
      await nobody.accounts.createWithEmail({ email });
      await nobody.accounts.requestPasswordReset({ email });
      const { accessToken, refreshToken } = await signIn("ada");
      await nobody.tokens.create({ grant_type: "refresh_token", refresh_token: refreshToken ?? "" });
      for (const name of ["ada", `nobody-${month}-${week}`]) await signIn(name, otherPassword).catch(() => {});
      const api = bearer(accessToken);
      const { id: organizationId } = await api.organizations.create({ name: "Acme" });
      await api.organizations.teams.upsert({ organizationId }, { shortName: "t" });
      await api.organizations.delete({ organizationId });
      const place = { type: "Personal", ownerId: account.id, shortName: `w${month}-${week}` } as const;
      await api.environments.create(place, {}, { idempotencyKey: `${month}-${week}` });
      for (const shortName of ["a", "b"]) await api.environments.secrets.create(place, { shortName, value: "x" });
      await api.environments.secrets.create(kept, { shortName: place.shortName, value: "x" });
      await api.environments.secrets.delete({ ...kept, secretShortName: place.shortName });
      for (const value of ["y", "z"])
        await api.environments.secrets.update({ ...kept, secretShortName: "db" }, { value });
      await api.environments.delete(place);
      await settle();
      await advance(7 * day);
      await housekeep();
    }
    sizes.push(await sizeOf(world.store));
  }
  expectLevel(sizes[11] as never, sizes[23] as never);
});
