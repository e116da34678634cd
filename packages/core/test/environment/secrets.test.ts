import { describe, expect, test } from "vitest";
import { environmentsWorld, refused } from "../builders/environments.ts";

describe("a secret", () => {
  test("shows its versions, and never a value", async () => {
    const { api, dev, ada } = await environmentsWorld();
    const made = await api.environments.secrets.create(dev, { shortName: "db", displayName: "DB", value: "one" });
    const stamp = { createdAt: "2026-01-01T00:00:00.000Z", createdBy: ada.account.id };
    expect(made).toEqual({
      id: expect.any(String),
      environmentId: dev,
      shortName: "db",
      displayName: "DB",
      description: null,
      currentVersion: 1,
      versions: [{ version: 1, ...stamp }],
      ...stamp,
      updatedAt: stamp.createdAt,
      updatedBy: ada.account.id,
      version: expect.any(String),
    });
    expect(await api.environments.secrets.get({ ...dev, secretShortName: "DB" })).toEqual(made);
    expect((await api.environments.secrets.list(dev)).items).toEqual([made]);
  });

  test("needs a name, and a value that fits", async () => {
    const { api, dev } = await environmentsWorld();
    const create = (body: object) => refused(api.environments.secrets.create(dev, body));
    const nameless = ["ValueRequired", "#/shortName ValueRequired"];
    expect(await create({})).toEqual(nameless);
    expect(await create({ shortName: null, value: null })).toEqual(nameless);
    expect(await create({ shortName: "", value: "x" })).toEqual(["ValidationFailed", "#/shortName TooShort"]);
    expect(await create({ shortName: "a", value: "é".repeat(32_769) })).toEqual([
      "ValidationFailed",
      "#/value TooLong",
    ]);
    expect(await create({ shortName: "a", value: "a\0b" })).toEqual(["ValidationFailed", "#/value Format"]);
    expect(await create({ shortName: "a", value: "x", extra: 1 })).toEqual(["ValidationFailed", "#/extra Unknown"]);
  });

  test("gets a version with each value, and keeps the last ten", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, secretShortName: "db" };
    await api.environments.secrets.create(dev, { shortName: "db", value: "value 1" });
    for (let at = 2; at <= 12; at++) await api.environments.secrets.update(place, { value: `value ${at}` });
    const known = await api.environments.secrets.get(place);
    expect(known.currentVersion).toBe(12);
    expect(known.versions.map(({ version }) => version)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(await api.environments.secrets.reveal(place)).toEqual({ value: "value 12", version: 12 });
    expect(await api.environments.secrets.reveal(place, { version: 3 })).toEqual({ value: "value 3", version: 3 });
    expect(await refused(api.environments.secrets.reveal(place, { version: 2 }))).toBe("NotFound");
  });

  test("is given back to the last code point, a mark at its beginning included", async () => {
    const { api, dev } = await environmentsWorld();
    for (const [at, value] of ["\uFEFF", "\uFEFFdb", "\uFEFF\uFEFF", "db\uFEFF", "\uFFFE\uFFFD"].entries()) {
      await api.environments.secrets.create(dev, { shortName: `db${at}`, value });
      const place = { ...dev, secretShortName: `db${at}` };
      expect(await api.environments.secrets.reveal(place)).toEqual({ value, version: 1 });
    }
  });

  test("keeps its value when a change leaves it out or sends null", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, secretShortName: "db" };
    const made = await api.environments.secrets.create(dev, { shortName: "db", description: "d", value: "one" });
    const changed = await api.environments.secrets.update(place, { displayName: "DB" }, { ifMatch: made.version });
    expect(changed).toMatchObject({ displayName: "DB", description: "d", currentVersion: 1 });
    expect(changed.version).not.toBe(made.version);
    expect(await api.environments.secrets.update(place, { value: null })).toEqual(changed);
    expect(await refused(api.environments.secrets.update(place, {}, { ifMatch: made.version }))).toBe(
      "PreconditionFailed",
    );
    expect((await api.environments.secrets.reveal(place)).value).toBe("one");
  });

  test.each([
    ["empty", ""],
    ["controls and lines", "a\tb\r\n\u0001\u007f"],
    ["every plane", "𝕊é\u{10ffff}"],
    ["64 KiB", "x".repeat(65_536)],
  ])("comes back as it went in: %s", async (_what, value) => {
    const { api, dev } = await environmentsWorld();
    await api.environments.secrets.create(dev, { shortName: "a", value });
    expect((await api.environments.secrets.reveal({ ...dev, secretShortName: "a" })).value).toBe(value);
  });

  test("leaves its name free when it goes, and none of its values", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, secretShortName: "db" };
    const made = await api.environments.secrets.create(dev, { shortName: "db", value: "one" });
    expect(await refused(api.environments.secrets.create(dev, { shortName: "DB", value: "x" }))).toBe("AlreadyExists");
    expect(await api.environments.secrets.delete(place)).toEqual(made);
    expect(await refused(api.environments.secrets.get(place))).toBe("NotFound");
    const again = await api.environments.secrets.create(dev, { shortName: "Db", value: "two" });
    expect(again).toMatchObject({ shortName: "Db", currentVersion: 1 });
    expect(again.id).not.toBe(made.id);
    expect((await api.environments.secrets.reveal(place)).value).toBe("two");
  });
});

