import { authenticatorApp } from "../../../core/test/builders/factors.ts";
import { keep, listed, type Step, step, type World } from "./script.ts";

const credentials = { username: "max", password: "correct horse battery" };
const keepCode = (answer: { readonly codes: readonly string[] }, { known }: World) => {
  known.recoveryCode = answer.codes[0] ?? "";
};

const keepApp = async ({ secret }: { readonly secret: string }, { known }: World) => {
  known.maxCode = await authenticatorApp(secret).codeAt(Date.now());
};

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
];
