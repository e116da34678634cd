import { describe, test } from "vitest";
import { cloudConformance } from "../../src/testing/cloud-laws/cloud-conformance.ts";
import { providers, simulatedUnderTest } from "../builders/simulated-clouds.ts";

for (const provider of providers) {
  describe(`the simulated ${provider}`, () => cloudConformance(test, () => simulatedUnderTest({ provider })));

  describe(`the simulated ${provider} with the other kind of writes`, () =>
    cloudConformance(test, () => simulatedUnderTest({ provider, conditionalWrites: provider === "provider-b" })));

  describe(`the simulated ${provider} that chooses ids and tells no identities`, () =>
    cloudConformance(test, () =>
      simulatedUnderTest({ provider, choosesIds: true, identities: false, bulkReadSize: 1 }),
    ));

  describe(`the simulated ${provider}, whose tags have a fingerprint of their own`, () =>
    cloudConformance(test, () =>
      simulatedUnderTest({ provider, boundBy: () => ({ create: "etag", properties: "etag", tags: "fingerprint" }) }),
    ));

  describe.each(["etag", "test", "mask", "none"] as const)(
    `the simulated ${provider}, types bound by %s alone`,
    (part) =>
      cloudConformance(test, () =>
        simulatedUnderTest({ provider, boundBy: () => ({ create: "etag", properties: part, tags: part }) }),
      ),
  );
}
