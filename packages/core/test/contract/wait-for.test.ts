import {
  type Component,
  type DeployApi,
  deployAndWait,
  type InitializationRun,
  type InitializationWaitApi,
  type Mutation,
  type WaitApi,
  waitFor,
  waitForInitialization,
  waitForMutation,
} from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";

const id = "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041";
const componentId = `${id}/network/vnet`;

/** An API whose looks answer one thing after another. */
function answering<T>(...answers: readonly (T | LiveplaneError)[]) {
  const asked: unknown[] = [];
  const rest = [...answers];
  const get = async (params: unknown) => {
    asked.push(params);
    const next = rest.length > 1 ? rest.shift() : rest[0];
    if (next instanceof LiveplaneError) throw next;
    return next;
  };
  const api = { liveSystems: { components: { get }, mutations: { get } } } as unknown as WaitApi;
  return { api, asked };
}

function clock() {
  const slept: number[] = [];
  return { slept, sleep: async (ms: number) => void slept.push(ms) };
}

const component = (status: Component["status"]) => ({ id: componentId, status }) as Component;

test("answers the component as soon as it has the status", async () => {
  const { api, asked } = answering(component("Active"), component("Active"), component("ManualOverride"));
  const { slept, sleep } = clock();
  const seen: string[] = [];
  const onProgress = ({ status }: Component) => seen.push(status);
  const found = await waitFor(api, componentId, "ManualOverride", { sleep, onProgress, intervalMs: 500 });
  expect(found.status).toBe("ManualOverride");
  expect(seen).toEqual(["Active", "Active"]);
  expect(slept).toEqual([250, 500]);
  expect(asked[0]).toEqual({ id, componentId });
});

test("looks soon again at first, and every two seconds or as often as it is told once it takes long", async () => {
  const answers = [...Array.from({ length: 6 }, () => component("Active")), component("ManualOverride")];
  const pauses = async (options: { intervalMs?: number }) => {
    const { slept, sleep } = clock();
    await waitFor(answering(...answers).api, componentId, "ManualOverride", { sleep, ...options });
    return slept;
  };
  expect(await pauses({})).toEqual([250, 500, 1000, 2000, 2000, 2000]);
  expect(await pauses({ intervalMs: 100 })).toEqual([100, 100, 100, 100, 100, 100]);
});

test("goes on after a failure that trying again can help, no sooner than it asks for", async () => {
  const busy = new LiveplaneError("RateLimited", undefined, { details: { retryAfterSeconds: 7 } });
  const { api } = answering<Component>(busy, component("Active"));
  const { slept, sleep } = clock();
  await waitFor(api, componentId, "Active", { sleep });
  expect(slept).toEqual([7000]);
});

test("ends with any other failure", async () => {
  const { api } = answering<Component>(new LiveplaneError("NotFound"));
  await expect(waitFor(api, componentId, "Active")).rejects.toSatisfy((error) => isLiveplaneError(error, "NotFound"));
});

test("ends with Aborted when its signal says so, also in the middle of a pause", async () => {
  const { api } = answering(component("Active"));
  await expect(waitFor(api, componentId, "ManualOverride", { signal: AbortSignal.abort() })).rejects.toSatisfy(
    (error) => isLiveplaneError(error, "Aborted"),
  );
  const controller = new AbortController();
  const waiting = waitFor(api, componentId, "ManualOverride", {
    signal: controller.signal,
    intervalMs: 60_000,
    onProgress: () => queueMicrotask(() => queueMicrotask(() => controller.abort())),
  });
  await expect(waiting).rejects.toSatisfy((error) => isLiveplaneError(error, "Aborted"));
});

test("answers a mutation when it has ended, whichever way", async () => {
  const mutation = (status: Mutation["status"]) => ({ id: "m1", livesystemId: id, status }) as Mutation;
  const { api, asked } = answering(mutation("Pending"), mutation("Running"), mutation("Failed"));
  const { sleep } = clock();
  const ended = await waitForMutation(api, { livesystemId: id, id: "m1" }, { sleep });
  expect(ended.status).toBe("Failed");
  expect(asked[0]).toEqual({ id, mutationId: "m1" });
});

test.each(["provider-a", "provider-b"] as const)(
  "answers a run of initialization in %s when it has ended",
  async (to) => {
    const run = (status: InitializationRun["status"]) => ({ initializationRun: { provider: to, status } });
    const { api: looks, asked } = answering(run("InProgress"), run("InProgress"), run("Cancelled"));
    const status = looks.liveSystems.components.get;
    const nobody = async () => Promise.reject(new LiveplaneError("NotFound"));
    const [providerA, providerB] = to === "provider-a" ? [status, nobody] : [nobody, status];
    const api = { environments: { providerA: { status: providerA }, providerB: { status: providerB } } };
    const { slept, sleep } = clock();
    const environment = { type: "Personal", ownerId: id, shortName: "web" } as const;
    const ended = await waitForInitialization(api as unknown as InitializationWaitApi, environment, to, { sleep });
    expect(ended).toMatchObject({ provider: to, status: "Cancelled" });
    expect(asked).toEqual([environment, environment, environment]);
    expect(slept).toEqual([250, 500]);
  },
);

test("deployAndWait creates a live system without an id, deploys one with an id, and waits for the end", async () => {
  const calls: unknown[] = [];
  const answers: Mutation["status"][] = ["Running", "Succeeded", "Failed"];
  const started = { id: "m", livesystemId: id, status: "Pending" };
  const start = async (...args: unknown[]) => {
    calls.push(args);
    return started;
  };
  const mutations = { get: async () => ({ ...started, status: answers.shift() }) };
  const api = { liveSystems: { create: start, deploy: start, mutations } } as unknown as DeployApi;
  const environmentId = { type: "Personal", ownerId: id, shortName: "dev" } as const;
  const definition = { name: "shop", environmentId, components: [] };
  const { sleep } = clock();
  expect(await deployAndWait(api, definition, { sleep })).toMatchObject({ livesystemId: id, status: "Succeeded" });
  expect(await deployAndWait(api, { id, ...definition }, { sleep })).toMatchObject({ status: "Failed" });
  expect(calls).toEqual([
    [definition, {}],
    [{ id }, definition, {}],
  ]);
});
