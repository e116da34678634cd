import { LiveplaneError, type Violation } from "@liveplane/client";
import { expect, test } from "vitest";
import { type NamedPrincipal, typedPrincipal } from "../src/access/named-principals.ts";
import { faultsOf, isShownAtFields } from "../src/parts/field-faults.ts";

const ada = { principalType: "Account", principalId: crypto.randomUUID(), name: "Ada Lovelace" } as const;
const core = {
  principalType: "Team",
  principalId: crypto.randomUUID(),
  name: "Core developers (team)",
  shortName: "core",
} as const;
const known: readonly NamedPrincipal[] = [ada, core];

test.each([
  ["Ada Lovelace", ada],
  [" ada lovelace ", ada],
  [ada.principalId, ada],
  ["core (team)", core],
  ["core developers (team)", core],
  ["new@example.com", { principalType: "Account", principalId: "new@example.com" }],
])("%s names a principal", (typed, { principalType, principalId }) => {
  expect(typedPrincipal(typed, known)).toEqual({ principalType, principalId });
});

test("an ID that isn't known is an account's; an unknown or an ambiguous name is refused with what to do", () => {
  const id = crypto.randomUUID();
  expect(typedPrincipal(id, known)).toEqual({ principalType: "Account", principalId: id });
  expect(() => typedPrincipal("grace", known)).toThrow(
    /^Nobody called "grace" is known here\. Use their e-mail address\.$/,
  );
  const twice = [...known, { ...ada, principalId: crypto.randomUUID() }];
  expect(() => typedPrincipal("Ada Lovelace", twice)).toThrow("Use the e-mail address.");
});

const refusal = (...errors: readonly Violation[]) =>
  new LiveplaneError("ValidationFailed", "", { details: { errors } });
const detail = "This must be a UUID.";

test("each field gets one fault, by the member or the option that a refusal names", () => {
  const error = refusal(
    { pointer: "#/subscriptionId", code: "Format", detail },
    { pointer: "#/subscriptionId/x", code: "Type", detail: "another" },
    {
      parameter: "providerAClientSecret",
      code: "ProviderCredentialsMissing",
      detail: "Send X-ProviderA-SP-Client-Secret.",
    },
  );
  const faults = faultsOf(error, ["subscriptionId", "providerAClientSecret", "region"]);
  expect(faults).toEqual({
    subscriptionId: detail,
    providerAClientSecret: "Enter a value. The server has no credentials for this cloud.",
  });
  expect(isShownAtFields(error, faults)).toBe(true);
});

test("a refusal that names anything else is shown as a whole as well", () => {
  const error = refusal({ pointer: "#/tags", code: "Type", detail }, { pointer: "#/region", code: "Type", detail });
  expect(isShownAtFields(error, faultsOf(error, ["region"]))).toBe(false);
  expect(isShownAtFields(new LiveplaneError("Unavailable"), {})).toBe(false);
  expect(faultsOf(new RangeError("no"), ["region"])).toEqual({});
});
