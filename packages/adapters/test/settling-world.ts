import { type JsonObject, withValuesAt } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import type { AdoptionPlan } from "../../core/src/contract/schemas/override-schemas.ts";
import { environmentId, overrideWorld } from "../../core/test/builders/override.ts";
import { type Json, memberAt } from "./realistic/forms.ts";
import { placeOf } from "./realistic/places.ts";

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

/** Deploys a declaration through the real adapter, and sweeps ten times. */
export async function settled(what: Deployed, takesMs = 0) {
  const runtime = fakeRuntime();
  const place = placeOf({
    type: what.type,
    now: runtime.clock.now,
    rewrites: (body) => inForms(body, what.forms),
    ...(takesMs > 0 && { slowness: { takesMs } }),
  });
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
