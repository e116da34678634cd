import { expect, test } from "vitest";
import { inOneForm } from "../../src/identity/passwords.ts";
import { fakeHasher } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

/** The same password as two keyboards write it. */
const composed = "Zoë-Mü11er-äöü".normalize("NFC");
const decomposed = composed.normalize("NFD");

test("a password is the same in whichever form a keyboard writes it", async () => {
  const { registered, bearer, signIn } = await identityWorld();
  const { challenge } = await registered("ada@example.com");
  await bearer(challenge).accounts.activate({ password: decomposed });
  for (const typed of [composed, decomposed]) await signIn("ada@example.com", typed);
  const { accounts } = bearer((await signIn("ada@example.com", composed)).accessToken);
  const same = accounts.changePassword({ oldPassword: composed, newPassword: decomposed });
  expect(await refusal(same)).toEqual({ code: "WeakPassword", status: 400, at: "#/newPassword" });
  await accounts.changePassword({ oldPassword: decomposed, newPassword: otherPassword });
  await signIn("ada@example.com", otherPassword);
});

test("a wrong password is no less work for a name that nobody has", async () => {
  const { person, hasher, signIn } = await identityWorld();
  await person("grace");
  const workOf = async (name: string, typed: string) => {
    const before = hasher.work.verified;
    expect((await refusal(signIn(name, typed))).code).toBe("InvalidCredentials");
    return hasher.work.verified - before;
  };
  for (const typed of [composed, decomposed]) expect(await workOf("nobody", typed)).toBe(await workOf("grace", typed));
});

test("hashing in one form judges as the hasher below does", async () => {
  const hasher = inOneForm(fakeHasher(fakeRuntime()));
  const hash = await hasher.hash(composed);
  for (const typed of [composed, decomposed])
    expect(await hasher.verify(hash, typed)).toEqual({ matches: true, outdated: false });
  expect(await hasher.verify(hash, `${composed}x`)).toEqual({ matches: false, outdated: false });
});

test("a password that is the user name, in any case, is weak", async () => {
  const { host, person } = await identityWorld();
  const username = "Grace.Murray.Hopper";
  const weak = { code: "WeakPassword", status: 400 };
  for (const same of [username, username.toUpperCase()])
    expect(await refusal(host.accounts.createWithCredentials({ username, password: same }))).toMatchObject(weak);
  const { api } = await person(username);
  const change = api.accounts.changePassword({ oldPassword: password, newPassword: username.toLowerCase() });
  expect(await refusal(change)).toMatchObject(weak);
});

test("what stands in a form beside the known parameters of a token request is ignored", async () => {
  const { person, nobody } = await identityWorld();
  const { tokens } = await person("ada");
  const request = { grant_type: "refresh_token", refresh_token: tokens.refreshToken, audience: "x", resource: "y" };
  const { refresh_token = "" } = await nobody.tokens.create(request as never);
  expect(await nobody.tokens.revoke({ token: refresh_token, client_id: "somebody" } as never)).toBe(true);
});
