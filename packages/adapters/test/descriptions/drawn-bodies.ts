import type { JsonObject } from "@liveplane/core/clouds";
import type { MemberType, MemberTypes } from "../../tables/described-api.ts";

type Json = JsonObject[string];

/** Draws numbers from 0 on, below a bound. */
export type Draw = (below: number) => number;

/** What a drawn body is of. */
export interface BodyKind {
  readonly schemas: Readonly<Record<string, MemberTypes>>;
  /** The schema of a body that is sent. */
  readonly body: string;
  /** Members that are no parameters, or that the vendor alone says. */
  readonly without: ReadonlySet<string>;
  /** A text for a member; `null`: any will do. */
  readonly textFor: (name: string, pointer: string) => Json | null;
}

/** The same numbers for a seed each time (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const mostDeep = 6;

/** A body that its description takes, as somebody may declare it: some of the members that can be set. */
export function drawnBody(kind: BodyKind, draw: Draw): JsonObject {
  return drawnObject(membersOf(kind.schemas, kind.body), "", { kind, draw, within: [kind.body] });
}

interface Drawing {
  readonly kind: BodyKind;
  readonly draw: Draw;
  readonly within: readonly string[];
}

function drawnObject(members: MemberTypes, pointer: string, drawing: Drawing): JsonObject {
  const { draw, kind, within } = drawing;
  const own = Object.entries(members).filter(
    ([name, type]) => name !== "*" && !kind.without.has(name) && !isMarked(type, "-"),
  );
  const most = within.length === 1 ? 6 : 3;
  const object: Record<string, Json> = {};
  for (let times = 0; times < most && own.length > 0; times++) {
    const [name, type] = own[draw(own.length)] ?? ["", "any"];
    const value = name === "" ? null : drawn(name, type, `${pointer}/${name}`, drawing);
    if (value !== null) object[name] = value;
  }
  return object;
}

/** A value; `null`: it is too deep, or of no type that is told. */
function drawn(name: string, type: MemberType, pointer: string, drawing: Drawing): Json | null {
  const { kind, draw, within } = drawing;
  if (typeof type === "object")
    return nonEmpty(drawnObject(type, pointer, { ...drawing, within: [...within, pointer] }));
  const bare = type.replace(/[!\-=*]+$/, "");
  if (bare.startsWith("[]")) {
    const items = [0, 1, 2].slice(0, 1 + draw(3)).map(() => drawn(name, bare.slice(2), `${pointer}/*`, drawing));
    return items.some((item) => item === null) ? null : (items as Json[]);
  }
  if (bare.startsWith("{}")) {
    const value = drawn(name, bare.slice(2), `${pointer}/*`, drawing);
    return value === null ? null : { [`key${draw(3)}`]: value };
  }
  if (bare.startsWith("#")) {
    const schema = bare.slice(1);
    if (within.length >= mostDeep || within.includes(schema)) return null;
    return nonEmpty(drawnObject(membersOf(kind.schemas, schema), pointer, { ...drawing, within: [...within, schema] }));
  }
  if (bare === "string") return kind.textFor(name, pointer) ?? `text ${draw(5)}`;
  if (bare === "number") return draw(4);
  return bare === "boolean" ? draw(2) === 0 : null;
}

function nonEmpty(object: JsonObject): JsonObject | null {
  return Object.keys(object).length === 0 ? null : object;
}

function membersOf(schemas: BodyKind["schemas"], name: string): MemberTypes {
  return schemas[name.replace(/^#/, "")] ?? {};
}

function isMarked(type: MemberType, mark: string): boolean {
  return typeof type === "string" && (/[!\-=*]+$/.exec(type)?.[0].includes(mark) ?? false);
}

/** A body with each of its values replaced, from the leaves up; `undefined`: it is left out. */
export function mapped(
  value: Json,
  replace: (value: Json, pointer: string) => Json | undefined,
  pointer = "",
): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, replace, `${pointer}/*`)).filter((item) => item !== undefined);
    return replace(items, pointer);
  }
  if (typeof value !== "object" || value === null) return replace(value, pointer);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = mapped(member, replace, `${pointer}/${name}`);
    return own === undefined ? [] : [[name, own] as const];
  });
  return replace(Object.fromEntries(members), pointer);
}
