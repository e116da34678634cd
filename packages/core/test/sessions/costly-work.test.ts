import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { PasswordHasher } from "../../src/ports/identity.ts";
import { fakeHasher } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, otherPassword, password } from "../builders/identity.ts";

/** A world whose hasher writes down for whom it works, and fails when told to. */
async function world() {
  const real = fakeHasher(fakeRuntime());
  const shares = new Set<string | undefined>();
  let failing = false;
  const work = (share: string | undefined) => {
    shares.add(share);
    if (failing) throw new LiveplaneError("Unavailable");
  };
  const hasher: PasswordHasher = {
    async hash(secret, whose) {
      work(whose?.share);
      return real.hash(secret);
    },
    async verify(hash, secret, whose) {
      work(whose?.share);
      return real.verify(hash, secret);
    },
  };
  const made = await identityWorld({ openRegistration: true }, undefined, { hasher });
  return {
    ...made,
    fail: (now: boolean) => {
      failing = now;
    },
    /** For whom passwords were hashed in the course of some work. */
    async sharesOf(course: () => Promise<unknown>) {
      shares.clear();
      await course();
      return [...shares];
    },
  };
}

test("hashing is shared by the account where it is known, by the name that is tried where not even an address is", async () => {
  const { nobody, person, signIn, registered, bearer, liveplane, mailer, settle, sharesOf } = await world();
  const { account, api } = await person("ada");
  expect(await sharesOf(() => signIn("Ada"))).toEqual(["ada"]);
  const change = { oldPassword: password, newPassword: otherPassword };
  expect(await sharesOf(() => api.accounts.changePassword(change))).toEqual([account.id]);
  const body = { username: "eve", password };
  expect(await sharesOf(() => nobody.accounts.createWithCredentials(body))).toEqual(["eve"]);

  const { account: invited, challenge } = await registered("bo@example.com");
  const activate = () => liveplane.as({ kind: "bearer", token: challenge }).accounts.activate({ password });
  expect(await sharesOf(activate)).toEqual([invited.id]);
  await nobody.accounts.requestPasswordReset({ email: "bo@example.com" });
  await settle();
  const reset = bearer(mailer.last("bo@example.com").challenge ?? "");
  expect(await sharesOf(() => reset.accounts.resetPassword({ newPassword: otherPassword }))).toEqual([invited.id]);
});

test("a sign-in that could not be judged counts as no attempt, and hinders none after it", async () => {
  const { nobody, person, signIn, fail, events } = await world();
  await person("ada");
  fail(true);
  for (const name of ["nobody", "ada"]) {
    const refused = nobody.sessions.create({ username: name, password: "wrong" });
    await expect(refused).rejects.toMatchObject({ code: "Unavailable" });
  }
  fail(false);
  expect(await events("session.failed")).toEqual([]);
  expect(await signIn("ada")).toHaveProperty("accessToken");
});
