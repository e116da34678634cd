import { expect, test } from "vitest";
import { failureText } from "../../src/environment/initialization/initialization-advice.ts";
import { LiveplaneError } from "../../src/errors.ts";

test.each([
  ["ProviderCredentialsRejected", "AuthorizationFailed", "they lack a right"],
  ["ProviderCredentialsRejected", "PERMISSION_DENIED", "they lack a right"],
  ["ProviderCredentialsRejected", "InvalidAuthenticationTokenTenant", "Check the tenant, and that"],
  ["ProviderCredentialsRejected", undefined, "whether the secret has expired"],
  ["ProviderCredentialsMissing", undefined, "Send credentials"],
  ["ProviderError", "QuotaExceeded", "Raise the quota"],
  ["ProviderError", "InvalidParameter", "Fix what the cloud reports"],
  ["NotFound", "SubscriptionNotFound", "Check the ID"],
  ["RateLimited", undefined, "Wait some minutes"],
  ["ProviderTimeout", undefined, "network reaches the cloud"],
] as const)("%s with the cloud's code %s leads on: %s", (code, providerCode, advice) => {
  const told = failureText(
    new LiveplaneError(code, "It said no.", { details: { ...(providerCode && { providerCode }) } }),
  );
  expect(told).toMatch(/^It said no\. .*, then initialize again\.$/);
  expect(told).toContain(advice);
});

test("what already says what to do, or is the service's own failure, is left as it is", () => {
  const named = { details: { reason: "RightsMissing" } };
  expect(failureText(new LiveplaneError("ProviderCredentialsRejected", "Grant it.", named))).toBe("Grant it.");
  expect(failureText(new LiveplaneError("InternalError"))).not.toContain("initialize again");
});
