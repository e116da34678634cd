import type { InitializationRequest } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import { cloudHolds, equals, refusal } from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

type Outputs = Record<string, Readonly<Record<string, Json>>>;

/** What an initialization does, and what is known before one. */
export const setupLaws: readonly CloudLaw[] = [
  {
    name: "lists places by names that are all different",
    async check({ cloud, target, call }) {
      const places = await cloud.locations(target.scope, target.tenantId ?? null, call);
      cloudHolds(places.length > 0, "there is no place");
      equals(new Set(places.map(({ name }) => name)).size, places.length, "the number of different names");
    },
  },
  {
    name: "plans the same steps whenever it is asked, each with a name of its own",
    async check({ cloud, target }) {
      const steps = cloud.initializationSteps(target, "env-0123456789");
      cloudHolds(steps.length > 0, "there is no step");
      equals(cloud.initializationSteps(target, "env-0123456789"), steps, "the plan asked twice");
      equals(new Set(steps.map(({ name }) => name)).size, steps.length, "the number of different names");
    },
  },
  {
    name: "makes each thing once, however often its step is run",
    async check(under) {
      const first = await runAll(under, 1);
      equals(await runAll(under, 2), first, "the outputs of steps run again");
    },
  },
  {
    name: "goes on behind any step",
    async check(under) {
      const { cloud, target, call } = under;
      const steps = cloud.initializationSteps(target, "env-0123456789");
      const outputs: Outputs = {};
      for (const { name } of steps) {
        const before = await cloud.runStep(name, requestFor(under, outputs), call);
        const again = await cloud.runStep(name, requestFor(under, outputs), call);
        equals(again, before, `the outputs of ${name}`);
        outputs[name] = again;
      }
    },
  },
  {
    name: "rejects credentials at the first step",
    async check(under) {
      const [step] = under.cloud.initializationSteps(under.target, "env-0123456789");
      cloudHolds(step !== undefined, "there is no step");
      const run = () => under.cloud.runStep(step.name, requestFor(under, {}), under.rejected);
      await refusal("ProviderCredentialsRejected", run);
    },
  },
];

async function runAll(under: CloudUnderTest, times: number): Promise<Outputs> {
  const { cloud, target, call } = under;
  const outputs: Outputs = {};
  for (const { name } of cloud.initializationSteps(target, "env-0123456789")) {
    for (let time = 0; time < times; time++)
      outputs[name] = await cloud.runStep(name, requestFor(under, outputs), call);
  }
  return outputs;
}

function requestFor({ target }: CloudUnderTest, outputs: Outputs): InitializationRequest {
  return { name: "env-0123456789", target, tags: {}, outputs };
}
