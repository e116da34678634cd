import { expect, test } from "vitest";
import type { ExternalVerifier } from "../../src/ports/identity.ts";
import { withApp } from "../builders/factors.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

const refused = { code: "OrganizationRequiresSecondFactor", status: 403 };

/** Ada is the Admin of an organization that requires a second factor; Bob may edit it, and signed in by password alone. */
async function requiringWorld(verifier?: ExternalVerifier) {
  const world = await identityWorld({}, verifier);
  const ada = await world.person("ada");
  const bob = await world.person("bob");
  const { id: organizationId } = await ada.api.organizations.create({ name: "Acme" });
  const grant = { principalType: "Account", principalId: bob.account.id, permissionType: "Edit" } as const;
  await ada.api.organizations.permissions.grant({ organizationId }, grant);
  const environment = { type: "Organizational", ownerId: organizationId, shortName: "web" } as const;
  await ada.api.environments.create(environment, {});
  const api = await withFactor(world, "ada");
  await api.organizations.update({ organizationId, requiresSecondFactor: true });
  return { ...world, ada: { ...ada, api }, bob, organizationId, environment };
}

/** Adds an authenticator app to somebody's account and signs in with it. */
async function withFactor(world: Awaited<ReturnType<typeof identityWorld>>, username: string) {
  const { bearer, signIn, runtime, advance } = world;
  const { code } = await withApp(bearer((await signIn(username)).accessToken), runtime.clock);
  await advance(30_000);
  const waiting = await signIn(username);
  const { accessToken } = await bearer(waiting.accessToken).sessions.createByFactor({ code: await code() });
  return bearer(accessToken);
}

test("whoever signed in without a second factor is refused in an organization that requires one, and told what to do", async () => {
  const { bob, organizationId, environment } = await requiringWorld();
  const calls = [
    () => bob.api.organizations.get({ organizationId }),
    () => bob.api.organizations.update({ organizationId, name: "Mine" }),
    () => bob.api.organizations.teams.list({ organizationId }),
    () => bob.api.organizations.teams.upsert({ organizationId }, { shortName: "ops" }),
    () => bob.api.organizations.members.list({ organizationId }),
    () => bob.api.organizations.suspend({ organizationId }),
    () => bob.api.permissions.explain({ organizationId }, { principalType: "Account", principalId: bob.account.id }),
    () => bob.api.environments.get(environment),
    () => bob.api.environments.update(environment, { name: "x" }),
    () => bob.api.environments.create({ ...environment, shortName: "new" }, {}),
    () => bob.api.environments.delete(environment),
  ];
  for (const call of calls)
    expect({ call: call.toString(), ...(await refusal(call())) }).toEqual({ call: call.toString(), ...refused });
  await expect(bob.api.organizations.get({ organizationId })).rejects.toThrow(/Add a passkey or an authenticator app/);
});

test("lists leave out what it owns, and name the organization alone", async () => {
  const { bob, ada, organizationId, environment, liveplane } = await requiringWorld();
  expect((await bob.api.organizations.list()).items).toEqual([
    { id: organizationId, name: "Acme", icon: null, needsSecondFactor: true },
  ]);
  expect((await bob.api.names.find({ id: [organizationId] })).items).toMatchObject([{ name: "Acme" }]);
  expect((await bob.api.environments.list()).items).toEqual([]);
  expect((await bob.api.names.find({ id: [ada.account.id] })).items).toEqual([]);
  expect((await ada.api.environments.list()).items).toMatchObject([{ id: environment }]);
  const hears = (accountId: string, hasSecondFactor: boolean) =>
    liveplane.access.sees({ kind: "account", accountId, hasSecondFactor }, { kind: "environment", ...environment });
  expect(await hears(bob.account.id, false)).toBe(false);
  expect(await hears(bob.account.id, true)).toBe(true);
});

test("what is their own stays theirs, and with a second factor they get in", async () => {
  const { bob, organizationId, ...world } = await requiringWorld();
  const own = { type: "Personal", ownerId: bob.account.id, shortName: "own" } as const;
  await bob.api.environments.create(own, {});
  expect(await bob.api.accounts.me()).toMatchObject({ id: bob.account.id });
  const [session] = (await bob.api.sessions.list()).items;
  const api = await withFactor(world, "bob");
  expect(await api.organizations.get({ organizationId })).toMatchObject({ requiresSecondFactor: true });
  // The sign-in without one ended with the change of factors.
  expect(await refusal(bob.api.sessions.delete({ sessionId: session?.id ?? "" }))).toMatchObject({
    code: "TokenRevoked",
  });
});

