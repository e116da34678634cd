import { describe, expect, test } from "vitest";
import { environmentsWorld, refused } from "../builders/environments.ts";

const principalId = "8c5e4b1a-0000-4000-8000-0000000000aa";

describe("a role of a service account", () => {
  test("is assigned to a new uuid, shown, listed, changed and taken away", async () => {
    const { api, dev, ada, events } = await environmentsWorld();
    const place = { ...dev, principalId };
    const made = await api.environments.serviceAccounts.assign(place, { serviceAccountRole: "CiCd", description: "d" });
    expect(made).toEqual({
      principalId,
      environmentId: dev,
      serviceAccountRole: "CiCd",
      description: "d",
      active: true,
      secrets: [],
      createdAt: "2026-01-01T00:00:00.000Z",
      createdBy: ada.account.id,
      updatedAt: "2026-01-01T00:00:00.000Z",
      updatedBy: ada.account.id,
      version: expect.any(String),
    });
    expect(await api.environments.serviceAccounts.get(place)).toEqual(made);
    expect((await api.environments.serviceAccounts.list(dev)).items).toEqual([made]);
    expect(await refused(api.environments.serviceAccounts.assign(place, { serviceAccountRole: "Bot" }))).toBe(
      "AlreadyExists",
    );
    const changed = await api.environments.serviceAccounts.update(place, { active: false }, { ifMatch: made.version });
    expect(changed).toMatchObject({ active: false, description: "d", serviceAccountRole: "CiCd" });
    expect(await api.environments.serviceAccounts.update(place, { description: null })).toMatchObject({
      active: false,
      description: null,
    });
    expect(await api.environments.serviceAccounts.delete(place)).toMatchObject({ principalId, active: false });
    expect(await refused(api.environments.serviceAccounts.get(place))).toBe("NotFound");
    expect(await refused(api.environments.serviceAccounts.update(place, {}))).toBe("NotFound");
    await api.environments.serviceAccounts.assign(place, { serviceAccountRole: "Bot" });
    const told = (await events()).map(({ type }) => type).filter((type) => type.startsWith("service_account."));
    expect(told.map((type) => type.slice(16))).toEqual(["assigned", "updated", "updated", "removed", "assigned"]);
  });

  test("is only for service accounts of the environment's owner", async () => {
    const { api, dev, ada, person } = await environmentsWorld();
    const eve = await person("eve");
    const assign = (id: string) =>
      refused(api.environments.serviceAccounts.assign({ ...dev, principalId: id }, { serviceAccountRole: "Bot" }));
    const { serviceAccountId: hers } = await eve.api.accounts.serviceAccount();
    const organization = await api.organizations.create({ name: "Acme" });
    const team = await api.organizations.teams.upsert({ organizationId: organization.id }, { shortName: "core" });
    const others = [
      hers ?? "",
      ada.account.id,
      eve.account.id,
      organization.id,
      organization.serviceAccountId ?? "",
      team.principalId,
    ];
    for (const id of others) expect(await assign(id)).toEqual(["InvalidPrincipal", "principalId InvalidPrincipal"]);
    const { serviceAccountId } = await api.accounts.serviceAccount();
    const place = { ...dev, principalId: serviceAccountId ?? "" };
    expect(await api.environments.serviceAccounts.assign(place, { serviceAccountRole: "Custom" })).toMatchObject({
      principalId: serviceAccountId,
    });
  });

  test("is made for a new random uuid alone: of version 4 or 7", async () => {
    const { api, dev } = await environmentsWorld();
    const assign = (principalId: string) =>
      api.environments.serviceAccounts.assign({ ...dev, principalId }, { serviceAccountRole: "Bot" });
    const chosen = [
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      ...["1", "2", "3", "5", "6", "8"].map((version) => `8c5e4b1a-0000-${version}000-8000-0000000000aa`),
      "8c5e4b1a-0000-4000-0000-0000000000aa",
    ];
    for (const id of chosen)
      expect([id, await refused(assign(id))]).toEqual([id, ["InvalidPrincipal", "principalId InvalidPrincipal"]]);
    for (const id of ["8c5e4b1a-0000-4000-8000-0000000000ab", "018C5E4B-1A00-7000-B000-0000000000AC"])
      expect(await assign(id)).toMatchObject({ principalId: id.toLowerCase() });
  });

  test("of an organization's environment is for the organization's service account", async () => {
    const { api } = await environmentsWorld();
    const organization = await api.organizations.create({ name: "Acme" });
    const prod = { type: "Organizational", ownerId: organization.id, shortName: "prod" } as const;
    await api.environments.create(prod, {});
    const place = { ...prod, principalId: organization.serviceAccountId ?? "" };
    expect(await api.environments.serviceAccounts.assign(place, { serviceAccountRole: "CloudAgent" })).toMatchObject({
      environmentId: prod,
    });
    const { serviceAccountId } = await api.accounts.serviceAccount();
    const own = { ...prod, principalId: serviceAccountId ?? "" };
    const [code] = await refused(api.environments.serviceAccounts.assign(own, { serviceAccountRole: "Bot" }));
    expect(code).toBe("InvalidPrincipal");
  });
});

