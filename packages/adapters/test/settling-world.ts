import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Cloud, type JsonObject, withValuesAt } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import type { AdoptionPlan } from "../../core/src/contract/schemas/override-schemas.ts";
import { environmentId, overrideWorld } from "../../core/test/builders/override.ts";
import { azureDouble } from "./azure/azure-double.ts";
import { departures } from "./descriptions/departures.ts";
import { goodToken, googleDouble, pathOf } from "./google/google-double.ts";
import { fetchFrom } from "./simulator/in-process.ts";

type Json = JsonObject[string];

/** What a service makes of what it is sent, by pointer; `undefined`: it shows nothing there. Applied twice it MUST change nothing more. */
export type Forms = Readonly<Record<string, (value: Json) => Json | undefined>>;

/** A declaration, and what its service makes of it. */
interface Deployed {
  readonly type: string;
  readonly parameters: JsonObject;
  readonly resourceId?: string;
  /** The environment's secrets. @default none */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly forms: Forms;
}

/** The same, with an edit. */
export interface Settling extends Deployed {
  /** What a person changes by hand, and what it must be again. */
  readonly byHand: { readonly pointer: string; readonly value: Json; readonly settled: Json };
}

/** A body in the words of its service. */
function inForms(body: JsonObject, forms: Forms): JsonObject {
  const changes = Object.entries(forms).flatMap(([pointer, form]) => {
    const value = memberAt(body, pointer);
    return value === undefined ? [] : [{ pointer, value: form(value) ?? null }];
  });
  return withValuesAt(body, changes);
}

/** What stands at a pointer whose steps need no escapes. */
function memberAt(body: unknown, pointer: string): Json | undefined {
  let at = body;
  for (const step of pointer.split("/").slice(1)) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
  return at as Json | undefined;
}

/** A service behind its real adapter. */
interface Place {
  readonly provider: "provider-a" | "provider-b";
  readonly cloud: Cloud;
  /** The changes of resources, whoever made them. */
  readonly writes: () => number;
  readonly body: (resourceId: string) => JsonObject;
  readonly edit: (resourceId: string, change: { readonly pointer: string; readonly value: Json }) => void;
  readonly judged: ReturnType<typeof departures>;
}

function azurePlace({ forms }: Deployed, now: () => number, takesMs: number): Place {
  const judged = departures();
  let writes = 0;
  const azure = azureDouble({
    judged,
    now,
    ...(takesMs > 0 && { slownessOf: () => ({ takesMs }) }),
    rewrites: ({ body }) => inForms(body as JsonObject, forms) as Record<string, unknown>,
  });
  azure.state.arriving = ({ method, url }) => {
    if (/^(PUT|PATCH)$/.test(method) && !url.includes("/tags/default")) writes++;
  };
  const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: 0 }) };
  const bodyOf = (id: string) => (azure.get(id)?.body ?? {}) as JsonObject;
  return {
    provider: "provider-a",
    cloud: azureCloud({ fetch: azure.fetch, credential, now }),
    writes: () => writes,
    body: bodyOf,
    edit: (id, change) => azure.patch(id, withValuesAt(bodyOf(id), [change]) as Record<string, unknown>),
    judged,
  };
}

function googlePlace({ type, forms }: Deployed, now: () => number, takesMs: number): Place {
  const judged = departures();
  const google = googleDouble({
    judged,
    now,
    ...(takesMs > 0 && { slownessOf: () => ({ takesMs }) }),
    rewrites: ({ body }) => inForms(body as JsonObject, forms) as Record<string, unknown>,
  });
  const authClient = { getAccessToken: async () => ({ token: goodToken }) };
  const urlOf = (service: string) => `https://google.invalid/${service}`;
  const isWrite = (line: string) => /^(POST|PUT|PATCH) /.test(line) && !/setLabels|entries:list|:batch/.test(line);
  return {
    provider: "provider-b",
    cloud: googleCloud({ fetch: fetchFrom(google.answer), urlOf, authClient, now }),
    writes: () => google.seen.filter(isWrite).length,
    body: (id) => (google.resourceAt(pathOf(type, id))?.body ?? {}) as JsonObject,
    edit: (id, change) =>
      google.byHand(pathOf(type, id), (body) => withValuesAt(body as JsonObject, [change]) as Record<string, unknown>),
    judged,
  };
}

/** Deploys a declaration through the real adapter, and sweeps ten times. */
export async function settled(what: Deployed, takesMs = 0) {
  const runtime = fakeRuntime();
  const placeOf = what.type.startsWith("Microsoft.") ? azurePlace : googlePlace;
  const place = placeOf(what, runtime.clock.now, takesMs);
  const world = overrideWorld({ runtime, follows: false, clouds: () => [place.cloud] });
  const { type, parameters, resourceId: given } = what;
  const components = [{ path: "app", provider: place.provider, type, parameters, ...(given && { resourceId: given }) }];
  for (const [name, value] of Object.entries(what.secrets ?? {})) world.secrets.set(name, value);
  const asked = (await world.create({ name: "shop", environmentId, components } as never)) as Asked;
  let isOver = false;
  const running = world.override.mutations.advance(asked.livesystemId).finally(() => {
    isOver = true;
  });
  for (let steps = 0; !isOver && steps < 1000; steps++) await runtime.advance(5_000);
  await running;
  const mutation = (await world.mutation(asked as never)) as { status: string; components: readonly Known[] };
  const { id = "", resourceId = "" } = mutation.components[0] ?? {};
  const sweep = async (times: number) => {
    for (let at = 0; at < times; at++) {
      await runtime.advance(180_000);
      await world.cycle();
    }
  };
  await sweep(10);
  return {
    ...place,
    mutation,
    sweep,
    secrets: world.secrets,
    plan: async () => {
      const params = { id: asked.livesystemId, componentId: id };
      return (await world.call("liveSystems.components.adoptionPlan", { params })) as AdoptionPlan;
    },
    component: () => world.component(id),
    events: async () => (await world.events()).map(({ type: kind }: { type: string }) => kind),
    shown: (pointer: string) => memberAt(place.body(resourceId), pointer),
    editByHand: (change: { readonly pointer: string; readonly value: Json }) => place.edit(resourceId, change),
  };
}

interface Asked {
  readonly livesystemId: string;
}

interface Known {
  readonly id: string;
  readonly resourceId: string;
}