test("a stranger learns nothing of it, with or without a second factor", async () => {
  const { organizationId, environment, person } = await requiringWorld();
  const { api } = await person("eve");
  expect(await refusal(api.organizations.get({ organizationId }))).toEqual({ code: "NotFound", status: 404 });
  expect(await refusal(api.environments.get(environment))).toEqual({ code: "NotFound", status: 404 });
  expect(await refusal(api.organizations.teams.list({ organizationId }))).toEqual({ code: "NotFound", status: 404 });
});

test("only an Admin who gave a second factor may require one, and only an Admin may stop to", async () => {
  const world = await identityWorld();
  const { ada, bob, organizationId } = await requiringWorld();
  const eve = await world.person("eve");
  expect(await refusal(eve.api.organizations.create({ name: "Own", requiresSecondFactor: true }))).toEqual(refused);
  const made = await eve.api.organizations.create({ name: "Own", requiresSecondFactor: false });
  const requires = { organizationId: made.id, requiresSecondFactor: true };
  expect(await refusal(eve.api.organizations.update(requires))).toEqual(refused);
  const secure = await withFactor(world, "eve");
  expect(await secure.organizations.update(requires)).toMatchObject({ requiresSecondFactor: true, name: "Own" });

  await ada.api.organizations.update({ organizationId, requiresSecondFactor: false });
  expect(await bob.api.organizations.update({ organizationId, name: "Renamed" })).toMatchObject({ name: "Renamed" });
  expect(await refusal(bob.api.organizations.update({ organizationId, requiresSecondFactor: false }))).toEqual({
    code: "PermissionDenied",
    status: 403,
  });
});

test("the answer to an earlier call isn't repeated once a second factor is required", async () => {
  const { ada, bob, organizationId } = await requiringWorld();
  const requires = (requiresSecondFactor: boolean) =>
    ada.api.organizations.update({ organizationId, requiresSecondFactor });
  const rename = () => bob.api.organizations.update({ organizationId, name: "B" }, { idempotencyKey: "once" });
  await requires(false);
  expect(await rename()).toEqual(await rename());
  await requires(true);
  expect(await refusal(rename())).toEqual(refused);
});

test("service accounts and callers that the host vouches for aren't people who sign in", async () => {
  const { ada, bob, organizationId, nobody, bearer, liveplane } = await requiringWorld();
  const { secret } = await ada.api.organizations.issueServiceAccountSecret({ organizationId }, {});
  const { serviceAccountId } = await ada.api.organizations.get({ organizationId });
  const grant = { principalType: "Account", principalId: serviceAccountId, permissionType: "View" } as const;
  await ada.api.organizations.permissions.grant({ organizationId }, grant);
  const client = {
    grant_type: "client_credentials",
    client_id: serviceAccountId ?? "",
    client_secret: secret,
  } as const;
  const { access_token } = await nobody.tokens.create(client);
  expect(await bearer(access_token).organizations.get({ organizationId })).toMatchObject({ name: "Acme" });
  const as = { kind: "account", accountId: bob.account.id } as const;
  expect(await liveplane.as(as).organizations.get({ organizationId })).toMatchObject({ name: "Acme" });
  const without = liveplane.as({ ...as, hasSecondFactor: false });
  expect(await refusal(without.organizations.get({ organizationId }))).toEqual(refused);
});

test("somebody without a second factor gets no secret for a service account that has permissions there", async () => {
  const { ada, bob, organizationId } = await requiringWorld();
  const { serviceAccountId } = await bob.api.accounts.serviceAccount();
  await bob.api.accounts.issueServiceAccountSecret({});
  const grant = { principalType: "Account", principalId: serviceAccountId, permissionType: "View" } as const;
  await ada.api.organizations.permissions.grant({ organizationId }, grant);
  expect(await refusal(bob.api.accounts.issueServiceAccountSecret({}))).toEqual(refused);
});

test("a token of another issuer counts as without one, unless the issuer says that one was given", async () => {
  const said = new Map<string, { accountId: string; hasSecondFactor?: boolean }>();
  const { bob, bearer, organizationId } = await requiringWorld({ verify: async (token) => said.get(token) ?? null });
  said.set("plain", { accountId: bob.account.id });
  said.set("strong", { accountId: bob.account.id, hasSecondFactor: true });
  expect(await refusal(bearer("plain").organizations.get({ organizationId }))).toEqual(refused);
  expect(await bearer("strong").organizations.get({ organizationId })).toMatchObject({ id: organizationId });
});
