import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { withApp } from "../builders/factors.ts";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const codeVerifier = "v".repeat(43);
const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
const invalid = { code: "SignInInvalid", status: 400 };
const minuteMs = 60_000;

/** Ada, signed in in a browser, with an authenticator app. */
async function withAda() {
  const world = await identityWorld();
  const ada = await world.person("ada");
  const app = await withApp(ada.api, world.runtime.clock);
  await world.advance(minuteMs);
  const half = world.bearer((await world.signIn("ada")).accessToken);
  const browser = world.bearer((await half.sessions.createByFactor({ code: await app.code() })).accessToken);
  const byCode = (code: string, verifier = codeVerifier) =>
    world.nobody.sessions.createByCode({ code, codeVerifier: verifier });
  return { ...world, browser, byCode, account: ada.account };
}

test("a program gets a session of its own, as strong and as old as the one it was approved in", async () => {
  const { browser, byCode, bearer, advance, nobody } = await withAda();
  await advance(8 * minuteMs);
  const { code } = await browser.sessions.authorize({ codeChallenge });
  const tokens = await byCode(code);
  expect(tokens.secondFactorRequired).toBe(false);
  const { items } = await bearer(tokens.accessToken).sessions.list();
  expect(items.find(({ current }) => current)).toMatchObject({ signedInBy: "password", secondFactor: "totp" });
  await browser.sessions.delete({ sessionId: items.find(({ current }) => !current)?.id ?? "" });
  // Approving proved nothing anew: both stop being fresh at the same time.
  await advance(2 * minuteMs + 1);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refreshToken } as const;
  const program = bearer((await nobody.tokens.create(refresh)).access_token);
  expect(await refusal(program.sessions.authorize({ codeChallenge }))).toMatchObject({ code: "SignInNotFresh" });
  expect(await refusal(browser.sessions.authorize({ codeChallenge }))).not.toBeNull();
});

test("a code works once, within ten minutes, and for nobody who hasn't the verifier", async () => {
  const { browser, byCode, advance } = await withAda();
  const codes = [];
  for (let made = 0; made < 3; made++) codes.push((await browser.sessions.authorize({ codeChallenge })).code);
  const [used = "", stolen = "", late = ""] = codes;
  await byCode(used);
  expect(await refusal(byCode(used))).toEqual(invalid);
  expect(await refusal(byCode(stolen, "w".repeat(43)))).toEqual(invalid);
  expect(await refusal(byCode(stolen))).toEqual(invalid);
  await advance(10 * minuteMs);
  expect(await refusal(byCode(late))).toEqual(invalid);
});

test("a code ends with the session that it was approved in", async () => {
  const { browser, byCode, person } = await withAda();
  const { code } = await browser.sessions.authorize({ codeChallenge });
  const { items } = await browser.sessions.list();
  await browser.sessions.delete({ sessionId: items.find(({ current }) => current)?.id ?? "" });
  expect(await refusal(byCode(code))).toEqual(invalid);

  const { api: eve } = await person("eve");
  const { code: before } = await eve.sessions.authorize({ codeChallenge });
  await eve.accounts.changePassword({ oldPassword: password, newPassword: otherPassword });
  expect(await byCode(before)).toMatchObject({ secondFactorRequired: false });
});

test("only a person who is wholly signed in here approves a program, and a suspended one doesn't", async () => {
  const { browser, byCode, bearer, signIn, host, liveplane, account } = await withAda();
  const half = bearer((await signIn("ada")).accessToken);
  const refused = await refusal(half.sessions.authorize({ codeChallenge }));
  expect(refused).toMatchObject({ code: "SecondFactorRequired" });
  const vouched = liveplane.as({ kind: "account", accountId: account.id });
  expect(await refusal(vouched.sessions.authorize({ codeChallenge }))).toMatchObject({ code: "SignInNotFresh" });
  const { code } = await browser.sessions.authorize({ codeChallenge });
  await host.accounts.suspend({ accountId: account.id });
  expect(await refusal(byCode(code))).toEqual(invalid);
});