describe("several secrets at once", () => {
  test("are made and changed in the order of the items; what is left out stays", async () => {
    const { api, dev, events } = await environmentsWorld();
    expect(await api.environments.secrets.upsertMany(dev, [])).toEqual([]);
    await api.environments.secrets.create(dev, { shortName: "old", displayName: "o", value: "1" });
    const items = [
      { shortName: "new", value: "n" },
      { shortName: "OLD", description: "d" },
      { shortName: "b", value: "" },
    ];
    expect(await api.environments.secrets.upsertMany(dev, items)).toMatchObject([
      { shortName: "new", currentVersion: 1 },
      { shortName: "old", displayName: "o", description: "d", currentVersion: 1 },
      { shortName: "b", currentVersion: 1 },
    ]);
    const told = (await events()).filter(({ type }) => type.startsWith("secret."));
    expect(told.map(({ type, data }) => [type, data.shortName, data.changed])).toEqual([
      ["secret.created", "old", []],
      ["secret.created", "new", []],
      ["secret.updated", "old", ["description"]],
      ["secret.created", "b", []],
    ]);
  });
});

describe("revealing", () => {
  test("over HTTP is off unless the host turns it on, which is told after the right", async () => {
    for (const revealOverHttp of [false, true]) {
      const { liveplane, ada, dev, api, person, events } = await environmentsWorld({ revealOverHttp });
      const eve = await person("eve");
      await api.environments.secrets.create(dev, { shortName: "db", value: "one" });
      const reveal = (token: string) =>
        liveplane.dispatch({
          operation: "environments.secrets.reveal",
          caller: { kind: "bearer", token },
          params: { ...dev, secretShortName: "db" },
          query: {},
          credentials: {},
          body: async () => undefined,
          preconditions: {},
          requestId: "request-1",
          from: { address: null, userAgent: null, remote: true },
        });
      expect(await refused(reveal(eve.tokens.accessToken))).toBe("NotFound");
      if (!revealOverHttp) {
        expect(await refused(reveal(ada.tokens.accessToken))).toBe("FeatureDisabled");
        expect(await events("secret.revealed")).toEqual([]);
        continue;
      }
      expect((await reveal(ada.tokens.accessToken)).value).toEqual({ value: "one", version: 1 });
      expect(await events("secret.revealed")).toMatchObject([{ data: { shortName: "db", version: 1 } }]);
    }
  });

  test("a version that is null reveals the current one", async () => {
    const { api, dev } = await environmentsWorld();
    const place = { ...dev, secretShortName: "db" };
    await api.environments.secrets.create(dev, { shortName: "db", value: "one" });
    await api.environments.secrets.upsertMany(dev, [{ shortName: "db", value: "two" }]);
    expect(await api.environments.secrets.reveal(place, { version: null })).toEqual({ value: "two", version: 2 });
    expect(await api.environments.secrets.reveal(place, { version: 1 })).toEqual({ value: "one", version: 1 });
  });
});

test("two values at once become two versions", async () => {
  const { api, dev, advance } = await environmentsWorld();
  const place = { ...dev, secretShortName: "db" };
  await api.environments.secrets.create(dev, { shortName: "db", value: "0" });
  let done = false;
  const writes = Promise.all(
    Array.from({ length: 6 }, (_, at) => api.environments.secrets.update(place, { value: `${at}` })),
  ).finally(() => {
    done = true;
  });
  while (!done) await advance(100);
  expect((await writes).map(({ currentVersion }) => currentVersion).sort()).toEqual([2, 3, 4, 5, 6, 7]);
});

test("a value appears in no record, log line, event or refusal", async () => {
  const { api, dev, everything, sealer } = await environmentsWorld();
  const canary = "canary-value-91c2";
  const place = { ...dev, secretShortName: "db" };
  await api.environments.secrets.create(dev, { shortName: "db", value: canary });
  await api.environments.secrets.update(place, { value: `${canary} again` });
  await api.environments.secrets.reveal(place);
  await refused(api.environments.secrets.create(dev, { shortName: "db", value: canary }));
  await refused(
    api.environments.secrets.upsertMany(dev, [
      { shortName: "b", value: canary },
      { shortName: "b", value: canary },
    ]),
  );
  sealer.rotate();
  sealer.forgetOldKeys();
  const error = await api.environments.secrets.reveal(place).then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: "InternalError" });
  expect(`${JSON.stringify(error)}${error?.stack}`).not.toContain(canary);
  expect(await everything()).not.toContain(canary);
});
