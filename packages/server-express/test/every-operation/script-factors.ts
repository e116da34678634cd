import type { PasskeyCreation, PasskeyRequest } from "@liveplane/core/contract";
import { softwareAuthenticator } from "../../../core/test/builders/authenticator.ts";
import { authenticatorApp } from "../../../core/test/builders/factors.ts";
import { keep, listed, type Step, step, type World } from "./script.ts";

const credentials = { username: "max", password: "correct horse battery" };
const keepCode = (answer: { readonly codes: readonly string[] }, { known }: World) => {
  known.recoveryCode = answer.codes[0] ?? "";
};

const keepApp = async ({ secret }: { readonly secret: string }, { known }: World) => {
  known.maxCode = await authenticatorApp(secret).codeAt(Date.now());
};

const devices = new WeakMap<object, ReturnType<typeof softwareAuthenticator>>();

/** The device of a world. */
function deviceOf({ known }: World) {
  const device = devices.get(known) ?? softwareAuthenticator("https://liveplane.example");
  devices.set(known, device);
  return device;
}

const createPasskey = async (creation: PasskeyCreation, world: World) => {
  world.known.created = JSON.stringify(await deviceOf(world).create(creation));
};

const signWithPasskey = async (request: PasskeyRequest, world: World) => {
  world.known.signed = JSON.stringify(await deviceOf(world).sign(request));
};

const created = ({ known }: World) => JSON.parse(known.created ?? "null");
const signed = ({ known }: World) => JSON.parse(known.signed ?? "null");

/** Somebody who adds a passkey, signs in by it alone and after the password, and removes it. */
const passkeys: readonly Step[] = [
  step("sessions.create", "anonymous", () => [credentials], keep("maxToken", "accessToken")),
  step("accounts.factors.beginPasskey", "max", () => [], createPasskey),
  step(
    "accounts.factors.addPasskey",
    "max",
    (world) => [{ name: "Laptop", credential: created(world) }],
    keep("maxApp"),
  ),
  step("accounts.factors.addPasskey", "max", (world) => [{ credential: created(world) }]),
  step("accounts.factors.beginPasskey", "max", () => []),
  step("sessions.beginByPasskey", "anonymous", () => [], signWithPasskey),
  step("sessions.createByPasskey", "anonymous", (world) => [{ credential: signed(world) }]),
  step("sessions.createByPasskey", "anonymous", (world) => [{ credential: signed(world) }]),
  step("sessions.create", "anonymous", () => [credentials], keep("maxToken", "accessToken")),
  step("sessions.beginByPasskey", "max", () => [], signWithPasskey),
  step("sessions.createByPasskey", "anonymous", (world) => [{ credential: signed(world) }]),
  step("sessions.createByFactor", "max", (world) => [{ credential: signed(world) }], keep("maxToken", "accessToken")),
  step("accounts.factors.delete", "max", ({ known }) => [{ factorId: known.maxApp }]),
];

/** Somebody who adds a second factor, signs in with it, and loses it. */
export const factors: readonly Step[] = [
  step("accounts.createWithCredentials", "anonymous", () => [credentials], keep("max")),
  step("sessions.create", "anonymous", () => [credentials], keep("maxToken", "accessToken")),
  step("sessions.createByFactor", "max", () => [{ code: "123456" }]),
  step("accounts.factors.issueRecoveryCodes", "max", () => []),
  step("accounts.factors.confirmTotp", "max", () => [{ code: "123456" }]),
  step("accounts.factors.addTotp", "max", () => [{ name: "Phone" }], keepApp),
  step("accounts.factors.confirmTotp", "max", () => [{ code: "wrong" }]),
  step("accounts.factors.confirmTotp", "max", ({ known }) => [{ code: known.maxCode }], keep("maxApp")),
  step("accounts.factors.issueRecoveryCodes", "max", () => [], keepCode),
  step("accounts.factors.list", "max", () => []),
  ...listed("accounts.factors.list"),
  step("sessions.create", "anonymous", () => [credentials], keep("maxToken", "accessToken")),
  step("accounts.me", "max", () => []),
  step("accounts.factors.delete", "max", ({ known }) => [{ factorId: known.maxApp }]),
  step("sessions.createByFactor", "max", () => [{ code: "wrong" }]),
  step(
    "sessions.createByFactor",
    "max",
    ({ known }) => [{ code: known.recoveryCode }],
    keep("maxToken", "accessToken"),
  ),
  step("accounts.me", "max", () => []),
  step("accounts.factors.delete", "max", ({ known }) => [{ factorId: known.maxApp }]),
  step("accounts.factors.addTotp", "max", () => [{}], keepApp),
  step("accounts.factors.confirmTotp", "max", ({ known }) => [{ code: known.maxCode }]),
  step("accounts.removeFactors", "ada", ({ known }) => [{ accountId: known.max }]),
  step("accounts.removeFactors", "operator", ({ known }) => [{ accountId: known.max }]),
  ...passkeys,
];
