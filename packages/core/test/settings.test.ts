import { createLiveplane, didYouMean } from "@liveplane/core";
import { expect, test } from "vitest";
import { takeSettings } from "../src/host-options.ts";
import { defaultSettings, type LiveplaneOptions } from "../src/settings.ts";

const ports = ["store", "hasher", "tokens", "mailer", "sealer", "sshKeys", "clouds", "scheduler"];
const brought = Object.fromEntries(ports.map((name) => [name, {}])) as unknown as LiveplaneOptions;
const taking = (settings: object) => takeSettings({ ...brought, settings });

test("what the host says goes before the defaults, and what it leaves undefined doesn't", () => {
  expect(takeSettings(brought)).toEqual(defaultSettings);
  expect(taking({ checkSeconds: 5, issuer: undefined })).toEqual({ ...defaultSettings, checkSeconds: 5 });
});

test("every default is taken back as it stands", () => {
  expect(taking(defaultSettings)).toEqual(defaultSettings);
});

const saying = (make: () => unknown) => {
  try {
    make();
    return "taken";
  } catch (error) {
    expect(error).toMatchObject({ code: "ConfigurationInvalid" });
    return (error as Error).message;
  }
};

test("each port that is missing is named with an example", () => {
  for (const options of [{}, undefined, null]) {
    const said = saying(() => createLiveplane(options as never));
    for (const name of ports) expect(said).toContain(`${name} is missing, such as ${name}: `);
    expect(said).toMatch(/On Node, createLiveplane\(await nodeDefaults\(\{ dataDir \}\)\) provides all of them\.$/);
  }
  expect(saying(() => takeSettings({ ...brought, store: null as never }))).toBe(
    'store is missing, such as store: await sqliteStore({ file: "liveplane.db" }).',
  );
});

test.each([
  [Promise.resolve(brought), "options is a promise: await it, as in createLiveplane(await nodeDefaults({ dataDir }))."],
  [
    { ...brought, store: Promise.resolve({}) },
    'store is a promise: await it, as in store: await sqliteStore({ file: "liveplane.db" }).',
  ],
  [
    { ...brought, store: "liveplane.db" },
    'store must be something like store: await sqliteStore({ file: "liveplane.db" }).',
  ],
  [{ ...brought, clouds: [] }, "clouds must be something like clouds: { adapters: [] }."],
  [{ ...brought, setting: {} }, "setting isn't an option; did you mean settings?"],
  [{ ...brought, settings: [] }, "settings must be something like settings: { openRegistration: true }."],
  [{ ...brought, simulatedClouds: [] }, "taken"],
])("mistaken options are refused by their names: %#", (options, said) => {
  expect(saying(() => takeSettings(options as never))).toBe(said);
});

test.each([
  [{ checkSecond: 5 }, "settings.checkSecond isn't a setting; did you mean checkSeconds?"],
  [{ openregistration: true }, "settings.openregistration isn't a setting; did you mean openRegistration?"],
  [{ toString: 5 }, "settings.toString isn't a setting."],
  [{ checkSeconds: "5" }, "settings.checkSeconds must be a number from 0 on, such as 180."],
  [{ checkSeconds: -1 }, "settings.checkSeconds must be a number from 0 on, such as 180."],
  [{ checkSeconds: Number.NaN }, "settings.checkSeconds must be a number from 0 on, such as 180."],
  [{ openRegistration: "no" }, "settings.openRegistration must be true or false."],
  [{ operators: "ada" }, 'settings.operators must be a list, such as ["3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041"].'],
  [{ operators: [1] }, 'settings.operators must be a list, such as ["3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041"].'],
  [{ overdueHours: ["24"] }, "settings.overdueHours must be a list, such as [24]."],
  [{ restoredTag: "never" }, "settings.restoredTag must be one of resume-when-clean, resume, wait."],
  [
    { plans: { discover: { seats: 1 } } },
    "settings.plans must map discover and workgroup to maps of whole numbers by accounts, organizations, liveSystems, components.",
  ],
  [{ issuer: 5 }, 'settings.issuer must be a text, such as "liveplane".'],
])("%j is refused by its name", (settings, said) => {
  expect(saying(() => taking(settings))).toBe(said);
});

test("a name that is near is asked for, whatever is swapped, left out or doubled; one that isn't, is not", () => {
  const names = ["checkSeconds", "openRegistration", "LIVEPLANE_REVEAL"];
  for (const [sent, meant] of [
    ["chekSeconds", "checkSeconds"],
    ["checkSecnods", "checkSeconds"],
    ["LIVEPLANE_REVEALS", "LIVEPLANE_REVEAL"],
  ] as const)
    expect(didYouMean(sent, names)).toBe(`; did you mean ${meant}?`);
  for (const sent of ["", "x", "something", "a".repeat(10_000)]) expect(didYouMean(sent, names)).toBe("");
});

test("a scheduler of several processes beside a store of one is refused", () => {
  const store = (sharedByProcesses: boolean) => ({ capabilities: { sharedByProcesses } });
  const beside = (sharedByProcesses: boolean) =>
    takeSettings({ ...brought, store: store(sharedByProcesses) as never, scheduler: { leaseMs: 20_000 } as never });
  expect(saying(() => beside(false))).toContain("Use a shared store");
  expect(beside(true)).toEqual(defaultSettings);
});
