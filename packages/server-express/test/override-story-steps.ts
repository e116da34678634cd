import { setTimeout } from "node:timers/promises";
import { createClient } from "@liveplane/client";
import type { Api } from "@liveplane/core";
import {
  type AdoptionPlan,
  type Component,
  type LiveSystemDefinition,
  type Mutation,
  waitFor,
  waitForMutation,
} from "@liveplane/core/contract";
import { type ErrorCode, isLiveplaneError } from "@liveplane/core/errors";
import { expect } from "vitest";
import { applyPatch } from "../../core/test/builders/json-patch.ts";

/** One hand-over being told: who tells it, and what was learned on the way. */
export interface Story {
  readonly baseUrl: string;
  readonly api: Api;
  readonly ownerId: string;
  /** The operator's, for the simulated cloud's console. */
  readonly consoleToken: string;
  /** Set by the steps in turn. */
  readonly known: { definition: LiveSystemDefinition; id: string; mutation: string; resourceId: string };
}

/** A step of the story; it can be taken again from its beginning when its process died within it. */
export interface Step {
  readonly title: string;
  take(story: Story): Promise<unknown>;
}

const declared = { tier: "hot", size: 2, addressSpace: "10.0.0.0/16", tags: { team: "web" } };
const byHand = { tier: "cold", size: 5 };
const managed = { "managed-by": "platform" };
const within = () => AbortSignal.timeout(30_000);
const intervalMs = 50;

/** Somebody who can tell stories: signed in, with an operator's way into the simulated cloud's console. */
export type Teller = Pick<Story, "baseUrl" | "api" | "ownerId" | "consoleToken">;

/** As many stories at once as somebody likes. */
const enterprise = {
  subscriptionType: "Enterprise",
  enterpriseSubscriptionDetails: {
    maxNumberOfAccounts: 1,
    maxNumberOfOrganizations: 1,
    expirationDate: "2100-01-01T00:00:00Z",
  },
} as const;

/** Registers somebody and signs them in. */
export async function register(baseUrl: string, operatorPassword: string): Promise<Teller> {
  const anonymous = createClient({ baseUrl });
  const ada = { username: "ada", password: "correct horse battery" };
  const { id: ownerId } = await anonymous.accounts.createWithCredentials(ada);
  const { accessToken: token } = await anonymous.sessions.create(ada);
  const operator = await anonymous.sessions.create({ username: "operator", password: operatorPassword });
  const operating = createClient({ baseUrl, token: operator.accessToken, fetch: patiently });
  await operating.subscriptions.create(enterprise, { accountId: ownerId });
  const api = createClient({ baseUrl, token, fetch: patiently });
  return { baseUrl, ownerId, api, consoleToken: operator.accessToken };
}

/** Begins a story in an environment of its own. */
export function beginStory(teller: Teller, shortName = "production"): Story {
  const definition: LiveSystemDefinition = {
    name: "shop",
    environmentId: { type: "Personal", ownerId: teller.ownerId, shortName },
    components: [
      {
        path: "network/vnet",
        provider: "provider-a",
        type: "Microsoft.Network/virtualNetworks@2024-05-01",
        parameters: declared,
      },
      {
        path: "app",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { network: { $output: "network/vnet#id" } },
      },
    ],
  };
  return { ...teller, known: { definition, id: "", mutation: "", resourceId: "" } };
}

