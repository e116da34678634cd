import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { createChallenges } from "../../src/identity/challenges.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { createSigningKeys } from "../../src/sessions/signing-keys.ts";
import { defaultSettings } from "../../src/settings.ts";
import { fakeTokens } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

test("without a credential, or with one that is good for nothing, nobody gets in", async () => {
  const { nobody, bearer } = await identityWorld();
  expect(await refusal(nobody.accounts.me())).toEqual({ code: "Unauthenticated", status: 401 });
  for (const token of ["", "nonsense", "a.b.c"]) {
    expect(await refusal(bearer(token).accounts.me())).toEqual({ code: "Unauthenticated", status: 401 });
  }
});

test("where anybody may call, a bad credential does no harm", async () => {
  const { bearer } = await identityWorld();
  expect(await bearer("nonsense").tokens.keys()).toMatchObject({ keys: [{}] });
  expect(await bearer("nonsense").accounts.resendChallenge({ email: "a@example.com" })).toEqual({});
});

test("an external issuer's people sign in elsewhere; what it doesn't know is judged here", async () => {
  const ids = new Map<string, string>();
  const world = await identityWorld(
    {},
    {
      async verify(token) {
        if (token === "late") throw new LiveplaneError("TokenExpired");
        const accountId = ids.get(token);
        return accountId === undefined ? null : { accountId, scopes: ["accounts"] };
      },
    },
  );
  const { account, api } = await world.person("ada");
  ids.set("theirs", account.id).set("unknown", "8c5e4b1a-0000-4000-8000-000000000001");
  expect(await world.bearer("theirs").accounts.me()).toMatchObject({ id: account.id });
  expect((await refusal(world.bearer("theirs").environments.list())).code).toBe("InsufficientScope");
  expect((await refusal(world.bearer("late").accounts.me())).code).toBe("TokenExpired");
  expect((await refusal(world.bearer("unknown").accounts.me())).code).toBe("TokenRevoked");
  expect(await api.accounts.me()).toMatchObject({ id: account.id });
});

test("a signature that was good lets no other claims in", async () => {
  const world = await identityWorld();
  const [ada, eve] = [await world.person("ada"), await world.person("eve")];
  expect(await ada.api.accounts.me()).toMatchObject({ id: ada.account.id });
  const [head, body] = eve.tokens.accessToken.split(".");
  const seal = ada.tokens.accessToken.split(".").at(-1);
  expect((await refusal(world.bearer(`${head}.${body}.${seal}`).accounts.me())).code).toBe("Unauthenticated");
  expect(await eve.api.accounts.me()).toMatchObject({ id: eve.account.id });
});

function keysOver(store = memoryStore(), runtime = fakeRuntime()) {
  const records = createRecords({ store, runtime });
  const sealed: string[] = [];
  const sealer = {
    seal: async (plain: Uint8Array, place: readonly string[]) => {
      sealed.push(place.join("/"));
      return { algorithm: "", keyId: "", wrappedKey: "", nonce: "", ciphertext: JSON.stringify([...plain]), tag: "" };
    },
    open: async ({ ciphertext }: { ciphertext: string }) => Uint8Array.from(JSON.parse(ciphertext) as number[]),
    rewrap: async () => null,
    currentKeyId: async () => "",
  };
  const settings = { ...defaultSettings, signingKeySeconds: 86_400, accessTokenSeconds: 600 };
  return {
    runtime,
    store,
    sealed,
    keys: createSigningKeys({ records, runtime, sealer, signer: fakeTokens(runtime), settings }),
  };
}

test("a signing key is published before it signs, and after, while a token of it may live", async () => {
  const { keys, runtime, sealed } = keysOver();
  const ids = async () => (await keys.published()).map(({ kid }) => kid);
  const first = (await keys.current()).id;
  expect(await ids()).toEqual([first]);
  expect(sealed).toEqual([`signing-key/${first}`]);
  await runtime.advance(86_400_000);
  const [second] = await ids();
  expect(await ids()).toEqual([second, first]);
  expect((await keys.current()).id).toBe(first);
  await runtime.advance(20_000);
  expect((await keys.current()).id).toBe(second);
  await runtime.advance(600_000);
  expect(await ids()).toEqual([second, first]);
  await runtime.advance(10_000);
  expect(await ids()).toEqual([second]);
});

test("two processes that begin at once sign with one key", async () => {
  const store = memoryStore();
  const runtime = fakeRuntime();
  const both = [keysOver(store, runtime), keysOver(store, runtime)];
  const [a, b] = await Promise.all(both.map(({ keys }) => keys.current()));
  expect(a?.id).toBe(b?.id);
  expect(await both[0]?.keys.published()).toEqual(await both[1]?.keys.published());
});

test("a challenge is kept as a digest, and can be mailed again without being kept", async () => {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const records = createRecords({ store, runtime });
  const secretKey = async () => new Uint8Array(32).fill(7);
  const challenges = createChallenges({
    records,
    runtime,
    settings: { ...defaultSettings, challengeSeconds: 60 },
    secretKey,
  });
  const cause = { actor: "test", requestId: "request" };
  const { handle } = await records.change(cause, (change) => challenges.begin(change, "account", "reset"));
  const credential = await challenges.credential(handle);
  expect(JSON.stringify(await store.list({ prefix: ["record"] }))).not.toContain(credential.split(".")[1]);
  expect(await challenges.open(credential, ["reset"])).toMatchObject({ accountId: "account", tries: 0 });
  await expect(challenges.open(credential, ["activation"])).rejects.toMatchObject({ code: "ChallengeInvalid" });
  await expect(challenges.open(`${credential}.`, ["reset"])).rejects.toMatchObject({ code: "ChallengeInvalid" });
  await runtime.advance(60_000);
  await expect(challenges.open(credential, ["reset"])).rejects.toMatchObject({ code: "ChallengeInvalid" });
});
