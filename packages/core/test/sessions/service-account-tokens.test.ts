import { expect, test } from "vitest";
import { identityWorld, refusal } from "../builders/identity.ts";
import { toAccount } from "../builders/principals.ts";

const badClient = { code: "InvalidCredentials", status: 401, error: "invalid_client" };

async function withServiceAccount() {
  const world = await identityWorld();
  const { api, account } = await world.person("ada");
  const { serviceAccountId } = await api.accounts.serviceAccount();
  const issued = await api.accounts.issueServiceAccountSecret();
  const token = (client_secret = issued.secret, more: object = {}) =>
    world.nobody.tokens.create({
      grant_type: "client_credentials",
      client_id: serviceAccountId ?? "",
      client_secret,
      ...more,
    });
  return { ...world, api, account, principalId: serviceAccountId ?? "", issued, token };
}

test("a service account is made once", async () => {
  const { api, principalId, account } = await withServiceAccount();
  const again = await api.accounts.serviceAccount();
  expect(again.serviceAccountId).toBe(principalId);
  expect(again.id).toBe(account.id);
});

test("of many that ask for it at once all get the same", async () => {
  const { person } = await identityWorld();
  const { api } = await person("ada");
  const made = await Promise.all(Array.from({ length: 4 }, () => api.accounts.serviceAccount()));
  expect(new Set(made.map(({ serviceAccountId }) => serviceAccountId)).size).toBe(1);
});

test("its secret gives an access token, without a refresh token, that stands for the account", async () => {
  const { token, bearer, account, issued } = await withServiceAccount();
  expect(issued).toEqual({
    id: expect.any(String),
    secret: expect.stringMatching(/^[\w-]{43}$/),
    expiresAt: "2027-01-01T00:00:00.000Z",
  });
  const given = await token();
  expect(given).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    expires_in: 600,
    scope: "accounts environments livesystems organizations subscriptions",
  });
  expect(await bearer(given.access_token).accounts.me()).toMatchObject({ id: account.id });
});

test("a client may ask for fewer scopes, and is told which it lacks", async () => {
  const { token, bearer } = await withServiceAccount();
  const given = await token(undefined, { scope: "livesystems environments" });
  expect(given.scope).toBe("environments livesystems");
  const lacking = await bearer(given.access_token)
    .accounts.me()
    .catch((error: Error & { code: string }) => error);
  expect(lacking).toMatchObject({ code: "InsufficientScope" });
  expect(String(lacking)).toContain("accounts");
  expect(await refusal(token(undefined, { scope: "operator" }))).toEqual({
    code: "ValidationFailed",
    status: 400,
    at: "#/scope",
    error: "invalid_scope",
  });
});

test("a wrong id or secret is a bad client", async () => {
  const { token, nobody, principalId } = await withServiceAccount();
  expect(await refusal(token("wrong"))).toEqual(badClient);
  expect(await refusal(nobody.tokens.create({ grant_type: "client_credentials", client_id: principalId }))).toEqual(
    badClient,
  );
  expect(await refusal(nobody.tokens.create({ grant_type: "client_credentials" }))).toEqual(badClient);
});

test("what isn't understood is said in the words of RFC 6749", async () => {
  const { nobody } = await identityWorld();
  const create = (body: object) => refusal(nobody.tokens.create(body as never));
  expect(await create({ grant_type: "password" })).toMatchObject({ status: 400, error: "unsupported_grant_type" });
  expect(await create({})).toMatchObject({ code: "ValidationFailed", error: "invalid_request" });
  expect(await create({ grant_type: "refresh_token" })).toMatchObject({
    at: "#/refresh_token",
    error: "invalid_request",
  });
  expect(await refusal(nobody.tokens.revoke({} as never))).toMatchObject({
    code: "ValidationFailed",
    error: "invalid_request",
  });
});

test("at most two secrets are alive; a third waits until one has expired", async () => {
  const { api, advance, signIn, bearer } = await withServiceAccount();
  await api.accounts.issueServiceAccountSecret({ expiresAt: "2026-01-02T00:00:00Z" });
  expect(await refusal(api.accounts.issueServiceAccountSecret())).toEqual({ code: "InvalidState", status: 409 });
  await advance(86_400_000);
  const { accessToken } = await signIn("ada");
  await expect(bearer(accessToken).accounts.issueServiceAccountSecret()).resolves.toBeDefined();
});