/** The whole story, from an empty account to a component that was handed over and taken back. */
export const steps: readonly Step[] = [
  {
    title: "an environment is made and its initialization begins",
    async take({ api, known: { definition } }) {
      await api.environments.create(definition.environmentId, {}).catch(unless("AlreadyExists"));
      const placement = { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" };
      const secret = { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "secret" };
      await api.environments.providerA
        .initialize(definition.environmentId, placement, secret)
        .catch(unless("InitializationInProgress", "InvalidState"));
    },
  },
  {
    title: "the initialization completes",
    take: ({ api, known: { definition } }) =>
      expect
        .poll(
          async () => (await api.environments.providerA.status(definition.environmentId)).initializationRun.status,
          { timeout: 30_000, interval: intervalMs },
        )
        .toBe("Completed"),
  },
  {
    title: "a live system is deployed",
    async take({ api, known }) {
      const [lost] = (await api.liveSystems.list({ environment: environmentName(known) })).items;
      const { livesystemId, id } =
        lost === undefined
          ? await api.liveSystems.create(known.definition)
          : await api.liveSystems.deploy({ id: lost.id }, known.definition);
      Object.assign(known, { id: livesystemId, mutation: id });
    },
  },
  {
    title: "its deploy succeeds",
    async take({ api, known }) {
      await succeeded(api, known);
      known.resourceId = (await component(api, known)).resourceId ?? "";
      expect((await component(api, known)).status).toBe("Active");
    },
  },
  {
    title: "the management tag is removed by hand",
    take: (story) => console(story, "PUT", "/tags", { team: "web" }),
  },
  {
    title: "two parameters are edited by hand",
    async take(story) {
      await waitFor(story.api, componentId(story.known), "ManualOverride", { intervalMs, signal: within() });
      await console(story, "PATCH", "/parameters", byHand);
    },
  },
  {
    title: "the drift is seen",
    take: async ({ api, known }) =>
      expect
        .poll(async () => (await component(api, known)).outputFields.drift, { timeout: 30_000, interval: intervalMs })
        .toEqual({ tier: { declared: "hot", actual: "cold" }, size: { declared: 2, actual: 5 } }),
  },
  {
    title: "the plan is read",
    async take({ api, known }) {
      const plan = await planned(api, known);
      expect(plan).toMatchObject({ possible: true, reason: null });
      expect(plan.changes.map(({ pointer, cause }) => [pointer, cause]).sort()).toEqual([
        ["/size", "cloud"],
        ["/tier", "cloud"],
      ]);
    },
  },
  {
    title: "the override is annotated",
    async take({ api, known }) {
      await api.liveSystems.components.annotateOverride(place(known), { reason: "a load test", ticket: "OPS-7" });
      expect((await component(api, known)).override).toMatchObject({ reason: "a load test", ticket: "OPS-7" });
    },
  },
  {
    title: "the patch that keeps one of them is applied",
    async take({ api, known }) {
      const patch = (await planned(api, known)).keepPatch.filter(({ path }) => !path.endsWith("/size"));
      const kept = applyPatch(known.definition as never, patch as never);
      known.definition = kept as unknown as LiveSystemDefinition;
      known.mutation = (await api.liveSystems.deploy({ id: known.id }, known.definition)).id;
    },
  },
  {
    title: "its deploy succeeds and leaves the resource alone",
    async take(story) {
      const { api, known } = story;
      const { held } = await succeeded(api, known);
      expect(held).toEqual([componentId(known)]);
      expect(await console(story, "GET")).toMatchObject({ tags: { team: "web" }, parameters: byHand });
      expect((await component(api, known)).outputFields.drift).toEqual({ size: { declared: 2, actual: 5 } });
    },
  },
  {
    title: "both tags are set by hand",
    take: (story) => console(story, "PUT", "/tags", { ...managed, platform: "reconcile", team: "web" }),
  },
  {
    title: "the component is Active, the other parameter reverted, and the reconcile tag gone",
    async take(story) {
      const { api, known } = story;
      const active = await waitFor(api, componentId(known), "Active", { intervalMs, signal: within() });
      expect(active.override).toBeNull();
      expect(active.outputFields).not.toHaveProperty("drift");
    },
  },
];

/** Takes a step, and names it where it fails. A request that died with its process keeps its key for a while: it is made anew. */
export async function take(step: Step, story: Story): Promise<void> {
  try {
    await step.take(story);
  } catch (cause) {
    if (isLiveplaneError(cause, "IdempotencyInFlight")) return take(step, story);
    throw new Error(`Not so: ${step.title}.`, { cause });
  }
}

/** What has to be true at the end, whatever happened on the way. */
export async function expectHandedBack(story: Story): Promise<void> {
  const { api, known } = story;
  expect(await console(story, "GET")).toMatchObject({
    parameters: { addressSpace: "10.0.0.0/16", tier: "cold", size: 2 },
  });
  expect(await console(story, "GET")).toHaveProperty("tags", { ...managed, team: "web" });
  expect((await api.liveSystems.list({ environment: environmentName(known) })).items.map(({ id }) => id)).toEqual([
    known.id,
  ]);
  const { items } = await api.liveSystems.components.overrides(place(known));
  expect(items).toMatchObject([{ outcome: "Reconciled", reason: "a load test", ticket: "OPS-7" }]);
  expect(await told(story)).toEqual([
    "component.override.started",
    "component.reconcile.requested",
    "component.reconcile.completed",
    "component.override.ended",
  ]);
}

/** The events of the lifecycle in their order, up to the override's end. */
async function told({ api, known }: Story): Promise<string[]> {
  const types: string[] = [];
  const type = ["requested", "completed", "failed", "withdrawn"].map((what) => `component.reconcile.${what}`);
  type.push("component.override.started", "component.override.ended");
  for await (const event of api.events.follow({ after: 0, type, signal: within() })) {
    if (event.subject !== componentId(known)) continue;
    types.push(event.type);
    if (event.type === "component.override.ended") break;
  }
  return types;
}

/** Does something in the cloud's own console. */
async function console(story: Story, method: string, what = "", json?: unknown): Promise<unknown> {
  const address = `${story.baseUrl}/simulator/provider-a/resources/${encodeURIComponent(story.known.resourceId)}`;
  const answer = await patiently(address + what, {
    method,
    headers: { authorization: `Bearer ${story.consoleToken}`, "content-type": "application/json" },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** Sends the same request once more while no server answers. */
const patiently: typeof fetch = async (input, init) => {
  for (const signal = within(); ; await setTimeout(intervalMs, undefined, { signal })) {
    try {
      return await fetch(input instanceof Request ? input.clone() : input, init);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
};

async function succeeded(api: Api, { id, mutation }: Story["known"]): Promise<Mutation> {
  const done = await waitForMutation(api, { livesystemId: id, id: mutation }, { intervalMs, signal: within() });
  expect(done).toMatchObject({ status: "Succeeded", error: null });
  return done;
}

function planned(api: Api, known: Story["known"]): Promise<AdoptionPlan> {
  return api.liveSystems.components.adoptionPlan(place(known));
}

function component(api: Api, known: Story["known"]): Promise<Component> {
  return api.liveSystems.components.get(place(known));
}

function place(known: Story["known"]) {
  return { id: known.id, componentId: componentId(known) };
}

function environmentName({ definition: { environmentId } }: Story["known"]): string {
  return [environmentId.type, environmentId.ownerId, environmentId.shortName].join("/");
}

function componentId({ id }: Story["known"]): string {
  return `${id}/network/vnet`;
}

/** What an earlier try, whose answer was lost, has done already. */
function unless(...codes: readonly ErrorCode[]) {
  return (error: unknown): void => {
    if (!codes.some((code) => isLiveplaneError(error, code))) throw error;
  };
}
