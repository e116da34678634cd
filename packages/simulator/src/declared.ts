import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { simulatedEnvironment } from "./environments.ts";
import { declaredBy, wordedParameter } from "./habits.ts";
import type { SimulatedPlace } from "./places.ts";
import type { Variant, WorldFacts } from "./plan.ts";
import type { SimulatedWorld } from "./world.ts";

/** The name of the live system whose components the deeds name. */
export const simulatedName = "simulated";

/** A list with this many items. */
export function zonesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `zone-${at + 1}`);
}

/** A list of items with names. */
function itemsOf(size: number, count: number): { name: string; size: number }[] {
  return ["one", "two", "three"].slice(0, count).map((name, at) => ({ name, size: size + at }));
}

/** The two paths that a component may have, by the first of them. */
export function pathsOf(component: string): readonly [string, string] {
  return [component, `${component.replace(/\/./, (first) => first.toUpperCase())}-2`];
}

/** The declaration of a variant: in each cloud a network, an app that refers to it, and a rule that can't have tags. */
export function simulatedDefinition(
  { places, plan }: Pick<SimulatedWorld, "places" | "plan">,
  variant: Variant,
): LiveSystemDefinition {
  const { declared, size, level, retained, ignored, unconditional } = variant;
  const isDeclared = (component: string) => component.endsWith("net") || declared.includes(component);
  const components = places.flatMap((place, at) => {
    const {
      provider,
      types,
      location,
      capabilities: { tagParameter },
    } = place;
    const prefix = at === 0 ? "a" : "b";
    const kept = retained && { deletionPolicy: "Retain" as const };
    const own = { provider, ...kept, ...(unconditional && { unconditionalWrites: true }) };
    const net = calledIn(variant, `${prefix}/net`).path;
    const peer = at > 0 && isDeclared("a/app") ? { peer: { $output: `${calledIn(variant, "a/app").path}#id` } } : {};
    const owner = plan.world.twins && variant.otherOwner ? `${prefix}/twin-net` : net;
    const governed = types.rule === null ? {} : { overrideWith: owner };
    // A tag that must not be there.
    const former = plan.world.extras && { former: null };
    const needing = (component: string) =>
      isDeclared(component) ? { dependsOn: [calledIn(variant, component).path] } : {};
    const network = {
      type: types.net,
      parameters: { location, size, mode: { level, name: "fast" }, [tagParameter]: { team: `t${level}`, ...former } },
      ...(ignored && { ignoreChanges: ["/mode/level"] }),
    };
    const app = appIn(place, { world: plan.world, variant, cloud: at, net });
    const twins = plan.world.twins ? [{ component: `${prefix}/twin-net`, ...network }] : [];
    return [
      {
        component: `${prefix}/net`,
        ...network,
        ...(plan.world.order === "owners-last" && needing(`${prefix}/rule`)),
      },
      ...twins,
      ...(variant.twins === "chain" ? twins.map((twin) => ({ ...twin, component: `${prefix}/third-net` })) : []),
      {
        component: `${prefix}/app`,
        ...app,
        parameters: { ...app.parameters, ...peer },
        ...(plan.world.governsApps && { overrideWith: owner }),
      },
      {
        component: `${prefix}/rule`,
        type: types.rule ?? types.app,
        parameters: { size, level },
        ...governed,
        ...(plan.world.order === "members-last" && needing(`${prefix}/app`)),
      },
    ].flatMap(({ component, ...rest }) =>
      isDeclared(component)
        ? [{ ...own, ...calledIn(variant, component), ...rest, ...mutedIn(rest.parameters, plan.world.muted) }]
        : [],
    );
  });
  return { name: simulatedName, environmentId: simulatedEnvironment, components } as LiveSystemDefinition;
}

/** How many items with names are declared. Where others may add some, not all of them in each variant. */
function itemsIn({ items, extras = [] }: WorldFacts, { level }: Variant): number {
  if (items !== true) return 0;
  return extras.includes("/rules") ? 1 + (level % 3) : 3;
}

/** Where an app is declared. */
interface AppIn {
  readonly world: WorldFacts;
  readonly variant: Variant;
  readonly cloud: number;
  /** The path of its network. */
  readonly net: string;
}

/** An app that refers to a network. */
function appIn({ types, words, takesItems }: SimulatedPlace, { world, variant, cloud, net }: AppIn) {
  const { habits = [], hidesPassword = false } = world.clouds[cloud] ?? {};
  const items = takesItems ? itemsIn(world, variant) : 0;
  const parameters = ofApp(variant, { net, habits: words ? habits : [], items });
  const extras = (world.extras ?? []).filter((pointer) => Object.hasOwn(parameters, pointer.slice(1)));
  const left = [
    "/scale",
    ...(world.ignoresReference ? ["/of"] : []),
    ...(items > 0 ? ["/rules/name=two"] : []),
    ...(variant.plain || hidesPassword ? ["/password"] : []),
  ];
  return {
    type: types.app,
    parameters,
    ...(extras.length > 0 && { allowExtraItems: extras }),
    ...(variant.ignored && { ignoreChanges: left }),
  };
}

/** What the parameters of an app go by, besides the variant. */
interface AppParts extends Pick<AppIn, "net"> {
  readonly habits: Parameters<typeof declaredBy>[0];
  readonly items: number;
}

function ofApp({ size, level, plain }: Variant, { net, habits, items }: AppParts) {
  // The secret is beside what differs, so showing the whole parameter as drift would reveal it.
  const worded = { ...declaredBy(habits, level), phrase: { $secret: "password" } };
  return {
    size,
    level,
    net: { $output: `${net}#id` },
    of: { $output: `${net}#size` },
    zones: zonesOf(size),
    scale: level,
    ...(items > 0 && { rules: itemsOf(size, items) }),
    password: plain ? `open-${level}` : { $secret: "password" },
    ...(habits.length > 0 && { [wordedParameter]: worded }),
  };
}

/** What is muted of a component's parameters. */
function mutedIn(parameters: object, muted: WorldFacts["muted"]): { muteDrift?: string[] } {
  const own = muted?.filter((name) => Object.hasOwn(parameters, name)) ?? [];
  return own.length === 0 ? {} : { muteDrift: own };
}

/** The path of a component in a variant, and its declared former path. */
function calledIn(
  { renamed, unsaid, twins }: Variant,
  component: string,
): { readonly path: string; readonly movedFrom?: string } {
  const cameFrom = twins && pathsTaken[twins][component.split("/")[1] ?? ""];
  if (cameFrom !== undefined) return { path: component, movedFrom: component.replace(/[^/]+$/, cameFrom) };
  const [first, second] = pathsOf(component);
  const [path, movedFrom] = renamed?.includes(component) ? [second, first] : [first, second];
  return { path, ...(renamed !== undefined && !unsaid && { movedFrom }) };
}

/** Whose path each network has had until now. */
const pathsTaken: Readonly<Record<NonNullable<Variant["twins"]>, Readonly<Record<string, string>>>> = {
  swap: { net: "twin-net", "twin-net": "net" },
  chain: { "twin-net": "net", "third-net": "twin-net" },
};
