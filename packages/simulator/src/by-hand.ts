import type { Json } from "@liveplane/core/store";
import { pathsOf, zonesOf } from "./declared.ts";
import { allHabits, rewordedTo, wordedParameter } from "./habits.ts";
import { referencesOf } from "./judge/comparison.ts";
import type { StoredComponent } from "./judge/facts.ts";
import type { Hand, SimulatedPlace } from "./places.ts";
import type { Deed } from "./plan.ts";
import type { Whereabouts } from "./watch.ts";
import type { SimulatedWorld } from "./world.ts";

/** A component by its first path, whichever it has now; the declared one takes precedence. */
export function componentCalled({ watch, liveSystemId }: SimulatedWorld, name: string): StoredComponent | null {
  const there = pathsOf(name).flatMap((path) => watch.component(`${liveSystemId}/${path}`) ?? []);
  const { declarations } = watch.judge.evidence;
  const declared = there.find(({ path }) => declarations.newest(liveSystemId ?? "", path) !== null);
  return declared ?? there[0] ?? null;
}

/** Where a component's resource is, or was last. */
export function whereabouts(world: SimulatedWorld, name: string): Omit<Whereabouts, "order"> | null {
  const { resources } = world.watch;
  const component = componentCalled(world, name);
  // Another live system that is still being deleted may have the same path.
  const resourceId = component?.resource.id ?? null;
  if (component !== null && resourceId !== null)
    return { provider: component.provider, type: component.type, resourceId };
  const own = resources.get(component?.path ?? "");
  if (own !== undefined) return own;
  const known = pathsOf(name).flatMap((path) => resources.get(path) ?? []);
  return known.sort((a, b) => a.order - b.order).at(-1) ?? null;
}

/** What a person can do to a resource. */
export type Handiwork = Extract<
  Deed,
  { readonly kind: "tag" | "hand-back" | "edit" | "reword" | "restore" | "remove" | "recreate" }
>;

/** What a person does to a resource in the cloud's own console. */
export async function byHand(world: SimulatedWorld, deed: Handiwork): Promise<void> {
  const known = whereabouts(world, deed.component);
  const place = world.places.find(({ provider }) => provider === known?.provider);
  if (known === null || place === undefined) return;
  const component = componentCalled(world, deed.component);
  const { resourceId, type } = known;
  const there = await place.hand.get(resourceId);
  if (deed.kind === "recreate") {
    if (there === null) await recreate(world, place, { resourceId, type, component, tags: deed.tags });
  } else if (there !== null) await edit(world, place, deed, { resourceId, type, ...there, component });
}

interface Found {
  readonly resourceId: string;
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly component: StoredComponent | null;
}

async function edit(
  world: SimulatedWorld,
  { hand, capabilities, types }: SimulatedPlace,
  deed: Handiwork,
  { resourceId, type, tags, parameters: shown, component }: Found,
) {
  const isTaggable = type !== types.rule;
  switch (deed.kind) {
    case "tag":
      return isTaggable && isSpellable(deed, capabilities)
        ? setTags(hand, resourceId, tags, { [deed.key]: deed.value })
        : null;
    case "hand-back": {
      const both = { "managed-by": "platform", platform: "reconcile" };
      return isTaggable ? setTags(hand, resourceId, tags, both) : null;
    }
    case "edit":
      if (deed.parameter === "team" || deed.parameter === "former")
        return isTaggable ? setTags(hand, resourceId, tags, { [deed.parameter]: `t${deed.value}` }) : null;
      return hand.patchParameters(resourceId, { [deed.parameter]: editedTo(deed.parameter, deed.value, shown) });
    case "reword": {
      const change = reworded(shown, deed);
      return change && hand.patchParameters(resourceId, change);
    }
    case "restore": {
      const parameters = plainParameters(world, component, capabilities.tagParameter);
      return hand.patchParameters(resourceId, parameters);
    }
    case "remove":
      return hand.delete(resourceId);
    default:
      return null;
  }
}

/** Whether a cloud accepts the spelling of a tag. Where case counts in keys, only lower case is allowed. */
function isSpellable(
  { key, value }: Deed & { kind: "tag" },
  { caselessTagKeys }: SimulatedPlace["capabilities"],
): boolean {
  const text = `${key}${value ?? ""}`;
  return caselessTagKeys || text === text.toLowerCase();
}

/** The next form of one of the cloud's worded places; `null` if none. */
function reworded(shown: Found["parameters"], deed: Deed & { kind: "reword" }): Record<string, Json> | null {
  const config = (shown[wordedParameter] ?? {}) as Readonly<Record<string, Json>>;
  const members = allHabits.filter((habit) => Object.hasOwn(config, habit));
  const member = deed.member ?? members[deed.value % members.length];
  const change = member === undefined ? null : rewordedTo(member, config, deed);
  return change && { [wordedParameter]: change };
}

/** What a person changes a parameter to. A nested one is merged; a list gets another length. */
function editedTo(parameter: string, value: number, shown: Found["parameters"]): Json {
  if (parameter === "rules") return editedItems(shown.rules, value);
  if (parameter === "mode") return { level: value };
  if (parameter === "zones") return zonesOf(value);
  return parameter === "password" ? `by-hand-${value}` : value;
}

/** What a person makes of a list: a second item of a name before or behind the others, another order, one item less or changed, or a new name. */
function editedItems(shown: Json | undefined, value: number): Json {
  const items = Array.isArray(shown) ? shown : [];
  const [first = null, ...others] = items;
  const named = (name: string | undefined) => ({ name: name ?? "", size: 7 });
  const second = named(["one", "two", "three"][value % 3]);
  const ways = [
    [second, ...items],
    [...items, second],
    [...items].reverse(),
    others,
    [...items, named("four")],
    [...others, { ...(first as object), size: 8 }],
  ];
  return ways[Math.floor(value / 3) % ways.length] ?? items;
}

/** Sets some tags and removes those that are `null`, however their keys are spelled; other tags stay. */
export async function setTags(
  hand: Hand,
  resourceId: string,
  tags: Readonly<Record<string, string>>,
  edits: Readonly<Record<string, string | null>>,
): Promise<unknown> {
  const names = new Set(Object.keys(edits).map((key) => key.toLowerCase()));
  const kept = Object.entries(tags).filter(([key]) => !names.has(key.toLowerCase()));
  const set = Object.entries(edits).filter((edit): edit is [string, string] => edit[1] !== null);
  return hand.putTags(resourceId, Object.fromEntries([...kept, ...set]));
}

/** Recreates a resource from memory: without tags, with one, or with both. */
async function recreate(
  world: SimulatedWorld,
  { hand, capabilities, types, location }: SimulatedPlace,
  made: { resourceId: string; type: string; component: StoredComponent | null; tags: number },
): Promise<void> {
  const { resourceId, type, component } = made;
  const managed = made.tags > 0 ? { "managed-by": "platform" } : {};
  const asked = made.tags > 1 ? { platform: "reconcile" } : {};
  const tags = type === types.rule ? {} : { ...managed, ...asked };
  const parameters = { location, ...plainParameters(world, component, capabilities.tagParameter) };
  await hand.put(resourceId, { type, tags, parameters });
}

/** The declared parameters of a component without references. */
function plainParameters(
  { watch }: SimulatedWorld,
  component: StoredComponent | null,
  tagParameter: string,
): Record<string, Json> {
  const declared = component && watch.judge.evidence.declarations.last(component.liveSystemId, component.path);
  const values = Object.entries(declared?.parameters ?? {});
  return Object.fromEntries(
    values.filter(([name, value]) => name !== tagParameter && referencesOf(value).length === 0),
  );
}
