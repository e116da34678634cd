import fc from "fast-check";
import { expect, test } from "vitest";
import { type IdentityFacts, judgeIdentity } from "../../src/identity/identity-verdict.ts";
import type { IdentityProfile, IssuerRequest, SignInIssuer } from "../../src/ports/identity.ts";
import type { LinkOffer, SignInArrival } from "../../src/sessions/issuer-sign-in.ts";
import type { SignInEnd } from "../../src/sessions/sign-in-transactions.ts";
import type { Settings } from "../../src/settings.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

const verified = { email: "ada@example.com", isEmailVerified: true, name: "Ada", surname: null };
const from = { address: null, userAgent: null, remote: true };
const page = { kind: "page", returnTo: "/" } as const;
const minuteMs = 60_000;

interface OneIssuer extends SignInIssuer {
  subject: string;
  profile: IdentityProfile;
  now: () => number;
  /** How long ago people signed in there; `null`: it doesn't say. */
  ageMs: number | null;
  readonly requests: IssuerRequest[];
}

/** An issuer that takes whoever comes for one person. */
function oneIssuer(): OneIssuer {
  const issuer: OneIssuer = {
    issuer: "https://id.example",
    subject: "ada",
    now: () => 0,
    ageMs: 0,
    profile: verified,
    requests: [],
    async begin(request: IssuerRequest) {
      issuer.requests.push(request);
      return `https://id.example/auth?state=${request.state}`;
    },
    async complete() {
      const { subject, profile, ageMs } = issuer;
      const authenticatedAt = ageMs === null ? null : issuer.now() - ageMs;
      const proven = { issuer: issuer.issuer, subject, authenticatedAt, hasSecondFactor: false };
      return { ...proven, profile: async () => profile };
    },
    signOut: async () => null,
  };
  return issuer;
}

async function issuerWorld(settings: Partial<Settings> = { provisioning: "verified-email" }) {
  const issuer = oneIssuer();
  const world = await identityWorld(settings, undefined, { signInIssuer: issuer });
  issuer.now = world.runtime.clock.now;
  const { signIn } = world.liveplane;
  if (signIn === null) throw new TypeError("There is no issuer.");
  const redirectUri = "https://here.example/auth/oidc/callback";
  const begin = (ticket?: string, end: SignInEnd = page, isFresh = false) =>
    signIn.begin({ redirectUri, end, isFresh, requestId: "r", ...(ticket !== undefined && { ticket }) });
  const finish = ({ transaction }: { transaction: string }) => {
    const state = issuer.requests.at(-1)?.state ?? "";
    return signIn.finish({ transaction, query: new URLSearchParams({ state }), from, requestId: "r" });
  };
  const confirm = ({ transaction, state }: Pick<LinkOffer, "transaction" | "state">) =>
    signIn.confirm({ transaction, query: new URLSearchParams({ state }), requestId: "r" });
  async function offer(api: ReturnType<typeof world.bearer>): Promise<LinkOffer> {
    const { url } = await api.accounts.identities.authorize();
    const offered = await finish(await begin(new URLSearchParams(url.split("?")[1]).get("link") ?? ""));
    if (offered.kind !== "offer") throw new TypeError("Nothing was offered.");
    return offered;
  }
  return {
    ...{ ...world, issuer, begin, finish, confirm, offer },
    async come() {
      return finish(await begin());
    },
    async offered(api: ReturnType<typeof world.bearer>) {
      const arrival = await confirm(await offer(api));
      return "code" in arrival ? arrival.code : "";
    },
    apiOf: (arrival: SignInArrival) => world.bearer("tokens" in arrival ? arrival.tokens.accessToken : ""),
  };
}