describe("a secret of a service account", () => {
  async function withRole() {
    const world = await environmentsWorld();
    const place = { ...world.dev, principalId };
    const made = await world.api.environments.serviceAccounts.assign(place, { serviceAccountRole: "Bot" });
    const issue = (body?: { expiresAt?: string | null }) =>
      world.api.environments.serviceAccounts.issueSecret(place, body);
    return { ...world, place, made, issue };
  }

  test("is shown once, for a year unless something else is asked for", async () => {
    const { api, place, made, issue, everything } = await withRole();
    const issued = await issue();
    expect(issued).toEqual({
      id: expect.any(String),
      secret: expect.any(String),
      expiresAt: "2027-01-01T00:00:00.000Z",
    });
    const { secrets, version } = await api.environments.serviceAccounts.get(place);
    expect(secrets).toEqual([
      { id: issued.id, createdAt: "2026-01-01T00:00:00.000Z", expiresAt: issued.expiresAt, lastUsedAt: null },
    ]);
    expect(version).not.toBe(made.version);
    expect(await everything()).not.toContain(issued.secret);
    expect((await issue({ expiresAt: "2026-02-01T00:00:00Z" })).expiresAt).toBe("2026-02-01T00:00:00.000Z");
  });

  test("is one of two alive, and a third comes when one has ended", async () => {
    const { api, place, issue, events } = await withRole();
    const first = await issue();
    await issue({ expiresAt: null });
    expect(await refused(issue())).toBe("InvalidState");
    const left = await api.environments.serviceAccounts.revokeSecret({ ...place, secretId: first.id });
    expect(left.secrets).toHaveLength(1);
    const told = (await events()).filter(({ type, data }) => type.startsWith("service_account.") && "secretId" in data);
    expect(told.map(({ type, data }) => [type.slice(16), data])).toContainEqual([
      "secret_revoked",
      { principalId, secretId: first.id },
    ]);
    expect(await events("service_account.updated")).toEqual([]);
    await issue();
    const again = api.environments.serviceAccounts.revokeSecret({ ...place, secretId: first.id });
    expect(await refused(again)).toBe("NotFound");
  });

  test("ends with the role, and does not come back with another one", async () => {
    const { api, place, issue, nobody } = await withRole();
    const { secret } = await issue();
    const form = { grant_type: "client_credentials", client_id: principalId, client_secret: secret } as const;
    await nobody.tokens.create(form);
    await api.environments.serviceAccounts.delete(place);
    await api.environments.serviceAccounts.assign(place, { serviceAccountRole: "Bot" });
    expect(await refused(nobody.tokens.create(form))).toBe("InvalidCredentials");
    expect((await api.environments.serviceAccounts.get(place)).secrets).toEqual([]);
  });
});
