import { describe, expect, test } from "vitest";
import { environmentsWorld, refused } from "../builders/environments.ts";

const key = "fake-key:one";
const locked = "fake-key:two:opensesame";

describe("a CI/CD profile", () => {
  test("shows what its key says of itself, and neither key nor passphrase", async () => {
    const { api, dev, ada } = await environmentsWorld();
    const input = {
      shortName: "Deploy",
      displayName: "Deploys",
      sshPrivateKeyData: locked,
      sshPrivateKeyPassphrase: "opensesame",
    };
    const profile = await api.environments.ciCdProfiles.create(dev, input);
    expect(profile).toEqual({
      id: expect.any(String),
      environmentId: dev,
      shortName: "Deploy",
      displayName: "Deploys",
      description: null,
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 dHdv",
      fingerprint: "SHA256:dHdv",
      hasPassphrase: true,
      isDefault: false,
      createdAt: "2026-01-01T00:00:00.000Z",
      createdBy: ada.account.id,
      updatedAt: "2026-01-01T00:00:00.000Z",
      updatedBy: ada.account.id,
      version: expect.any(String),
    });
    const place = { ...dev, profileShortName: "dEPLOY" };
    expect(await api.environments.ciCdProfiles.get(place)).toEqual(profile);
    expect((await api.environments.ciCdProfiles.list(dev)).items).toEqual([profile]);
  });

  test("needs a name, and a key for its passphrase", async () => {
    const { api, dev } = await environmentsWorld();
    const create = (body: object) => refused(api.environments.ciCdProfiles.create(dev, body));
    const places = ["#/shortName ValueRequired", "#/sshPrivateKeyData ValueRequired"];
    expect(await create({})).toEqual(["ValueRequired", places[0]]);
    expect(await create({ sshPrivateKeyPassphrase: "x" })).toEqual(["ValueRequired", ...places]);
    expect(await create({ shortName: "a", sshPrivateKeyPassphrase: "x" })).toEqual(["ValueRequired", places[1]]);
    expect(await create({ shortName: "not ok", sshPrivateKeyData: key })).toEqual([
      "ValidationFailed",
      "#/shortName Format",
    ]);
    const long = "é".repeat(8193);
    expect(await create({ shortName: "a", sshPrivateKeyData: long })).toEqual([
      "ValidationFailed",
      "#/sshPrivateKeyData TooLong",
    ]);
  });

  test.each([
    ["noise", undefined, "InvalidSshPrivateKey", "sshPrivateKeyData"],
    ["fake-key:weak", undefined, "WeakSshKey", "sshPrivateKeyData"],
    [locked, undefined, "SshPassphraseRequired", "sshPrivateKeyPassphrase"],
    [locked, null, "SshPassphraseRequired", "sshPrivateKeyPassphrase"],
    [locked, "wrong", "SshPassphraseIncorrect", "sshPrivateKeyPassphrase"],
  ])(
    "is refused for the key %j with the passphrase %j: %s",
    async (sshPrivateKeyData, sshPrivateKeyPassphrase, code, at) => {
      const { api, dev } = await environmentsWorld();
      const passphrase = sshPrivateKeyPassphrase === undefined ? {} : { sshPrivateKeyPassphrase };
      const call = api.environments.ciCdProfiles.create(dev, { shortName: "a", sshPrivateKeyData, ...passphrase });
      expect(await refused(call)).toEqual([code, `#/${at} ${code}`]);
    },
  );

  test("is changed with what is sent; a passphrase belongs to the key of the same request", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, profileShortName: "deploy" };
    const made = await api.environments.ciCdProfiles.create(dev, {
      shortName: "deploy",
      displayName: "d",
      sshPrivateKeyData: key,
    });
    const update = (body: object, options = {}) => api.environments.ciCdProfiles.update(place, body, options);
    expect(await update({ description: "x" })).toMatchObject({
      displayName: "d",
      description: "x",
      publicKey: made.publicKey,
    });
    expect(await update({ displayName: null })).toMatchObject({ displayName: null, description: "x" });
    expect(await update({ sshPrivateKeyData: null })).toMatchObject({ publicKey: made.publicKey });
    const [code] = await refused(update({ sshPrivateKeyPassphrase: "x" }));
    expect(code).toBe("ValueRequired");
    expect(await update({ sshPrivateKeyPassphrase: null })).toMatchObject({ hasPassphrase: false });
    expect(await update({ sshPrivateKeyData: locked, sshPrivateKeyPassphrase: "opensesame" })).toMatchObject({
      hasPassphrase: true,
      fingerprint: "SHA256:dHdv",
    });
    expect(await update({ sshPrivateKeyData: key, sshPrivateKeyPassphrase: "needless" })).toMatchObject({
      hasPassphrase: false,
      fingerprint: made.fingerprint,
    });
    expect(await refused(update({ shortName: "other" }))).toEqual(["ValidationFailed", "#/shortName Unknown"]);
    expect(await refused(api.environments.ciCdProfiles.update({ ...dev, profileShortName: "none" }, {}))).toBe(
      "NotFound",
    );
  });

  test("has its name to itself, without case, and leaves it free when it goes", async () => {
    const { api, dev } = await environmentsWorld();
    const create = (shortName: string) =>
      api.environments.ciCdProfiles.create(dev, { shortName, sshPrivateKeyData: key });
    const first = await create("deploy");
    expect(await refused(create("DEPLOY"))).toBe("AlreadyExists");
    expect(await api.environments.ciCdProfiles.delete({ ...dev, profileShortName: "deploy" })).toEqual(first);
    expect(await refused(api.environments.ciCdProfiles.get({ ...dev, profileShortName: "deploy" }))).toBe("NotFound");
    expect((await create("Deploy")).id).not.toBe(first.id);
    for (const reserved of ["bulk", "Bulk"])
      expect(await refused(create(reserved))).toEqual(["ValidationFailed", "#/shortName Format"]);
  });

  test("can't go while it is the environment's default", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, profileShortName: "deploy" };
    const setDefault = (defaultCiCdProfileShortName: string | null) =>
      api.environments.update(dev, { defaultCiCdProfileShortName });
    expect(await refused(setDefault("deploy"))).toEqual(["ValidationFailed", "#/defaultCiCdProfileShortName Enum"]);
    await api.environments.ciCdProfiles.create(dev, { shortName: "Deploy", sshPrivateKeyData: key });
    expect((await setDefault("dePLOY")).defaultCiCdProfileShortName).toBe("Deploy");
    expect(await api.environments.ciCdProfiles.get(place)).toMatchObject({ isDefault: true });
    expect(await refused(api.environments.ciCdProfiles.delete(place))).toBe("DefaultProfileInUse");
    expect(await refused(api.environments.ciCdProfiles.delete(place, { ifMatch: "0" }))).toBe("PreconditionFailed");
    await setDefault(null);
    expect(await api.environments.ciCdProfiles.delete(place)).toMatchObject({ isDefault: false });
  });
});

