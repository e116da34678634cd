import { expect, test } from "vitest";
import { identityWorld, refusal } from "../builders/identity.ts";

const principalId = "8c5e4b1a-0000-4000-8000-0000000000aa";

async function withRole(serviceAccountRole: "Bot" | "CiCd" = "CiCd") {
  const world = await identityWorld();
  const { api, account } = await world.person("ada");
  const accountId = account.id;
  const dev = { type: "Personal", ownerId: account.id, shortName: "dev" } as const;
  await api.environments.create(dev, {});
  await api.environments.create({ ...dev, shortName: "prod" }, {});
  const place = { ...dev, principalId };
  await api.environments.serviceAccounts.assign(place, { serviceAccountRole });
  const { secret, id } = await api.environments.serviceAccounts.issueSecret(place);
  const token = (client_secret = secret) =>
    world.nobody.tokens.create({ grant_type: "client_credentials", client_id: principalId, client_secret });
  const bot = world.bearer((await token()).access_token);
  return { ...world, api, accountId, dev, place, secretId: id, secret, token, bot };
}

test("using its secret is written down", async () => {
  const { api, place } = await withRole();
  const { secrets } = await api.environments.serviceAccounts.get(place);
  expect(secrets).toEqual([expect.objectContaining({ lastUsedAt: "2026-01-01T00:00:00.000Z" })]);
  expect(JSON.stringify(secrets)).not.toContain("digest");
});

test("a disabled role can do nothing until it is enabled again", async () => {
  const { api, bot, dev, place, token } = await withRole();
  await api.environments.serviceAccounts.update(place, { active: false });
  expect(await refusal(bot.environments.get(dev))).toEqual({ code: "ServiceAccountDisabled", status: 403 });
  expect(await refusal(token())).toMatchObject({ code: "ServiceAccountDisabled", status: 403 });
  expect(await refusal(token("wrong"))).toMatchObject({ code: "InvalidCredentials", status: 401 });
  await api.environments.serviceAccounts.update(place, { active: true });
  await bot.environments.get(dev);
});

test("it is disabled with the environment's owner", async () => {
  const { bot, dev, token, operator, accountId } = await withRole();
  const { api: operating } = await operator();
  await operating.accounts.suspend({ accountId });
  expect(await refusal(bot.environments.get(dev))).toEqual({ code: "ServiceAccountDisabled", status: 403 });
  expect(await refusal(token())).toMatchObject({ code: "ServiceAccountDisabled", status: 403 });
  await operating.accounts.resume({ accountId });
  await bot.environments.get(dev);
});

test.each(["the secret", "the role", "the environment"])("once %s is gone its tokens are revoked", async (what) => {
  const { api, bot, dev, place, secretId, token } = await withRole();
  if (what === "the secret") await api.environments.serviceAccounts.revokeSecret({ ...place, secretId });
  if (what === "the role") await api.environments.serviceAccounts.delete(place);
  if (what === "the environment") await api.environments.delete(dev);
  expect(await refusal(bot.environments.get(dev))).toEqual({ code: "TokenRevoked", status: 401 });
  expect(await refusal(token())).toEqual({ code: "InvalidCredentials", status: 401, error: "invalid_client" });
});