test("who may come in is decided by what is known, for any of it", () => {
  const status = fc.constantFrom("Registered", "Active", "Suspended", "Deleted");
  const account = fc.option(fc.record({ id: fc.constantFrom("a", "operator"), status }));
  const email = fc.option(fc.constant("ada@example.com"));
  const profile = fc.option(
    fc.record({ email, isEmailVerified: fc.boolean(), name: fc.constant(null), surname: fc.constant(null) }),
  );
  const provisioning = fc.constantFrom("off", "verified-email");
  const facts = fc.record({ linked: account, named: account, profile, provisioning });
  fc.assert(
    fc.property(facts, (drawn) => {
      const known = { ...drawn, isOperator: (id: string) => id === "operator" } as IdentityFacts;
      const verdict = judgeIdentity(known);
      const { linked, named } = known;
      const isProved = known.provisioning !== "off" && known.profile?.isEmailVerified === true && known.profile.email;
      // What somebody is in is opened by a link alone.
      if (verdict.kind === "opens") expect(linked).toEqual({ id: verdict.accountId, status: "Active" });
      if (verdict.kind === "activates") {
        expect({ linked, named }).toEqual({ linked: null, named: { id: "a", status: "Registered" } });
        expect(isProved).toBeTruthy();
      }
      if (verdict.kind === "provisions") expect({ linked, named }).toEqual({ linked: null, named: null });
      if (verdict.kind === "provisions") expect(isProved).toBeTruthy();
      if (linked?.status === "Active") expect(verdict.kind).toBe("opens");
    }),
  );
});

test("an account that was registered by an address is activated, and its challenge opens nothing any more", async () => {
  const { registered, come, apiOf, liveplane, events, kept } = await issuerWorld();
  const { account, challenge } = await registered("ada@example.com");
  const me = await apiOf(await come()).accounts.me();
  expect(me).toMatchObject({ id: account.id, status: "Active", name: "Ada", challenge: "" });
  const late = liveplane.as({ kind: "challenge", credential: challenge }).accounts;
  expect(await refusal(late.activate({ password: "vK9-mQ2-xPLw-7d" }))).toMatchObject({ code: "ChallengeInvalid" });
  expect([await kept("challenge"), await kept("pending-challenge")]).toEqual([[], []]);
  expect((await events("account.activated")).map(({ subject }) => subject)).toEqual([account.id]);
  expect(await events("identity.linked")).toMatchObject([{ data: { issuer: "https://id.example" } }]);
});

test("whoever comes for the first time is the one who registered, and signed in", async () => {
  for (const isRegistered of [false, true]) {
    const { registered, come, apiOf, events } = await issuerWorld();
    if (isRegistered) await registered("ada@example.com");
    const { id } = await apiOf(await come()).accounts.me();
    const told = isRegistered ? [] : (["account.registered", "subscription.created"] as const);
    for (const type of [...told, "account.activated", "identity.linked", "session.started"] as const)
      expect(await events(type), type).toMatchObject([{ actor: id }]);
  }
});

test("an operator's account that was never activated isn't, by an address", async () => {
  const operators: string[] = [];
  const { registered, come } = await issuerWorld({ provisioning: "verified-email", operators });
  operators.push((await registered("ada@example.com")).account.id);
  expect(await refusal(come())).toMatchObject({ code: "IdentityNotLinked" });
});

test("who comes back with a state of another sign-in is sent away before the issuer is asked", async () => {
  const { begin, issuer, liveplane, kept } = await issuerWorld();
  const { transaction } = await begin();
  await begin();
  for (const state of [issuer.requests.at(-1)?.state ?? "", "", "x"]) {
    const query = new URLSearchParams({ state });
    const finished = liveplane.signIn?.finish({ transaction, query, from, requestId: "r" });
    expect(await refusal(finished ?? Promise.resolve())).toMatchObject({ code: "SignInInvalid" });
  }
  expect(await kept("account")).toEqual([]);
});

test("a sign-in takes no longer than ten minutes", async () => {
  const { begin, finish, advance } = await issuerWorld();
  const begun = await begin();
  await advance(10 * minuteMs - 1);
  await finish(begun);
  const late = await begin();
  await advance(10 * minuteMs);
  expect(await refusal(finish(late))).toEqual({ code: "SignInInvalid", status: 400 });
});

