import { isObject, type JsonObject } from "@liveplane/core/clouds";
import type { MemberType, MemberTypes } from "../../tables/described-api.ts";
import type { DoubleSlowness } from "../azure/azure-double.ts";
import { descriptionOf, type Vendor } from "../descriptions/descriptions.ts";
import { type Draw, drawFrom } from "../descriptions/drawn-bodies.ts";
import { isEmpty, type Json } from "./forms.ts";

/** How a service misbehaves beside what is documented of a type, by seed. */
export interface Mischief {
  readonly slowness: DoubleSlowness | null;
  readonly lateReads: number;
  /** Whether AWS refuses the next call, because there are too many. @default never */
  readonly throttles?: () => boolean;
  /** What the vendor's description says of its answers, done to a body. */
  readonly done: (body: JsonObject) => JsonObject;
}

/** Draws how a service behaves: what it fills in, leaves out and spells otherwise, and how its writes take their time. */
export function mischiefOf(seed: number, vendor: Vendor, answer: string): Mischief {
  const draw = drawFrom(seed);
  const takesMs = draw(3) * 20_000;
  const tells = (["state", "result", "resource"] as const)[draw(3)] ?? "state";
  const habits: Habits = {
    vendor,
    seed,
    leavesOutEmpty: draw(2) === 0,
    spacesPlaces: draw(2) === 0,
    lowersIds: draw(2) === 0,
    fillsIn: draw(4),
  };
  return {
    slowness: takesMs === 0 ? null : { takesMs, tells, retryAfterSeconds: 1 + draw(30) },
    lateReads: draw(3),
    done: (body) => habitual(body, `#${answer}`, "", habits) as JsonObject,
  };
}

/** A service that only takes its time, and shows its resources late. */
export function slowBy(seed: number): Mischief {
  const draw = drawFrom(seed);
  const takesMs = draw(3) * 20_000;
  return { slowness: takesMs === 0 ? null : { takesMs }, lateReads: draw(3), done: (body) => body };
}

interface Habits {
  readonly vendor: Vendor;
  readonly seed: number;
  readonly leavesOutEmpty: boolean;
  readonly spacesPlaces: boolean;
  readonly lowersIds: boolean;
  /** Of four members that weren't sent, so many show something. */
  readonly fillsIn: number;
}

function habitual(value: Json, type: MemberType, pointer: string, habits: Habits): Json {
  const bare = typeof type === "string" ? type.replace(/[!\-=*]+$/, "") : type;
  if (Array.isArray(value)) {
    const items = typeof bare === "string" && bare.startsWith("[]") ? bare.slice(2) : "any";
    return value.map((item) => habitual(item, items, `${pointer}/*`, habits));
  }
  if (!isObject(value)) return spelled(value, pointer, habits);
  if (bare === "any") return value;
  if (typeof bare === "string" && bare.startsWith("{}")) return value;
  const members = typeof bare === "string" ? schemaOf(habits.vendor, bare) : bare;
  const shown = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const own = habitual(member as Json, members[name] ?? "any", `${pointer}/${name}`, habits);
    return habits.leavesOutEmpty && isLeftOut(own, habits.vendor) ? [] : [[name, own]];
  });
  return { ...filledIn(members, value, pointer, habits), ...Object.fromEntries(shown) };
}

/** Google's services leave out what has the default value of its type; Azure's leave out lists and texts that are empty. */
function isLeftOut(value: Json, vendor: Vendor): boolean {
  if (isObject(value) || value === null) return false;
  return vendor === "google" ? isEmpty(value) : isEmpty(value) && value !== false && value !== 0;
}

/** Members that weren't sent, also of the items of lists: nothing, or what such a member begins as. */
function filledIn(members: MemberTypes, value: JsonObject, pointer: string, habits: Habits): JsonObject {
  const filled: Record<string, Json> = {};
  if (habits.fillsIn === 0 || pointer === "") return filled;
  for (const [name, type] of Object.entries(members)) {
    if (name === "*" || typeof type !== "string" || value[name] !== undefined || name === "tags") continue;
    const draw = drawAt(`${pointer}/${name}`, habits.seed);
    const own = /\*/.test(type) || draw(8) >= habits.fillsIn ? undefined : initial(type, habits.vendor, draw);
    if (own !== undefined) filled[name] = own;
  }
  return filled;
}

/** What a member shows to which nothing was sent; `undefined`: it isn't shown. */
function initial(type: string, vendor: Vendor, draw: Draw): Json | undefined {
  const bare = type.replace(/[!\-=*]+$/, "");
  if (vendor === "azure" && draw(2) === 0) return null;
  if (bare.startsWith("[]")) return [];
  if (bare === "boolean") return false;
  return /-/.test(type.slice(bare.length)) && bare === "string" ? "of the service" : undefined;
}

function spelled(value: Json, pointer: string, { vendor, spacesPlaces, lowersIds }: Habits): Json {
  if (vendor !== "azure" || typeof value !== "string") return value;
  if (spacesPlaces && /^\/(location|locationName)$/.test(pointer) && value === "westeurope") return "West Europe";
  return lowersIds ? value.replace(/^(\/subscriptions\/[^/]+)\/resourceGroups\//, "$1/resourcegroups/") : value;
}

function schemaOf(vendor: Vendor, name: string): MemberTypes {
  return descriptionOf(vendor).schemas[name.slice(1)] ?? {};
}

function drawAt(text: string, seed: number): Draw {
  let sum = seed;
  for (const char of text) sum = (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) | 0;
  const draw = drawFrom(sum);
  draw(2);
  return draw;
}
