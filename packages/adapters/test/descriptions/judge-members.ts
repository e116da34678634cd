import type { DescribedApi, MemberType, MemberTypes } from "../../tables/described-api.ts";

/** What is wrong, and where. */
export interface Problem {
  readonly where: string;
  readonly detail: string;
}

/** What a body is judged as. */
export interface BodyRules {
  readonly schemas: DescribedApi["schemas"];
  /** Answers show what is read-only and hide what is secret; whole bodies have what is required; changes may leave it out. */
  readonly as: "answer" | "whole" | "change";
}

/** What of a value doesn't fit its description. */
export function judgeMembers(type: MemberType, value: unknown, rules: BodyRules, pointer = ""): Problem[] {
  if (typeof type === "object") return judgeObject(type, value, rules, pointer);
  const bare = type.replace(/[!\-=*]+$/, "");
  if (bare === "any" || value === null || value === undefined) return [];
  if (bare.startsWith("[]")) {
    if (!Array.isArray(value)) return [wrong(pointer, "a list")];
    // Where in a list it stands says nothing of what is wrong.
    return value.flatMap((item) => judgeMembers(bare.slice(2), item, rules, `${pointer}/*`));
  }
  if (bare.startsWith("{}")) {
    if (!isObject(value)) return [wrong(pointer, "a map")];
    return Object.values(value).flatMap((item) => judgeMembers(bare.slice(2), item, rules, `${pointer}/*`));
  }
  if (bare.startsWith("#")) return judgeObject(rules.schemas[bare.slice(1)] ?? {}, value, rules, pointer);
  return typeof value === bare ? [] : [wrong(pointer, `a ${bare}`)];
}

function judgeObject(members: MemberTypes, value: unknown, rules: BodyRules, pointer: string): Problem[] {
  if (!isObject(value)) return value == null ? [] : [wrong(pointer, "an object")];
  const given = Object.entries(value).flatMap(([name, inner]) => {
    const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const type = Object.hasOwn(members, name) ? members[name] : members["*"];
    if (type === undefined) return [{ where: at, detail: "is no member" }];
    return [...judgeMarks(type, inner, rules, at), ...judgeMembers(type, inner, rules, at)];
  });
  if (rules.as !== "whole") return given;
  const missing = Object.entries(members).filter(([name, type]) => isMarked(type, "!") && value[name] == null);
  return [...given, ...missing.map(([name]) => ({ where: `${pointer}/${name}`, detail: "is missing" }))];
}

function judgeMarks(type: MemberType, value: unknown, { as }: BodyRules, where: string): Problem[] {
  if (as === "answer") return isMarked(type, "*") && value != null ? [{ where, detail: "is never shown" }] : [];
  return isMarked(type, "-") ? [{ where, detail: "is read-only" }] : [];
}

function isMarked(type: MemberType, mark: string): boolean {
  return typeof type === "string" && (/[!\-=*]+$/.exec(type)?.[0].includes(mark) ?? false);
}

function wrong(where: string, what: string): Problem {
  return { where: where === "" ? "body" : where, detail: `isn't ${what}` };
}

/** An object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
