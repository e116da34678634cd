import { discoveryLaws } from "./cloud-discovery-laws.ts";
import { isTaggable } from "./cloud-expectations.ts";
import { failureLaws } from "./cloud-failure-laws.ts";
import { idLaws } from "./cloud-id-laws.ts";
import { operationLaws } from "./cloud-operation-laws.ts";
import { readLaws } from "./cloud-read-laws.ts";
import { setupLaws } from "./cloud-setup-laws.ts";
import { typeLaws } from "./cloud-type-laws.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";
import { writeLaws } from "./cloud-write-laws.ts";

/** The test function of any test runner: vitest's, node:test's, bun's. */
export type CloudTest = (name: string, run: () => Promise<void>) => unknown;

/** All laws of the cloud port, in the order in which the suite runs them. @internal */
export const cloudLaws: readonly CloudLaw[] = [
  ...idLaws,
  ...typeLaws,
  ...readLaws,
  ...discoveryLaws,
  ...writeLaws,
  ...operationLaws,
  ...failureLaws,
  ...setupLaws,
];

/**
 * Tests a cloud against the laws of its port, a fresh cloud for each law.
 *
 * @example
 * cloudConformance(test, async () => ({ cloud: myCloud(), call, rejected, target, otherTarget, type, parameters, byHand, break: inject }));
 */
export function cloudConformance(test: CloudTest, createCloud: () => Promise<CloudUnderTest>): void {
  for (const { name, check, ofTags = false } of cloudLaws) {
    test(name, async () => {
      const under = await createCloud();
      try {
        if (!ofTags || isTaggable(under)) await check(under);
      } finally {
        await under.close?.();
      }
    });
  }
}
