import { describe, expect, test } from "vitest";
import { environmentsWorld, refused } from "../builders/environments.ts";

describe("an environment", () => {
  test("is made from a definition, read back and listed", async () => {
    const { api, named, ada, made } = await environmentsWorld();
    const id = named("staging");
    const staging = await api.environments.create(id, {
      name: "Staging",
      parameters: { deep: { list: [1, null, "x"] } },
    });
    expect(staging).toEqual({
      id,
      managementEnvironmentId: null,
      name: "Staging",
      resourceGroups: [],
      parameters: { deep: { list: [1, null, "x"] } },
      resourceScopes: [],
      defaultCiCdProfileShortName: null,
      status: "Registered",
      initializations: {},
      createdAt: "2026-01-01T00:00:00.000Z",
      createdBy: ada.account.id,
      updatedAt: "2026-01-01T00:00:00.000Z",
      updatedBy: ada.account.id,
      version: expect.any(String),
    });
    expect(await api.environments.get(id)).toEqual(staging);
    expect((await api.environments.list()).items).toEqual([made, staging]);
    expect((await api.environments.list({ type: "Organizational" })).items).toEqual([]);
  });

  test("of type Unknown can't be made, and is never there", async () => {
    const { api, dev } = await environmentsWorld();
    const unknown = { ...dev, type: "Unknown" } as const;
    expect(await refused(api.environments.create(unknown, {}))).toEqual(["ValidationFailed", "type Enum"]);
    expect(await refused(api.environments.get(unknown))).toBe("NotFound");
    expect(await refused(api.environments.update(unknown, {}))).toBe("NotFound");
  });

  test("is made once", async () => {
    const { api, dev, made } = await environmentsWorld();
    expect(await refused(api.environments.create(dev, {}))).toBe("AlreadyExists");
    expect(await refused(api.environments.create(dev, {}, { ifNoneMatch: "*" }))).toBe("PreconditionFailed");
    expect(await refused(api.environments.create(dev, {}, { ifMatch: "1" }))).toBe("PreconditionFailed");
    expect(await api.environments.get(dev)).toEqual(made);
  });

  test("keeps what a change leaves out, and clears what it says null to", async () => {
    const { api, dev, named } = await environmentsWorld();
    await api.environments.create(named("hub"), {});
    await api.environments.update(dev, {
      name: "Dev",
      parameters: { a: 1, b: 2 },
      managementEnvironmentId: named("hub"),
    });
    expect(await api.environments.update(dev, {})).toMatchObject({
      name: "Dev",
      managementEnvironmentId: named("hub"),
    });
    expect(await api.environments.update(dev, { parameters: { b: 3 } })).toMatchObject({ parameters: { b: 3 } });
    const cleared = { name: null, parameters: null, managementEnvironmentId: null, resourceGroups: null };
    expect(await api.environments.update(dev, cleared)).toMatchObject({
      name: null,
      parameters: {},
      managementEnvironmentId: null,
      resourceGroups: [],
    });
  });

  test("is guarded by its version, which moves with its own members and not with what is in it", async () => {
    const { api, dev, made } = await environmentsWorld();
    await api.environments.secrets.create(dev, { shortName: "db", value: "x" });
    await api.environments.ciCdProfiles.create(dev, { shortName: "deploy", sshPrivateKeyData: "fake-key:one" });
    expect(await api.environments.get(dev)).toEqual(made);
    const changed = await api.environments.update(dev, { name: "two" }, { ifMatch: made.version });
    expect(changed.version).not.toBe(made.version);
    expect(await refused(api.environments.delete(dev, { ifMatch: made.version }))).toBe("PreconditionFailed");
  });
});

describe("a deleted environment", () => {
  test("is gone with everything in it, and restored with nothing but what is said then", async () => {
    const { api, dev, made, events } = await environmentsWorld();
    const principalId = "8c5e4b1a-0000-4000-8000-0000000000aa";
    await api.environments.update(dev, { name: "Dev", parameters: { a: 1 } });
    await api.environments.secrets.create(dev, { shortName: "db", value: "x" });
    await api.environments.ciCdProfiles.create(dev, { shortName: "deploy", sshPrivateKeyData: "fake-key:one" });
    await api.environments.update(dev, { defaultCiCdProfileShortName: "deploy" });
    await api.environments.serviceAccounts.assign({ ...dev, principalId }, { serviceAccountRole: "Bot" });
    await api.environments.serviceAccounts.issueSecret({ ...dev, principalId });

    expect(await api.environments.delete(dev)).toMatchObject({ id: dev, status: "Deleted", name: "Dev" });
    expect(await refused(api.environments.get(dev))).toBe("NotFound");
    expect(await refused(api.environments.update(dev, {}))).toBe("NotFound");
    expect(await refused(api.environments.delete(dev))).toBe("NotFound");
    expect(await refused(api.environments.secrets.list(dev))).toBe("NotFound");
    expect((await api.environments.list()).items).toEqual([]);

    const restored = await api.environments.create(dev, { name: "Again" }, { ifNoneMatch: "*" });
    expect(restored).toMatchObject({
      name: "Again",
      parameters: {},
      defaultCiCdProfileShortName: null,
      status: "Registered",
    });
    expect(restored.version).not.toBe(made.version);
    expect((await api.environments.secrets.list(dev)).items).toEqual([]);
    expect((await api.environments.ciCdProfiles.list(dev)).items).toEqual([]);
    expect((await api.environments.serviceAccounts.list(dev)).items).toEqual([]);
    const types = (await events()).map(({ type }) => type).filter((type) => type.startsWith("environment."));
    expect(types).toEqual([
      "environment.created",
      "environment.updated",
      "environment.updated",
      "environment.deleted",
      "environment.restored",
    ]);
  });

  test("leaves nothing of its contents in the store, however much there was", async () => {
    const { api, dev, everything } = await environmentsWorld();
    const items = Array.from({ length: 100 }, (_, at) => ({ shortName: `s${at}`, value: "x" }));
    for (let round = 0; round < 11; round++) {
      const named = items.map((item) => ({ ...item, shortName: `${item.shortName}-${round}` }));
      await api.environments.secrets.upsertMany(dev, named);
    }
    expect(await everything()).toContain('"record","secret"');
    await api.environments.delete(dev);
    expect(await everything()).not.toContain('"record","secret"');
  });

  test("is forgotten after its time", async () => {
    const { api, dev, advance, housekeep, everything } = await environmentsWorld({ purgeSeconds: 60 });
    await api.environments.delete(dev);
    await housekeep();
    expect(await everything()).toContain('"record","environment"');
    await advance(61_000);
    await housekeep();
    expect(await everything()).not.toContain('"record","environment"');
  });
});

