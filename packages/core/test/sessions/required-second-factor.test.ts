import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { withApp } from "../builders/factors.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

const refused = { code: "SecondFactorRequired", status: 403 };

/** An operator and Bob, who both signed in by password alone; and how they sign in with a second factor, once they have one. */
async function worldOf(settings: Parameters<typeof identityWorld>[0]) {
  const world = await identityWorld(settings);
  const [operator, bob] = [await world.operator(), await world.person("bob")];
  const withFactor = async ({ account: { username }, api }: typeof bob) => {
    const { code } = await withApp(api, world.runtime.clock);
    await world.advance(30_000);
    const half = world.bearer((await world.signIn(username ?? "")).accessToken);
    return world.bearer((await half.sessions.createByFactor({ code: await code() })).accessToken);
  };
  return { ...world, operator, bob, withFactor };
}

test("without a setting nobody needs a second factor", async () => {
  const { operator, bob } = await worldOf({});
  await operator.api.accounts.list();
  await bob.api.organizations.create({ name: "Acme" });
});

test("an operator without the second factor that is required only adds one, and other people need none", async () => {
  const { operator, bob, withFactor } = await worldOf({ requireSecondFactor: "operators" });
  for (const call of [operator.api.accounts.list(), operator.api.organizations.create({ name: "Acme" })])
    expect(await refusal(call)).toEqual(refused);
  await bob.api.organizations.create({ name: "Acme" });
  const secure = await withFactor(operator);
  expect((await secure.accounts.list()).items).toHaveLength(2);
});

test("everybody needs one for everything but what adds it, also for what is their own", async () => {
  const { bob, liveplane, withFactor } = await worldOf({ requireSecondFactor: "everybody" });
  const { access } = liveplane;
  const caller = { kind: "bearer", token: bob.tokens.accessToken } as const;
  const open: string[] = [];
  for (const row of Object.values(operationsById)) {
    const who = "who" in row.access ? row.access.who : "";
    const actor = await access.identify(caller, row).catch((error: unknown) => refusal(Promise.reject(error)));
    if (who === "anyone" || who === "challenge") continue;
    if ("kind" in (actor ?? {})) open.push(row.id);
    else expect({ id: row.id, ...actor }).toEqual({ id: row.id, ...refused });
  }
  expect(open.sort()).toEqual([
    "accounts.changePassword",
    ...["addPasskey", "addTotp", "beginPasskey", "confirmTotp", "list"].map((id) => `accounts.factors.${id}`),
    ...["accounts.me", "sessions.createByFactor", "sessions.delete", "sessions.list"],
  ]);
  const own = { type: "Personal", ownerId: bob.account.id, shortName: "own" } as const;
  await expect(bob.api.environments.create(own, {})).rejects.toThrow(/Add a passkey or an authenticator app/);
  expect(await (await withFactor(bob)).environments.create(own, {})).toMatchObject({ id: own });
});

test("whoever is short of one counts as a stranger where anybody may call", async () => {
  const { operator, nobody } = await worldOf({ requireSecondFactor: "operators" });
  const eve = { username: "eve", password: "aX3-long-enough-1f" };
  const stranger = await refusal(nobody.accounts.createWithCredentials(eve));
  expect(stranger?.code).toBeDefined();
  expect(await refusal(operator.api.accounts.createWithCredentials(eve))).toEqual(stranger);
});

test("service accounts, and callers that the host vouches for, need none", async () => {
  const { bob, liveplane, host, nobody, bearer } = await worldOf({ requireSecondFactor: "everybody" });
  const vouched = (hasSecondFactor?: boolean) =>
    liveplane.as({
      kind: "account",
      accountId: bob.account.id,
      ...(hasSecondFactor !== undefined && { hasSecondFactor }),
    });
  const { id: organizationId } = await vouched().organizations.create({ name: "Acme" });
  const { serviceAccountId } = await vouched().organizations.get({ organizationId });
  const { secret } = await vouched().organizations.issueServiceAccountSecret({ organizationId }, {});
  const grant = { principalType: "Account", principalId: serviceAccountId, permissionType: "View" } as const;
  await vouched().organizations.permissions.grant({ organizationId }, grant);
  const client = {
    grant_type: "client_credentials",
    client_id: serviceAccountId ?? "",
    client_secret: secret,
  } as const;
  const service = bearer((await nobody.tokens.create(client)).access_token);
  expect(await service.organizations.get({ organizationId })).toMatchObject({ name: "Acme" });
  await vouched(true).organizations.list();
  expect(await refusal(vouched(false).organizations.list())).toEqual(refused);
  await host.accounts.list();
});