describe("several CI/CD profiles at once", () => {
  test("are made and changed in the order of the items; others stay", async () => {
    const { api, dev, events } = await environmentsWorld();
    const upsert = (items: object[]) => api.environments.ciCdProfiles.upsertMany(dev, items);
    expect(await upsert([])).toEqual([]);
    await upsert([
      { shortName: "old", displayName: "o", sshPrivateKeyData: key },
      { shortName: "else", sshPrivateKeyData: key },
    ]);
    const answer = await upsert([
      { shortName: "new", sshPrivateKeyData: locked, sshPrivateKeyPassphrase: "opensesame" },
      { shortName: "OLD", description: "d" },
    ]);
    expect(answer).toMatchObject([
      { shortName: "new", hasPassphrase: true },
      { shortName: "old", displayName: "o", description: "d", hasPassphrase: false },
    ]);
    const names = (await api.environments.ciCdProfiles.list(dev)).items.map(({ shortName }) => shortName);
    expect(names).toEqual(["else", "new", "old"]);
    const told = (await events()).filter(({ type }) => type.startsWith("cicd_profile."));
    expect(told.map(({ type, data }) => [type.slice(13), data.shortName])).toEqual([
      ["created", "old"],
      ["created", "else"],
      ["created", "new"],
      ["updated", "old"],
    ]);
  });

  test("are none when one is wrong, and everything wrong is told with its index", async () => {
    const { api, dev } = await environmentsWorld();
    const before = await api.environments.ciCdProfiles.create(dev, { shortName: "known", sshPrivateKeyData: key });
    const items = [
      { shortName: "fine", sshPrivateKeyData: key },
      { shortName: "known", sshPrivateKeyPassphrase: "x" },
      { shortName: null, sshPrivateKeyData: "noise" },
      { shortName: "FINE", sshPrivateKeyData: locked, sshPrivateKeyPassphrase: "wrong" },
      { sshPrivateKeyPassphrase: "x" },
    ];
    expect(await refused(api.environments.ciCdProfiles.upsertMany(dev, items))).toEqual([
      "ValidationFailed",
      "#/1/sshPrivateKeyData ValueRequired",
      "#/2/shortName ValueRequired",
      "#/2/sshPrivateKeyData InvalidSshPrivateKey",
      "#/3/shortName DuplicateInBulk",
      "#/3/sshPrivateKeyPassphrase SshPassphraseIncorrect",
      "#/4/shortName ValueRequired",
      "#/4/sshPrivateKeyData ValueRequired",
    ]);
    expect((await api.environments.ciCdProfiles.list(dev)).items).toEqual([before]);
  });
});

test("neither key nor passphrase appears in the store, the log, an event or a refusal", async () => {
  const { api, dev, everything } = await environmentsWorld();
  const canary = "canary7f3a";
  const body = { shortName: "a", sshPrivateKeyData: `fake-key:x:${canary}`, sshPrivateKeyPassphrase: canary };
  await api.environments.ciCdProfiles.create(dev, body);
  const refusals = [
    api.environments.ciCdProfiles.create(dev, body),
    api.environments.ciCdProfiles.create(dev, { ...body, shortName: "b", sshPrivateKeyPassphrase: `${canary}!` }),
    api.environments.ciCdProfiles.upsertMany(dev, [{ ...body, sshPrivateKeyData: canary }]),
    api.environments.ciCdProfiles.create(dev, { ...body, shortName: canary.repeat(20) }),
  ];
  for (const outcome of await Promise.allSettled(refusals)) {
    if (outcome.status === "fulfilled") throw new TypeError("It was not refused.");
    expect(`${JSON.stringify(outcome.reason)}${outcome.reason.stack}`).not.toContain(canary);
  }
  expect(await everything()).not.toContain(canary);
});
