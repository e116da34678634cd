import { nodeDefaults } from "@liveplane/adapters/node";
import { openTelemetryTracer } from "@liveplane/adapters/open-telemetry";
import { createLiveplane } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { memoryStore, tracerConformance } from "@liveplane/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";
import { registeredSpans, shownSpan } from "./kept-spans.ts";
import { until } from "./rotation-world.ts";

async function openTelemetry() {
  const { provider, told, end } = registeredSpans();
  return { tracer: await openTelemetryTracer({ provider }), told: () => told().map(shownSpan), end };
}

describe("openTelemetryTracer", () => tracerConformance(test, openTelemetry));

test("a refusal of a request is no failure of the service, and its code stands there; elsewhere it is one", async () => {
  const { tracer, told, end } = await openTelemetry();
  onTestFinished(end);
  const failing = (kind: "server" | "client", code: "NotFound" | "StoreFailed") =>
    tracer
      .during({ name: `${kind} ${code}`, kind, fields: {} }, () => Promise.reject(new LiveplaneError(code)))
      .catch(() => {});
  await failing("server", "NotFound");
  await failing("server", "StoreFailed");
  await failing("client", "NotFound");
  expect(told().map(({ name, isFailed, code }) => [name, isFailed, code])).toEqual([
    ["server NotFound", false, "NotFound"],
    ["server StoreFailed", true, "StoreFailed"],
    ["client NotFound", true, "NotFound"],
  ]);
});

test("what isn't registered makes no spans, and the work is done", async () => {
  const tracer = await openTelemetryTracer();
  expect(await tracer.during({ name: "work", fields: {} }, async () => 7)).toBe(7);
});

/** A control plane over what is real but the clouds, and the spans of it. */
async function tracedPlane() {
  const { tracer, told, end } = await openTelemetry();
  const dataDir = emptyFolder();
  const settings = { openRegistration: true, checkSeconds: 1 };
  const liveplane = createLiveplane(await nodeDefaults({ dataDir, store: memoryStore(), tracer, settings }));
  onTestFinished(async () => {
    await liveplane.stop();
    await end();
  });
  await liveplane.start();
  const nobody = liveplane.as({ kind: "anonymous" });
  const ada = { username: "ada", password: "a long enough password" };
  const { id: ownerId } = await nobody.accounts.createWithCredentials(ada);
  const { accessToken: token } = await nobody.sessions.create(ada);
  return { api: liveplane.as({ kind: "bearer", token }), ownerId, told };
}

test("a request, its commits, the agent's tasks, its passes and its calls of clouds are spans that nest", async () => {
  const { api, ownerId, told } = await tracedPlane();
  const dev = { type: "Personal", ownerId, shortName: "dev" } as const;
  await api.environments.create(dev, {});
  const { providerB } = api.environments;
  const credentials = {
    providerBServiceAccountEmail: "agent@project.example",
    providerBServiceAccountCredentials: JSON.stringify({ project_id: "project", private_key: "key" }),
  };
  await providerB.initialize(dev, { projectId: "project" }, credentials);
  await until(
    () => providerB.status(dev),
    ({ initializationRun: { status } }) => status === "Completed",
  );
  const parameters = { location: "EU" };
  const component = { path: "Files", provider: "provider-b", type: "storage.v1.bucket", parameters };
  const definition = { name: "shop", environmentId: dev, components: [component] };
  const requestId = "deploy-of-the-shop";
  const { id: mutationId, livesystemId: id } = await api.liveSystems.create(definition, { requestId });
  await until(
    () => api.liveSystems.mutations.get({ id, mutationId }),
    ({ status }) => status === "Succeeded",
  );
  const spans = await until(
    async () => told(),
    (all) => all.some(({ name, id: own }) => name === "task.sweep" && all.some(({ parentId }) => parentId === own)),
  );

  const above = (span: Shown): string[] => {
    const parent = spans.find((one) => one.id === span.parentId);
    return parent === undefined ? [span.name] : [span.name, ...above(parent)];
  };
  const ways = new Set(spans.map((span) => above(span).join(" < ")));
  expect([...ways]).toEqual(
    expect.arrayContaining([
      "store.commit < liveSystems.create",
      "cloud.step < environments.providerB.initialize",
      "cloud.create < agent.pass < task.mutations",
      "store.commit < agent.pass < task.mutations",
      "cloud.bulk < task.sweep",
    ]),
  );
  const request = spans.find(({ name }) => name === "liveSystems.create");
  expect(request?.attributes).toEqual({
    "liveplane.operation": "liveSystems.create",
    "liveplane.request_id": requestId,
  });
  const created = spans.find(({ name }) => name === "cloud.create");
  const pass = spans.find((span) => span.id === created?.parentId);
  expect(pass?.attributes).toMatchObject({
    "liveplane.component_id": `${id}/files`,
    "liveplane.lane": "people",
    "liveplane.outcome": "settled",
  });
  expect(created?.attributes).toEqual({
    "liveplane.provider": "provider-b",
    "liveplane.resources": 1,
    "liveplane.outcome": "ok",
  });
});

type Shown = ReturnType<typeof shownSpan>;