test("a code waits a minute for a program, and ten for a person", async () => {
  const { begin, finish, nobody, advance } = await issuerWorld();
  const codeVerifier = "verifier ".repeat(5);
  const codeChallenge = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(codeVerifier))).toString(
    "base64url",
  );
  const ends = [
    { kind: "loopback", port: 9, state: "s", codeChallenge } as const,
    { kind: "person", codeChallenge } as const,
  ];
  for (const [at, end] of ends.entries()) {
    const lifeMs = [minuteMs, 10 * minuteMs][at] ?? 0;
    for (const [ageMs, isGood] of [
      [lifeMs - 1, true],
      [lifeMs, false],
    ] as const) {
      const arrival = await finish(await begin(undefined, end));
      await advance(ageMs);
      const taken = nobody.sessions.createByCode({ code: "code" in arrival ? arrival.code : "", codeVerifier });
      if (isGood) await taken;
      else expect(await refusal(taken)).toEqual({ code: "SignInInvalid", status: 400 });
    }
  }
});

test("what was begun twice at once is completed once", async () => {
  const { begin, finish, kept } = await issuerWorld();
  const begun = await begin();
  const outcomes = await Promise.allSettled([finish(begun), finish(begun), finish(begun)]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await kept("account")).toHaveLength(1);
});

test("who comes for the first time twice at once has one account", async () => {
  const { begin, issuer, liveplane, kept } = await issuerWorld();
  const all = [await begin(), await begin()].map(({ transaction }, at) => {
    const query = new URLSearchParams({ state: issuer.requests[at]?.state ?? "" });
    return liveplane.signIn?.finish({ transaction, query, from, requestId: "r" });
  });
  await Promise.all(all);
  expect(await kept("account")).toHaveLength(1);
  expect(await kept("identity")).toHaveLength(1);
});