test("a secret that is revoked makes room, and ends what was signed in with it; the other goes on", async () => {
  const { api, token, issued, bearer } = await withServiceAccount();
  const other = await api.accounts.issueServiceAccountSecret();
  const [lost, kept] = [await token(), await token(other.secret)];
  const { items } = await api.accounts.listServiceAccountSecrets({ limit: 1 });
  const shown = { id: issued.id, createdAt: expect.any(String), expiresAt: issued.expiresAt };
  expect(items).toEqual([{ ...shown, lastUsedAt: expect.any(String) }]);
  expect(await api.accounts.revokeServiceAccountSecret({ secretId: issued.id })).toBe(true);
  expect(await refusal(bearer(lost.access_token).accounts.me())).toMatchObject({ code: "TokenRevoked" });
  expect(await refusal(token())).toEqual(badClient);
  await expect(bearer(kept.access_token).accounts.me()).resolves.toBeDefined();
  expect(await refusal(api.accounts.revokeServiceAccountSecret({ secretId: issued.id }))).toMatchObject({
    code: "NotFound",
  });
  await expect(api.accounts.issueServiceAccountSecret()).resolves.toBeDefined();
});

test("of many that ask for a secret at once two get one", async () => {
  const { person } = await identityWorld();
  const { api } = await person("ada");
  await api.accounts.serviceAccount();
  const issued = await Promise.all(
    Array.from({ length: 5 }, () => api.accounts.issueServiceAccountSecret().catch(() => null)),
  );
  expect(issued.filter((one) => one !== null)).toHaveLength(2);
});

test("a secret lives for a year unless told otherwise, two at most", async () => {
  const { api, token, advance } = await withServiceAccount();
  for (const [expiresAt, code] of [
    ["2025-12-31T23:59:59Z", "TooSmall"],
    ["2028-01-01T00:00:01Z", "TooBig"],
  ] as const)
    await expect(api.accounts.issueServiceAccountSecret({ expiresAt })).rejects.toMatchObject({
      details: { errors: [{ pointer: "#/expiresAt", code }] },
    });
  await api.accounts.issueServiceAccountSecret({ expiresAt: "2028-01-01T00:00:00Z" });
  await advance(365 * 86_400_000);
  expect(await refusal(token())).toEqual(badClient);
});

test("without a service account there is no secret to issue", async () => {
  const { person } = await identityWorld();
  const { api } = await person("ada");
  expect(await refusal(api.accounts.issueServiceAccountSecret())).toEqual({ code: "InvalidState", status: 409 });
});

test("it is disabled with its owner: at once, and told so only to the right secret", async () => {
  const { token, bearer, operator, account } = await withServiceAccount();
  const { access_token } = await token();
  const { api } = await operator();
  await api.accounts.suspend({ accountId: account.id });
  expect(await refusal(bearer(access_token).accounts.me())).toEqual({ code: "ServiceAccountDisabled", status: 403 });
  expect(await refusal(token())).toEqual({ code: "ServiceAccountDisabled", status: 403, error: "unauthorized_client" });
  expect(await refusal(token("wrong"))).toEqual(badClient);
});

test("a service account's token can be revoked", async () => {
  const { token, bearer, nobody } = await withServiceAccount();
  const { access_token } = await token();
  await nobody.tokens.revoke({ token: access_token });
  expect((await refusal(bearer(access_token).accounts.me())).code).toBe("TokenRevoked");
});

test("an Admin issues, lists and revokes the secrets of an organization's service account", async () => {
  const { person, nobody, bearer } = await identityWorld();
  const { api } = await person("ada");
  const { id, serviceAccountId: principalId } = await api.organizations.create({ name: "Analytical Engines" });
  const serviceAccountId = principalId ?? "";
  const { secret } = await api.organizations.issueServiceAccountSecret({ organizationId: id });
  const given = await nobody.tokens.create({
    grant_type: "client_credentials",
    client_id: serviceAccountId.toUpperCase(),
    client_secret: secret,
  });
  expect((await refusal(bearer(given.access_token).organizations.get({ organizationId: id }))).code).toBe("NotFound");
  await api.organizations.permissions.grant({ organizationId: id }, toAccount(serviceAccountId, "View"));
  expect(await bearer(given.access_token).organizations.get({ organizationId: id })).toMatchObject({ id });
  const [shown] = (await api.organizations.listServiceAccountSecrets({ organizationId: id })).items;
  await api.organizations.revokeServiceAccountSecret({ organizationId: id, secretId: shown?.id ?? "" });
  expect((await refusal(bearer(given.access_token).organizations.get({ organizationId: id }))).code).toBe(
    "TokenRevoked",
  );
});
