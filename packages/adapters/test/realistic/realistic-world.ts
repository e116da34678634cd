import type { JsonObject } from "@liveplane/core/clouds";
import { fakeRuntime } from "@liveplane/core/testing";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };
import { descriptionOf, type Vendor } from "../descriptions/descriptions.ts";
import type { Declaration } from "./declarations.ts";
import { type FormWords, inForms, type Json, memberAt, withDefaults } from "./forms.ts";
import { type Mischief, mischiefOf, slowBy } from "./mischief.ts";
import { placeOf } from "./places.ts";

/** A deploy or a deletion, once it is over. */
interface Carried {
  readonly livesystemId: string;
  readonly status: string;
  readonly error: { readonly detail: string } | null;
  readonly components: readonly { readonly id: string; readonly resourceId: string }[];
}

/** As much of a component as says whether it has come to rest. */
interface Shown {
  readonly status: string;
  readonly fingerprint: string | null;
  readonly conditions: {
    readonly inSync: {
      readonly value: boolean | null;
      readonly reason: string | null;
      readonly message: string | null;
    };
  };
}

/** How the service of a declaration misbehaves under a seed. */
export function mischiefFor({ type }: Declaration, seed: number): Mischief {
  if (isAws(type)) return slowBy(seed);
  const vendor = vendorOf(type);
  return mischiefOf(seed, vendor, answerOf(vendor, type));
}

/** Deploys a declaration through the real adapter to the double of its service. */
export async function deployed(declaration: Declaration, { slowness, lateReads, throttles, done }: Mischief) {
  const { type, declared, name, at, adds = {} } = declaration;
  let forms: FormWords = declaration.forms ?? {};
  const runtime = fakeRuntime();
  const place = placeOf({
    type,
    now: runtime.clock.now,
    rewrites: (body) => done(withDefaults(inForms(body, forms), adds)),
    lateReads,
    ...(throttles && { throttles }),
    ...(slowness && { slowness }),
  });
  const { provider, cloud } = place;
  const world = overrideWorld({ runtime, follows: false, clouds: () => [cloud] });
  const { taggable, boundBy } = cloud.resourceType(type);
  const unconditionalWrites = boundBy?.properties === "none";
  const holder = { path: "holder", provider, resourceName: "holder", ...holderOf(type) };
  const definition = (parameters: JsonObject) => {
    const placed = { ...(at && { resourceId: at }), ...(name && { resourceName: name }) };
    const own = { path: "app", provider, type, parameters, unconditionalWrites, ...placed };
    const components = taggable ? [own] : [holder, { ...own, overrideWith: "holder" }];
    return { name: "shop", environmentId, components } as never;
  };
  const carriedOut = async (asked: Promise<unknown>): Promise<Carried> => {
    const begun = (await asked) as Carried;
    let isOver = false;
    const running = world.override.mutations.advance(begun.livesystemId).finally(() => {
      isOver = true;
    });
    for (let steps = 0; !isOver && steps < 1000; steps++) await runtime.advance(5_000);
    await running;
    return (await world.mutation(begun as never)) as unknown as Carried;
  };
  const made = await carriedOut(world.create(definition(declared)));
  const [own, carrier] = ["app", "holder"].map((path) => made.components.find(({ id }) => id.endsWith(path)));
  const { id = "", resourceId = "" } = own ?? {};
  const tagged = carrier === undefined ? { type, resourceId } : { type: holder.type, resourceId: carrier.resourceId };
  const component = async () => (await world.component(id)) as unknown as Shown;
  return {
    ...place,
    made,
    component,
    taggable,
    /** What is there, at a place or as a whole; `undefined`: nothing. */
    shown: (pointer: string) => memberAt(place.body(resourceId) ?? undefined, pointer),
    editByHand: (pointer: string, value: Json) => place.edit(resourceId, { pointer, value }),
    setTags: (tags: Readonly<Record<string, string>>) => place.setTags(tagged, tags),
    /** From here on the service has other words. */
    reform(next: FormWords) {
      forms = { ...forms, ...next };
    },
    async sweep(times: number) {
      for (let nth = 0; nth < times; nth++) {
        await runtime.advance(180_000);
        await world.cycle();
      }
    },
    deploy: (parameters: JsonObject) => carriedOut(world.deploy(made.livesystemId, definition(parameters))),
    remove: () => carriedOut(world.remove(made.livesystemId)),
    told: async (kind: string) => (await world.events()).some(({ type: one }) => one === kind),
    async accept(pointers: readonly string[]) {
      const params = { id: made.livesystemId, componentId: id };
      const { fingerprint } = await component();
      await world.call("liveSystems.components.acceptSettled", { params, body: { pointers, fingerprint } });
    },
  };
}

function isAws(type: string): boolean {
  return type.startsWith("AWS::");
}

function vendorOf(type: string): Vendor {
  return type.startsWith("Microsoft.") ? "azure" : "google";
}

/** What carries the tags for parts that have none. */
function holderOf(type: string) {
  if (isAws(type)) return { type: "AWS::Logs::LogGroup", parameters: {} };
  return vendorOf(type) === "azure"
    ? { type: "Microsoft.ManagedIdentity/userAssignedIdentities", parameters: { location: "westeurope" } }
    : { type: "pubsub.v1.topic", parameters: {} };
}

const azurePaths = azureTables as unknown as Readonly<Record<string, { readonly path: string }>>;
const googlePaths = googleTables as unknown as Readonly<Record<string, { readonly paths: readonly string[] }>>;

/** The schema of what the vendor answers for a type. */
function answerOf(vendor: Vendor, type: string): string {
  if (type.endsWith("IamBinding")) return "iam.Binding";
  const path = vendor === "azure" ? azurePaths[type]?.path : googlePaths[type.replace(/\.v\d+\w*\./, ".")]?.paths[0];
  const get = descriptionOf(vendor)
    .at(path?.replaceAll(/\{[^}]*\}/g, "x") ?? "")
    .find(({ method }) => method === "GET");
  return String(get?.answers["200"]).slice(1);
}
