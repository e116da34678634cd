import { createLiveplane } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { defaultSettings, type LiveplaneOptions, takeSettings } from "../src/settings.ts";

const ports = ["store", "hasher", "tokens", "mailer", "sealer", "sshKeys", "clouds", "scheduler"];
const brought = Object.fromEntries(ports.map((name) => [name, {}])) as unknown as LiveplaneOptions;
const taking = (settings: object) => takeSettings({ ...brought, settings });
const refused = (message: string) => new LiveplaneError("ConfigurationInvalid", message);

test("what the host says goes before the defaults, and what it leaves undefined doesn't", () => {
  expect(takeSettings(brought)).toEqual(defaultSettings);
  expect(taking({ checkSeconds: 5, issuer: undefined })).toEqual({ ...defaultSettings, checkSeconds: 5 });
});

test("every default is taken back as it stands", () => {
  expect(taking(defaultSettings)).toEqual(defaultSettings);
});

test("each port that is missing is named", () => {
  const missing = (names: readonly string[]) => refused(names.map((name) => `${name} is missing.`).join(" "));
  expect(() => createLiveplane({} as never)).toThrow(missing(ports));
  expect(() => createLiveplane(undefined as never)).toThrow(missing(ports));
  expect(() => takeSettings({ ...brought, store: null as never })).toThrow(missing(["store"]));
});

test.each([
  [{ checkSecond: 5 }, "settings.checkSecond is no setting."],
  [{ toString: 5 }, "settings.toString is no setting."],
  [{ checkSeconds: "5" }, "settings.checkSeconds must be a number from 0 on."],
  [{ checkSeconds: -1 }, "settings.checkSeconds must be a number from 0 on."],
  [{ checkSeconds: Number.NaN }, "settings.checkSeconds must be a number from 0 on."],
  [{ openRegistration: "no" }, "settings.openRegistration must be a boolean."],
  [{ operators: "ada" }, "settings.operators must be a list."],
  [{ restoredTag: "never" }, "settings.restoredTag must be one of resume-when-clean, resume, wait."],
  [{ plans: null }, "settings.plans must be an object."],
  [{ issuer: 5, audience: 5 }, "settings.issuer must be a string. settings.audience must be a string."],
])("%j is refused by its name", (settings, said) => {
  expect(() => taking(settings)).toThrow(refused(said));
});
