import { isObject, type JsonObject } from "@liveplane/core/clouds";
import type { AwsKind } from "../../src/aws/aws-kinds.ts";
import kinds from "../../tables/aws.json" with { type: "json" };
import defaults from "../../tables/aws-defaults.json" with { type: "json" };
import schemas from "../../tables/aws-schemas.json" with { type: "json" };
import { type MemberTypes, marks } from "../../tables/described-api.ts";

type Json = JsonObject[string];

/** AWS's description of its types. */
export const awsKinds = kinds as Readonly<Record<string, AwsKind>>;

/** What AWS sets where nothing is declared, by type. */
export const awsDefaults = defaults as Readonly<Record<string, JsonObject>>;

/** All types that carry tags. */
export const taggableTypes: readonly string[] = Object.keys(awsKinds).filter((type) => awsKinds[type]?.tags);

const all = schemas as Readonly<Record<string, MemberTypes>>;

/** The members of a type. */
export function membersOf(
  type: string,
): readonly { readonly name: string; readonly type: string; readonly marks: string }[] {
  return Object.entries(all[type] ?? {}).map(([name, written]) => {
    const [, plain = "", own = ""] = /^(.*?)([!\-=*]*)$/.exec(String(written)) ?? [];
    return { name, type: plain, marks: own };
  });
}

/** A resource that has everything its type requires, and nothing else. */
export function plausible(type: string): JsonObject {
  const tags = awsKinds[type]?.tags?.at;
  return Object.fromEntries(
    membersOf(type)
      .filter(({ name, marks: own }) => own.includes(marks.required) && name !== tags)
      .map((member) => [member.name, valueFor(member.type, 0)]),
  );
}

const deepest = 8;

/** A value of a type, with what is required in it. */
export function valueFor(type: string, depth = 0): Json {
  if (type.startsWith("[]")) return [valueFor(type.slice(2), depth)];
  if (type.startsWith("{}")) return { one: valueFor(type.slice(2), depth) };
  if (type === "string") return "a-text";
  if (type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "tag") return { Key: "a-key", Value: "a-value" };
  if (!type.startsWith("#") || depth > deepest) return {};
  const members = Object.entries(all[type.slice(1)] ?? {});
  return Object.fromEntries(
    members.map(([name, own]) => [name, valueFor(String(own).replace(/[!\-=*]+$/, ""), depth + 1)]),
  );
}

/** Why a model isn't one of a type, in AWS's words; `null` if it is. */
export function refusalOf(type: string, model: JsonObject): string | null {
  // Only types with tags are in the table.
  if (all[type] === undefined) return null;
  const members = membersOf(type);
  for (const name of Object.keys(model)) {
    const member = members.find((one) => one.name === name);
    if (member === undefined) return `Model validation failed (#: extraneous key [${name}] is not permitted)`;
    if (member.marks.includes(marks.readOnly)) return `Encountered unsupported property ${name}: it is read-only`;
    if (!fits(model[name] ?? null, member.type))
      return `Model validation failed (#/${name}: expected type: ${member.type})`;
  }
  const missing = members.find(({ name, marks: own }) => own.includes(marks.required) && !(name in model));
  return missing === undefined ? null : `Model validation failed (#: required key [${missing.name}] not found)`;
}

function fits(value: Json, type: string): boolean {
  if (type.startsWith("[]")) return Array.isArray(value) && value.every((item) => fits(item, type.slice(2)));
  if (type.startsWith("{}")) return isObject(value) && Object.values(value).every((item) => fits(item, type.slice(2)));
  if (type === "tag") return isObject(value) && typeof value.Key === "string" && typeof value.Value === "string";
  if (type.startsWith("#")) return isObject(value) || typeof value === "string";
  return type === "any" || typeof value === type;
}
