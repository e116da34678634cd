import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { identityWorld, password, refusal } from "../builders/identity.ts";

/** Time stands still. */
const now = () => Date.UTC(2026, 0, 1);

/** A world with an address of every kind, and what was mailed so far forgotten. */
async function addresses(store: Store = memoryStore({ now })) {
  const world = await identityWorld({}, undefined, { store });
  const { registered, bearer, host, signIn } = world;
  await registered("waiting@example.com");
  for (const name of ["active", "suspended", "deleted", "locked"]) {
    const email = `${name}@example.com`;
    const { challenge } = await registered(email);
    await bearer(challenge).accounts.activate({ password });
    const tokens = await signIn(email);
    const api = bearer(tokens.accessToken);
    const { id: accountId } = await api.accounts.me();
    if (name === "suspended") await host.accounts.suspend({ accountId });
    if (name === "deleted") await api.accounts.deleteMe();
  }
  for (let tries = 0; tries < 5; tries++) await refusal(signIn("locked@example.com", "not the password"));
  return world;
}

const kinds = ["unknown", "waiting", "active", "suspended", "deleted", "locked"];

/** The names and kinds of an answer's members, and the values of all that isn't made anew each time. */
function shape(answer: object): unknown {
  const made = new Set(["id", "email", "challenge", "createdBy", "updatedBy", "subscriptionId", "version"]);
  return Object.entries(answer).map(([name, value]) => {
    if (!made.has(name)) return [name, value];
    if (name === "email" || name === "version") return [name, typeof value];
    return [name, value === null ? null : `${typeof value} of ${String(value).length}`];
  });
}

const requests: Readonly<Record<string, (api: Api, email: string) => Promise<object>>> = {
  registration: (api, email) => api.accounts.createWithEmail({ email }),
  "a resent challenge": (api, email) => api.accounts.resendChallenge({ email }),
  "a password reset": (api, email) => api.accounts.requestPasswordReset({ email }),
};

test.each(Object.entries(requests))("%s answers every address alike, for the same work", async (_, ask) => {
  const { nobody, hasher } = await addresses();
  const seen = [];
  for (const kind of kinds) {
    const before = { ...hasher.work };
    const answer = await ask(nobody, `${kind}@example.com`);
    const { hashed, verified } = hasher.work;
    seen.push({ answer: shape(answer), hashed: hashed - before.hashed, verified: verified - before.verified });
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
});

test.each(Object.entries(requests))(
  "%s refuses what can't be an address alike, whoever else has it",
  async (_, ask) => {
    const { nobody } = await addresses();
    const refused = [];
    for (const email of ["active@example.com ", "unknown@example.com "])
      refused.push(await refusal(ask(nobody, email)));
    expect(refused[0]).toMatchObject({ code: "ValidationFailed", at: "#/email" });
    expect(refused[1]).toEqual(refused[0]);
  },
);

test("a new address for oneself is answered alike, whether or not another has it", async () => {
  const { nobody, person, hasher } = await addresses();
  await nobody.accounts.createWithEmail({ email: "waiting@example.com" });
  const seen = [];
  for (const kind of kinds) {
    const { api } = await person(`somebody-${kind}`);
    const before = { ...hasher.work };
    const { id: _, username, ...answer } = await api.accounts.update({ email: `${kind}@example.com` });
    expect(username).toBe(`somebody-${kind}`);
    const { hashed, verified } = hasher.work;
    seen.push({ answer: shape(answer), hashed: hashed - before.hashed, verified: verified - before.verified });
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
});

test("a resent challenge and a password reset are one commit, whoever has the address: the costly part of their work", async () => {
  const store = memoryStore({ now });
  let commits = 0;
  const counted: Store = {
    ...store,
    commit(commit, options) {
      commits += 1;
      return store.commit(commit, options);
    },
  };
  const { nobody, settle } = await addresses(counted);
  for (const path of ["a resent challenge", "a password reset"]) {
    for (const kind of kinds) {
      await settle();
      commits = 0;
      await requests[path]?.(nobody, `${kind}@example.com`);
      expect([path, kind, commits]).toEqual([path, kind, 1]);
    }
  }
});
