import type { AzureModule, Mapper } from "./azure-modules.ts";
import { isOnByDefault, remarksOn, wordsAmong } from "./declared-members.ts";
import { type Default, type MemberType, type MemberTypes, marks, ordered } from "./described-api.ts";

const scalars: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  Number: "number",
  UnixTime: "number",
  any: "any",
  Object: "any",
};

const unchangeable =
  /(?<!some of the settings )(cannot|can't|can not|may not) be (changed|updated|modified) (once|after)|immutable after|can only be set (at|during|on|when) creat/i;
const unshown = /write-?only|(is|will) not (be )?returned|never returned/i;

/** Collects the schemas that operations of a package name, and which of their members hold words or have a default that isn't empty. */
export function azureSchemas({ mappers, models }: Pick<AzureModule, "mappers" | "models">, prefix: string) {
  const remarks = remarksOn(models);
  const known = wordsAmong(models);
  const schemas: Record<string, MemberTypes> = {};
  const words = new Set<string>();
  const defaults = new Map<string, Default>();

  function typeOf(mapper: Mapper): string {
    const { name, className, element, value } = mapper.type;
    if (name === "Sequence" && element !== undefined) return `[]${typeOf(element)}`;
    if (name === "Dictionary" && value !== undefined) return `{}${typeOf(value)}`;
    if (name !== "Composite") return scalars[name] ?? "string";
    if (className === undefined) return "any";
    const key = `${prefix}.${className}`;
    if (schemas[key] === undefined) {
      // Named before it is filled: schemas hold one another.
      schemas[key] = {};
      schemas[key] = membersOf(className, mapper);
    }
    return `#${key}`;
  }

  function membersOf(className: string, mapper: Mapper): MemberTypes {
    const own = Object.values(mappers).find(({ type }) => type.className === className) ?? mapper;
    const members: Record<string, MemberType> = {};
    for (const [name, member] of Object.entries(own.type.modelProperties ?? {})) {
      const remark = remarks.get(`${className}.${name}`) ?? "";
      place(members, member, typeOf(member) + marksOf(member, remark));
      const key = `${prefix}.${className}.${namesIn(member).at(-1)}`;
      if (known.has(`${className}.${name}`)) words.add(key);
      const own = defaultOf(member, remark);
      if (own !== null) defaults.set(key, own);
    }
    // What is derived of it is told by a member's value: any of theirs may be there.
    for (const derived of Object.values(mappers).filter(({ type }) => type.uberParent === className)) {
      for (const member of Object.values(derived.type.modelProperties ?? {}))
        if (member.serializedName !== undefined && members[member.serializedName] === undefined)
          place(members, member, typeOf(member));
    }
    if (own.type.additionalProperties !== undefined) members["*"] = typeOf(own.type.additionalProperties);
    return ordered(members);
  }

  return { schemas, typeOf, words, defaults };
}

/** A documented default that isn't empty; `null` if there is none. */
function defaultOf({ type, isConstant, defaultValue }: Mapper, remark: string): Default | null {
  if (isConstant === true) return null;
  if (typeof defaultValue === "string" || typeof defaultValue === "number") return defaultValue || null;
  return defaultValue === true || (type.name === "Boolean" && isOnByDefault(remark)) ? true : null;
}

function marksOf({ required, readOnly, serializedName }: Mapper, remark: string): string {
  const isHidden = unshown.test(remark) || /password$/i.test(serializedName ?? "");
  if (readOnly) return marks.readOnly;
  return [required && marks.required, unchangeable.test(remark) && marks.immutable, isHidden && marks.hidden]
    .filter((mark) => typeof mark === "string")
    .join("");
}

/** A dot of the name's own is escaped. */
function namesIn({ serializedName = "" }: Mapper): readonly string[] {
  return serializedName.split(/(?<!\\)\./).map((name) => name.replaceAll("\\.", "."));
}

/** Puts a member where it is sent: `properties.accessTier` lies in `properties`. */
function place(members: Record<string, MemberType>, member: Mapper, type: string): void {
  const names = namesIn(member);
  let at = members;
  for (const name of names.slice(0, -1)) {
    const known = at[name];
    const inner = typeof known === "object" ? { ...known } : {};
    at[name] = inner;
    at = inner;
  }
  const last = names.at(-1) ?? "";
  if (last !== "" && at[last] === undefined) at[last] = type;
}
