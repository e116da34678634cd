import { LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { fakeHasher, fakeSealer, fakeSshKeys, fakeTokens, memoryStore } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import { simulatedCloud } from "../../../core/src/clouds/index.ts";
import { identityWorld } from "../../../core/test/builders/identity.ts";
import { jobNodes } from "./job-nodes.ts";

const stepMs = 5_000;
const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const cloudA = { providerAClientId: "client", providerAClientSecret: "a cloud's secret" };

/** Whole control planes, each a process over the store, the jobs and the cloud of all. */
async function planes() {
  const { node, advance, runtime } = await jobNodes();
  const ofCloud = memoryStore({ now: runtime.clock.now });
  const cloud = simulatedCloud({ provider: "provider-a", store: ofCloud, runtime });
  const kept = {
    ...{ runtime, hasher: fakeHasher(runtime), tokens: fakeTokens(runtime) },
    ...{ sealer: fakeSealer(), sshKeys: fakeSshKeys() },
    clouds: { adapters: [cloud], deviceAuthorizers: {} },
  };
  return {
    advance,
    /** All that is in the cloud. */
    cloudText: async () => JSON.stringify(await ofCloud.list({ prefix: [], limit: 1_000 })),
    async plane(options: Parameters<typeof node>[0] = {}) {
      const { kill, store, scheduler } = await node(options);
      const hook: { before: (kinds: readonly string[]) => void } = { before: () => {} };
      const hooked: Store = {
        ...store,
        commit(commit, ...more) {
          hook.before((commit.sets ?? []).map(({ key }) => String(key[1])));
          return store.commit(commit, ...more);
        },
      };
      const world = await identityWorld({ validateAnswers: false }, undefined, { ...kept, store: hooked, scheduler });
      return { ...world, hook, kill };
    },
  };
}

test("a release whose node is killed in the middle is another's, which tells of the rest, and of nothing twice", {
  timeout: 120_000,
}, async () => {
  const { plane, advance, cloudText } = await planes();
  const first = await plane({ isFirst: true });
  await first.liveplane.start();
  const ada = await first.person("ada");
  const ids = await deployed(ada, advance);
  const inCloud = await cloudText();

  let commits = 0;
  let dead = Promise.resolve();
  first.hook.before = (kinds) => {
    if (kinds.includes("component") || !kinds.includes("live-system")) return;
    commits += 1;
    if (commits === 3) dead = first.kill();
  };
  await first.host.accounts.delete({ accountId: ada.account.id });
  await advance(stepMs);
  await dead;
  const second = await plane();
  const released = async () => (await second.events("component.released")).map(({ subject }) => subject);
  const told = await released();
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(ids.length);

  await second.liveplane.start();
  const state = () => second.host.accounts.release({ accountId: ada.account.id });
  for (let passedMs = 0; passedMs < 60_000 && (await state()).status === "Releasing"; passedMs += stepMs)
    await advance(stepMs);
  expect(await state()).toMatchObject({ status: "Released", liveSystems: [] });
  expect((await released()).toSorted()).toEqual(ids.map((id) => `${id}/vnet`).toSorted());
  expect(await second.kept("secret")).toEqual([]);
  expect(await cloudText()).toBe(inCloud);
  await second.liveplane.stop();
});

/** An environment of a person's with a secret in it, and what they have deployed there. */
async function deployed(
  { api, account }: Awaited<ReturnType<Awaited<ReturnType<typeof identityWorld>>["person"]>>,
  advance: (ms: number) => Promise<unknown>,
): Promise<string[]> {
  const home = { type: "Personal", ownerId: account.id, shortName: "home" } as const;
  await api.environments.create(home, {});
  await api.environments.secrets.create(home, { shortName: "db", value: "päss" });
  await api.environments.providerA.initialize(home, { subscriptionId }, cloudA);
  await reached(advance, async () => {
    const { initializationRun } = await api.environments.providerA.status(home);
    return initializationRun.status === "Completed";
  });
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const component = { path: "vnet", provider: "provider-a", type, parameters: { addressSpace: "10.0.0.0/16" } };
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const made = await api.liveSystems.create({ name, environmentId: home, components: [component] });
    ids.push(made.livesystemId);
    await reached(advance, async () => {
      const { status } = await api.liveSystems.mutations.get({ id: made.livesystemId, mutationId: made.id });
      return status === "Succeeded";
    });
  }
  return ids;
}

async function reached(advance: (ms: number) => Promise<unknown>, isSo: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 30; turns++) {
    if (await isSo()) return;
    await advance(stepMs);
  }
  throw new LiveplaneError("InternalError", "That took too long.");
}
