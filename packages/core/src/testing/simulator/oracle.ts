import type { Json } from "../../ports/store.ts";
import type { SimulatedPlace } from "./places.ts";

type Values = Readonly<Record<string, Json>>;
type Tags = Readonly<Record<string, string>>;

/** The top-level parameters that differ, by the plainest comparison there is. Those that refer to outputs are left out. */
export function differing(
  declared: Values,
  actual: { readonly tags: Tags; readonly parameters: Values },
  tagParameter: string,
): string[] {
  return Object.keys(declared).filter((name) => {
    if (hasReference(declared[name])) return false;
    return differs(declared[name], name === tagParameter ? actual.tags : actual.parameters[name]);
  });
}

/** Whether a declared value refers to another component's output. */
export function hasReference(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes('"$output"');
}

/** What is declared must be there; what isn't declared is nobody's business. */
export function differs(declared: Json | undefined, actual: Json | undefined): boolean {
  if (typeof declared !== "object" || declared === null || Array.isArray(declared))
    return JSON.stringify(declared) !== JSON.stringify(actual);
  return Object.entries(declared).some(([name, value]) => differs(value, (actual as Values | undefined)?.[name]));
}

/** Whether the management tag is on. */
export function oracleSaysManaged(tags: Tags, place: SimulatedPlace): boolean {
  return carries(tags, "managed-by", "platform", place);
}

/** Whether the reconcile tag is on. */
export function isAsked(tags: Tags, place: SimulatedPlace): boolean {
  return carries(tags, "platform", "reconcile", place);
}

function carries(
  tags: Tags,
  key: string,
  value: string,
  { capabilities: { caselessTagKeys } }: SimulatedPlace,
): boolean {
  return Object.entries(tags).some(
    ([own, has]) => (caselessTagKeys ? own.toLowerCase() === key : own === key) && has === value,
  );
}
