import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argon2Hasher } from "@liveplane/adapters/argon2-hasher";
import { joseTokens } from "@liveplane/adapters/jose-tokens";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { afterEach, expect, test } from "vitest";
import { webRuntime } from "../../core/src/ports/web-runtime.ts";
import { identityWorld, otherPassword, password, refusal } from "../../core/test/builders/identity.ts";

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A control plane over real stores, hashes, tokens and time. */
async function realWorld() {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-races-"));
  cleanUp.push(() => rm(folder, { recursive: true }));
  const store = await sqliteStore({ file: join(folder, "liveplane.db") });
  cleanUp.push(() => store.close());
  const hasher = await argon2Hasher({ memoryKiB: 1024, passes: 1 });
  return identityWorld({}, undefined, { runtime: webRuntime(), store, hasher, tokens: await joseTokens() });
}

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const settled = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

test("of many activations with one challenge one wins", async () => {
  const { registered, bearer } = await realWorld();
  const { challenge } = await registered("ada@example.com");
  const outcomes = await times(5, () => settled(bearer(challenge).accounts.activate({ password })));
  expect(outcomes.sort()).toEqual([...Array<string>(4).fill("ChallengeInvalid"), "done"]);
});

test("of many refreshes with one token one is answered, and the family ends", async () => {
  const { person, nobody, bearer } = await realWorld();
  const { tokens } = await person("ada");
  const refresh_token = tokens.refreshToken;
  const given = await times(5, () =>
    nobody.tokens.create({ grant_type: "refresh_token", refresh_token }).catch(() => null),
  );
  const good = given.filter((one) => one !== null);
  expect(good).toHaveLength(1);
  expect((await refusal(bearer(good[0]?.access_token ?? "").accounts.me())).code).toBe("TokenRevoked");
});

test("many guesses at once end in a lock; many right sign-ins at once don't", async () => {
  const { person, signIn } = await realWorld();
  await person("ada");
  expect(await times(8, () => settled(signIn("ada")))).toEqual(Array(8).fill("done"));
  expect(await times(20, (at) => settled(signIn("ada", `a wrong guess ${at}`)))).toEqual(
    Array(20).fill("InvalidCredentials"),
  );
  expect(await settled(signIn("ada"))).toBe("InvalidCredentials");
});

test("of two password changes at once one wins", async () => {
  const { person, signIn } = await realWorld();
  const { api } = await person("ada");
  const wishes = [otherPassword, `${otherPassword}-2`];
  const outcomes = await Promise.all(
    wishes.map((newPassword) => settled(api.accounts.changePassword({ oldPassword: password, newPassword }))),
  );
  expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
  await expect(signIn("ada", wishes[outcomes.indexOf("done")])).resolves.toBeDefined();
});

test("of many that want one address, name or service account at once one makes it", async () => {
  const { nobody, host, operator, person } = await realWorld();
  await times(4, () => nobody.accounts.createWithEmail({ email: "ada@example.com" }));
  const names = await times(4, () => settled(host.accounts.createWithCredentials({ username: "grace", password })));
  expect(names.filter((outcome) => outcome === "done")).toHaveLength(1);
  const { api } = await operator();
  expect((await api.accounts.list()).items.filter(({ email }) => email !== null)).toHaveLength(1);
  const ada = await person("ada");
  const made = await times(4, () => ada.api.accounts.serviceAccount());
  expect(new Set(made.map(({ serviceAccountId }) => serviceAccountId)).size).toBe(1);
});