describe("a management environment", () => {
  test("must be another one of the same owner that the caller sees", async () => {
    const { api, dev, named, person } = await environmentsWorld();
    const eve = await person("eve");
    const hers = { type: "Personal", ownerId: eve.account.id, shortName: "hub" } as const;
    await eve.api.environments.create(hers, {});
    const at = "#/managementEnvironmentId";
    const missing = ["ManagementEnvironmentNotFound", `${at} ManagementEnvironmentNotFound`];
    for (const managementEnvironmentId of [named("none"), hers, { ...dev, type: "Unknown" as const }])
      expect(await refused(api.environments.update(dev, { managementEnvironmentId }))).toEqual(missing);
    const itself = ["SelfReferentialManagementEnvironment", `${at} SelfReferentialManagementEnvironment`];
    expect(await refused(api.environments.update(dev, { managementEnvironmentId: dev }))).toEqual(itself);
    const fresh = named("fresh");
    expect(await refused(api.environments.create(fresh, { managementEnvironmentId: fresh }))).toEqual(itself);
  });

  test("never comes round in a circle, however long", async () => {
    const { api, dev, named } = await environmentsWorld();
    for (let at = 1; at <= 120; at++) {
      const managementEnvironmentId = at === 1 ? dev : named(`e${at - 1}`);
      await api.environments.create(named(`e${at}`), { managementEnvironmentId });
    }
    const [code] = await refused(api.environments.update(dev, { managementEnvironmentId: named("e120") }));
    expect(code).toBe("SelfReferentialManagementEnvironment");
  });

  test("can't be deleted while another names it", async () => {
    const { api, dev, named } = await environmentsWorld();
    await api.environments.create(named("a"), { managementEnvironmentId: dev });
    await api.environments.update(named("a"), { managementEnvironmentId: dev });
    expect(await refused(api.environments.delete(dev))).toBe("EnvironmentNotEmpty");
    await api.environments.update(named("a"), { managementEnvironmentId: null });
    await api.environments.delete(dev);
    await api.environments.create(dev, {});
    await api.environments.update(named("a"), { managementEnvironmentId: dev });
    await api.environments.delete(named("a"));
    await api.environments.delete(dev);
  });
});

describe("resource groups", () => {
  test("are the owner's, there and seen, each told at its place", async () => {
    const { api, dev, ada, person } = await environmentsWorld();
    const eve = await person("eve");
    await eve.api.accounts.resourceGroups.upsert({ shortName: "hers" }, {});
    await api.accounts.resourceGroups.upsert({ shortName: "mine" }, {});
    const mine = `Personal/${ada.account.id}/mine`;
    const wrong = [mine, `Personal/${ada.account.id}/none`, `Personal/${eve.account.id}/hers`];
    const places = ["#/resourceGroups/1 Enum", "#/resourceGroups/2 Enum"];
    expect(await refused(api.environments.update(dev, { resourceGroups: wrong }))).toEqual([
      "ValidationFailed",
      ...places,
    ]);
    const changed = await api.environments.update(dev, { resourceGroups: [mine] });
    expect(changed.resourceGroups).toEqual([mine]);
    expect((await api.environments.list({ resourceGroup: mine })).items).toEqual([changed]);
    expect(
      await refused(api.environments.update(dev, { resourceGroups: [mine, mine.replace("mine", "MINE")] })),
    ).toEqual(["ValidationFailed", "#/resourceGroups/1 Duplicate"]);
  });

  test("that were deleted stay in the list, and may be sent along again", async () => {
    const { api, dev, ada } = await environmentsWorld();
    await api.accounts.resourceGroups.upsert({ shortName: "mine" }, {});
    const mine = `Personal/${ada.account.id}/mine`;
    await api.environments.update(dev, { resourceGroups: [mine] });
    await api.accounts.resourceGroups.delete({ shortName: "mine" });
    expect((await api.environments.get(dev)).resourceGroups).toEqual([mine]);
    expect(await api.environments.update(dev, { resourceGroups: [mine], name: "x" })).toMatchObject({
      resourceGroups: [mine],
    });
    expect(await api.environments.update(dev, { resourceGroups: [] })).toMatchObject({ resourceGroups: [] });
    const [code] = await refused(api.environments.update(dev, { resourceGroups: [mine] }));
    expect(code).toBe("ValidationFailed");
  });
});
