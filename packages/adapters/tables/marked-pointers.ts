import { type Default, type MemberType, type MemberTypes, marks, ordered } from "./described-api.ts";
import { type Unechoed, unechoedAs } from "./unechoed.ts";

const mostDeep = 3;

/** JSON pointers to the members of a body that carry a mark, as deep as a declaration is usually told apart; lists aren't looked into. */
export function markedPointers(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
  mark: string,
): string[] {
  const pointers: string[] = [];
  const visit = (type: MemberType, pointer: string, within: readonly string[]): void => {
    if (typeof type === "string" && pointer !== "" && marksIn(type).includes(mark)) {
      pointers.push(pointer);
      return;
    }
    const name = typeof type === "string" && type.startsWith("#") ? bare(type).slice(1) : null;
    const members = name === null ? type : schemas[name];
    if (typeof members !== "object" || within.length >= mostDeep || (name !== null && within.includes(name))) return;
    for (const [member, inner] of Object.entries(members))
      if (member !== "*") visit(inner, `${pointer}/${escaped(member)}`, [...within, name ?? pointer]);
  };
  if (reference !== null) visit(reference, "", []);
  return pointers.sort();
}

/** Which members are wanted: by name, the schema that they belong to, their type without marks, and its marks. */
export type WantedMember = (member: {
  readonly name: string;
  readonly schema: string;
  readonly type: string;
  readonly marks: string;
  readonly pointer: string;
}) => boolean;

const mostSchemas = 5;

/** The documented defaults of what a body may leave out, by JSON pointer. */
export function defaultsAt(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
  defaults: ReadonlyMap<string, Default>,
): Readonly<Record<string, Default>> {
  const found: Record<string, Default> = {};
  wantedPointers(schemas, reference, ({ name, schema, type, pointer, marks: said }) => {
    const isOptional = /^(string|number|boolean)$/.test(type) && !said.includes(marks.required);
    const own = isOptional ? defaults.get(`${schema}.${name}`) : undefined;
    if (own !== undefined) found[pointer] = own;
    return own !== undefined;
  });
  return ordered(found);
}

/** What of a body the vendor never shows, as JSON pointers. */
export interface UnechoedPointers {
  readonly hidden: readonly string[];
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** Shown by a call for it alone. */
  readonly apart: readonly string[];
}

/** JSON pointers to the members of a body that the vendor never shows, at every depth and in lists. */
export function unechoedPointers(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
): UnechoedPointers {
  const all = wantedPointers(schemas, reference, (member) => member.marks.includes(marks.hidden), Infinity);
  const pointersOf = (wanted: Unechoed) => {
    const isWanted: WantedMember = (member) => member.marks.includes(marks.hidden) && unechoedAs(member) === wanted;
    const found = new Set(wantedPointers(schemas, reference, isWanted, Infinity));
    return all.filter((pointer) => found.has(pointer));
  };
  return {
    hidden: pointersOf("secret"),
    inputOnly: pointersOf("input"),
    creationOnly: pointersOf("creation"),
    apart: pointersOf("apart"),
  };
}

/**
 * JSON pointers to the members of a body that are wanted; lists and maps are looked into, and `*` stands for what they hold. A list of
 * texts or numbers counts by what it holds.
 */
export function wantedPointers(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
  isWanted: WantedMember,
  deepest = mostSchemas,
): string[] {
  const pointers = new Set<string>();
  const visit = (members: MemberTypes, pointer: string, within: readonly string[]): void => {
    for (const [name, type] of Object.entries(members)) {
      if (name === "*" || (typeof type === "string" && marksIn(type).includes(marks.readOnly))) continue;
      place(name, type, `${pointer}/${escaped(name)}`, within);
    }
  };
  const place = (name: string, type: MemberType, pointer: string, within: readonly string[]): void => {
    if (typeof type === "object") {
      visit(type, pointer, within);
      return;
    }
    const own = bare(type);
    if (isWanted({ name, schema: within.at(-1) ?? "", type: own, marks: marksIn(type), pointer })) {
      pointers.add(pointer);
      return;
    }
    if (own.startsWith("[]") || own.startsWith("{}")) {
      place(name, own.slice(2), `${pointer}/*`, within);
      return;
    }
    const schema = own.startsWith("#") ? own.slice(1) : null;
    if (schema === null || within.length >= deepest || within.includes(schema)) return;
    visit(schemas[schema] ?? {}, pointer, [...within, schema]);
  };
  if (reference !== null) visit(schemas[reference.slice(1)] ?? {}, "", [reference.slice(1)]);
  return [...pointers].sort();
}

/** Tells whether a body has a member at a pointer, where `*` stands for what a list or a map holds. */
export function holds(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
): (pointer: string) => boolean {
  const below = (type: MemberType | undefined, step: string): MemberType | undefined => {
    if (type === undefined || typeof type === "object") return type?.[step];
    const own = bare(type);
    if (own === "any") return own;
    if (step === "*" && /^(\[\]|\{\})/.test(own)) return own.slice(2);
    return own.startsWith("#") ? schemas[own.slice(1)]?.[step] : undefined;
  };
  return (pointer) => {
    let at: MemberType | undefined = reference ?? undefined;
    for (const step of pointer.split("/").slice(1)) at = below(at, step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return at !== undefined;
  };
}

/** A type without the marks behind it. */
function bare(type: string): string {
  return type.replace(/[!\-=*]+$/, "");
}

function marksIn(type: string): string {
  return type.slice(bare(type).length);
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
