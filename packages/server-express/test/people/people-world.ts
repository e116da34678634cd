import { stat } from "node:fs/promises";
import { createClient } from "@liveplane/client";
import { type Api, type EnvironmentRef, intervalScheduler } from "@liveplane/core";
import { simulatedCloud, simulatedConsole } from "@liveplane/core/clouds";
import { fakeRuntime, fakeSealer, memoryStore } from "@liveplane/core/testing";
import { identityWorld } from "../../../core/test/builders/identity.ts";
import type { Broken } from "../../../simulator/src/index.ts";
import type { RulesOf } from "../../../simulator/src/judge/create-judge.ts";
import { createServer } from "../../src/server.ts";
import { type Trace, traceOf } from "./traced.ts";

/** A control plane behind a real port, with a fake clock and a cloud whose console is also used over HTTP. */
export interface PeopleWorld {
  readonly api: Api;
  readonly environmentId: EnvironmentRef;
  readonly now: () => number;
  /** The first step of the server that the rules don't know. */
  readonly broken: Broken | null;
  /** Waits for an answer. Time passes only if the work waits for it. */
  answer<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, with everything that happens meanwhile. */
  pass(ms: number): Promise<void>;
  /** Does something in the cloud's console. `null`: there is no such resource. */
  atConsole(method: string, resourceId: string, what?: string, json?: unknown): Promise<ShownResource | null>;
  end(): Promise<void>;
}

/** A resource as the console shows it. */
export interface ShownResource {
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Waits for everything that was given to Node's threads before, such as signatures. A busy machine must not make time pass. */
async function threadsAreFree(): Promise<void> {
  await Promise.all(Array.from({ length: 16 }, () => stat(import.meta.dirname)));
}

const month = 2_592_000;

/** Starts it with one initialized environment. With rules, all that the server does is held against them. */
export async function startPeopleWorld(rulesOf?: RulesOf): Promise<PeopleWorld> {
  const runtime = fakeRuntime({ now: Date.now() });
  const traces: Trace[] = [];
  const cloud = simulatedCloud({
    provider: "provider-a",
    store: memoryStore({ now: runtime.clock.now }),
    runtime,
    onChange: (change) => traces[0]?.onChange(change),
  });
  const console = simulatedConsole(cloud);
  if (rulesOf !== undefined) traces.push(traceOf(rulesOf, cloud));
  const [trace = null] = traces;
  const store = memoryStore({ now: runtime.clock.now });
  const world = await identityWorld(
    { openRegistration: true, accessTokenSeconds: month * 100, checkSeconds: 10 },
    undefined,
    {
      ...{ runtime, sealer: fakeSealer(), store: trace?.store(store) ?? store },
      clouds: { adapters: [trace?.cloud(cloud) ?? cloud], deviceAuthorizers: { "provider-a": cloud.devices } },
      scheduler: intervalScheduler({ runtime }),
    },
  );
  const { account, tokens } = await world.person("ada");
  const operator = await world.operator();
  await world.liveplane.start();
  const server = createServer({ liveplane: world.liveplane, consoles: [console], rateLimits: "off" });
  const baseUrl = await server.listen(0);
  const api = createClient({ baseUrl, token: tokens.accessToken });
  const environmentId = { type: "Personal", ownerId: account.id, shortName: "dev" } as const;

  async function answer<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    for (let turns = 0; !isDone; turns++) {
      await new Promise((resolve) => (turns < 200 ? setImmediate(resolve) : setTimeout(resolve, 5)));
      if (turns > 200) await threadsAreFree();
      if (turns > 400) await runtime.advance(50);
    }
    await runtime.settle();
    return work;
  }

  await answer(api.environments.create(environmentId, {}));
  const placement = { subscriptionId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" };
  const secret = { providerAClientId: "client", providerAClientSecret: "secret" };
  await answer(api.environments.providerA.initialize(environmentId, placement, secret));
  await runtime.advance(60_000);

  return {
    api,
    environmentId,
    now: runtime.clock.now,
    get broken() {
      return trace?.broken ?? null;
    },
    answer,
    pass: (ms) => runtime.advance(ms),
    async atConsole(method, resourceId, what = "", json) {
      const headers = { authorization: `Bearer ${operator.tokens.accessToken}`, "content-type": "application/json" };
      const address = `${baseUrl}/simulator/provider-a/resources/${encodeURIComponent(resourceId)}${what}`;
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const response = await answer(fetch(address, { method, headers, ...body }));
      if (response.status === 404) return null;
      if (response.status !== 200) throw new RangeError(`The console answered ${response.status}.`);
      return (await response.json()) as ShownResource;
    },
    async end() {
      await server.close();
      await world.liveplane.stop();
    },
  };
}