test("an offer to link lasts ten minutes, is confirmed once, and ends with the account", async () => {
  const { person, offer, confirm, advance, issuer, liveplane } = await issuerWorld({});
  const { api, account } = await person("ada");
  const over = { code: "SignInInvalid", status: 400 };
  const [first, twice, late, deleted] = [await offer(api), await offer(api), await offer(api), await offer(api)];
  expect(first).toMatchObject({
    ...{ account: { username: "ada" }, identity: { issuer: issuer.issuer, subject: "ada", email: verified.email } },
  });
  expect(await refusal(confirm({ ...first, state: twice.state }))).toEqual(over);
  expect(await refusal(confirm({ ...first, transaction: twice.transaction }))).toEqual(over);
  const outcomes = await Promise.allSettled([confirm(twice), confirm(twice), confirm(twice)]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await liveplane.as({ kind: "account", accountId: account.id }).accounts.deleteMe();
  expect(await refusal(confirm(deleted))).toEqual(over);
  await advance(10 * minuteMs);
  expect(await refusal(confirm(late))).toEqual(over);
});

test("linking and unlinking take a sign-in of the last ten minutes, in a session of one's own", async () => {
  const { person, advance, offered, issuer, liveplane } = await issuerWorld({});
  const ada = await person("ada");
  await advance(10 * minuteMs - 1);
  const code = await offered(ada.api);
  const { id: identityId } = await ada.api.accounts.identities.link({ code });
  const stale = { code: "SignInNotFresh", status: 403 };
  const host = liveplane.as({ kind: "account", accountId: ada.account.id });
  expect(await refusal(host.accounts.identities.authorize())).toEqual(stale);
  expect(await refusal(host.accounts.identities.delete({ identityId }))).toEqual(stale);
  issuer.subject = "another";
  const second = await offered((await person("bob")).api);
  expect(await refusal(host.accounts.identities.link({ code: second }))).toEqual(stale);
});

test("a session that is older than ten minutes links and unlinks nothing", async () => {
  const { person, nobody, bearer, advance } = await issuerWorld({});
  const { tokens } = await person("ada");
  await advance(10 * minuteMs + 1);
  const renewed = await nobody.tokens.create({ grant_type: "refresh_token", refresh_token: tokens.refreshToken });
  const refused = bearer(renewed.access_token).accounts.identities.authorize();
  expect(await refusal(refused)).toEqual({ code: "SignInNotFresh", status: 403 });
});

test("a sign-in at the issuer is as fresh as the issuer says, and without its word it isn't", async () => {
  const { come, apiOf, issuer } = await issuerWorld();
  const fresh = async (ageMs: number | null) => {
    issuer.ageMs = ageMs;
    return refusal(apiOf(await come()).accounts.identities.authorize());
  };
  const stale = { code: "SignInNotFresh", status: 403 };
  expect(await fresh(10 * minuteMs + 1)).toEqual(stale);
  expect(await fresh(null)).toEqual(stale);
  // It was answered: the issuer's clock may be ahead too.
  for (const ageMs of [0, 10 * minuteMs, -minuteMs]) expect(await fresh(ageMs)).toMatchObject({ status: 500 });
  expect(issuer.requests.at(-1)).toMatchObject({ asksAgain: false });
});

test("who must sign in at the issuer again does, or doesn't come in", async () => {
  const { begin, finish, apiOf, issuer } = await issuerWorld();
  const again = async (ageMs: number | null) => {
    issuer.ageMs = ageMs;
    return finish(await begin(undefined, page, true));
  };
  await apiOf(await again(minuteMs)).accounts.identities.authorize();
  expect(issuer.requests.at(-1)).toMatchObject({ asksAgain: true, maxAgeSeconds: 600 });
  await expect(again(10 * minuteMs + 1)).rejects.toMatchObject({
    code: "SignInNotFresh",
    message: expect.stringContaining("didn't ask you"),
  });
  await expect(again(null)).rejects.toMatchObject({
    code: "SignInNotFresh",
    message: expect.stringContaining("doesn't say when"),
  });
});

test("no session begins with a sign-in at the issuer that is older than a session may become", async () => {
  const { come, issuer } = await issuerWorld({ provisioning: "verified-email", refreshAbsoluteSeconds: 3600 });
  issuer.ageMs = 3_600_000;
  expect(await come()).toMatchObject({ kind: "page" });
  issuer.ageMs += 1;
  expect(await refusal(come())).toMatchObject({ code: "SignInNotFresh" });
  expect(issuer.requests.at(-1)).toMatchObject({ maxAgeSeconds: 3600 });
});

test("the address of an account is told of a link", async () => {
  const { come, apiOf, offered, issuer, mailer, settle } = await issuerWorld();
  const ada = apiOf(await come());
  issuer.subject = "ada's other";
  await ada.accounts.identities.link({ code: await offered(ada) });
  await settle();
  expect(mailer.last("ada@example.com")).toMatchObject({ subject: "A new way to sign in was added to your account" });
});

test("of two identities that are unlinked at once one stays, where there is no password", async () => {
  const { come, apiOf, offered, issuer } = await issuerWorld();
  const ada = apiOf(await come());
  issuer.subject = "ada's other";
  await ada.accounts.identities.link({ code: await offered(ada) });
  const { items } = await ada.accounts.identities.list();
  const removals = items.map(({ id: identityId }) => ada.accounts.identities.delete({ identityId }));
  const outcomes = await Promise.allSettled(removals);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect((await ada.accounts.identities.list()).items).toHaveLength(1);
});

test("a deleted account lets nobody in, and is forgotten with its identities", async () => {
  const { come, apiOf, kept, advance, housekeep } = await issuerWorld();
  await apiOf(await come()).accounts.deleteMe();
  expect(await refusal(come())).toEqual({ code: "AccountNotActive", status: 403 });
  await advance(2_592_000_000);
  await housekeep();
  expect(await kept("identity")).toEqual([]);
  await come();
});

test("nothing that opens an account lies in the store, the log or an event", async () => {
  const { begin, finish, everything, issuer, offered, apiOf } = await issuerWorld();
  const begun = await begin();
  const ada = apiOf(await finish(begun));
  issuer.subject = "ada's other";
  const code = await offered(ada);
  const kept = await everything();
  const secrets = issuer.requests.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier]);
  for (const secret of [...secrets, begun.transaction, code]) expect(kept).not.toContain(secret);
});
