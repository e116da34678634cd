import {
  type SimulatedCloud,
  type SimulatedCloudOptions,
  simulatedCloud,
  simulatedConsole,
} from "../../src/clouds/index.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { SecretValue } from "../../src/ports/secret-value.ts";
import type { Store } from "../../src/ports/store.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";
import type { CloudUnderTest } from "../../src/testing/cloud-laws/cloud-under-test.ts";

/** The two flavours. */
export const providers = ["provider-a", "provider-b"] as const;

const scopes = {
  "provider-a": ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3302"],
  "provider-b": ["project-one", "project-two"],
} as const;

/** Types that the facts lack: of the first resources can be made, and they carry no tags. */
const lackingIn = {
  "provider-a": { made: "Microsoft.Lacking/things@2025-01-01", refused: "Microsoft.Lacking/thinks@2025-01-01" },
  "provider-b": { made: "lacking.v1.thing", refused: "lacking.v1.thinks" },
} as const;

/** A simulated cloud as the conformance suite wants it. */
export async function simulatedUnderTest(
  options: Partial<SimulatedCloudOptions> = {},
): Promise<CloudUnderTest & { cloud: SimulatedCloud }> {
  const { provider = "provider-a", runtime: real = webRuntime() } = options;
  let aheadMs = 0;
  const runtime = { ...real, clock: { ...real.clock, now: () => real.clock.now() + aheadMs } };
  const kept = options.store ?? memoryStore({ now: runtime.clock.now });
  let deed: (() => Promise<void>) | null = null;
  const store: Store = {
    ...kept,
    async commit(batch) {
      const result = await kept.commit(batch);
      const due = deed;
      deed = null;
      await due?.();
      return result;
    },
  };
  const lacking = lackingIn[provider];
  const describe = (type: string) => {
    if (type === lacking.refused) return { refused: `There is no such type. Did you mean ${lacking.made}?` };
    return type === lacking.made ? { taggable: false } : null;
  };
  const open = () => simulatedCloud({ describe, ...options, provider, store, runtime });
  const cloud = open();
  const console = simulatedConsole(cloud);
  const [scope, other] = scopes[provider];
  const credentials = (secret: string) =>
    ({ kind: "servicePrincipal", name: "tester", secret: new SecretValue(secret) }) as const;
  return {
    cloud,
    call: { credentials: credentials("canary-of-the-cloud") },
    rejected: { credentials: credentials("reject") },
    target: { scope, region: "europe-west1" },
    otherTarget: { scope: other, region: "europe-west1" },
    type: provider === "provider-a" ? "Microsoft.Web/sites@2024-04-01" : "run.v2.service",
    parameters: { size: "small", count: 3, nested: { list: [1, "zwei", null], "odd/~name": true } },
    lacking: { made: lacking.made, taggable: false, refused: lacking.refused, near: lacking.made },
    byHand: {
      setTags: async (resourceId, tags) => void (await console.putTags(resourceId, tags)),
      remove: async (resourceId) => void (await console.delete(resourceId)),
    },
    beforeAnswer(next) {
      deed = next;
    },
    break: async (kind, fault) => {
      const faults = kind === "write" ? { write: fault, removeTag: fault } : { [kind]: fault };
      await console.setFaults(fault === null ? {} : faults);
    },
    slow: {
      begin: async (fails) => void (await console.setFaults({ slow: { takesMs: 3_600_000, ...(fails && { fails }) } })),
      async finish() {
        await console.setFaults({});
        aheadMs += 3_600_000;
      },
      elsewhere: open,
    },
  };
}
