import { escaped } from "../board/override-lanes.ts";

/** A span of a text. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Finds the place of an error (`#/components/0/type`) in the JSON text; for a missing member, its parent. */
export function placeInText(text: string, pointer: string): TextSpan | null {
  const spans = spansOf(text);
  for (let at = pointer; at.startsWith("#"); at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const found = spans.get(at);
    if (found !== undefined) return found;
  }
  return null;
}

/** The line of a place, counted from one. */
export function lineOfPlace(text: string, { start }: TextSpan): number {
  return text.slice(0, start).split("\n").length;
}

/** Every value of a JSON text, by its pointer in errors. Invalid JSON is read as far as possible. */
function spansOf(text: string): ReadonlyMap<string, TextSpan> {
  const tokens = [...text.matchAll(token)].map((match) => ({ is: match[0], start: match.index }));
  const spans = new Map<string, TextSpan>();
  let at = 0;
  const endOf = () => {
    const last = tokens[at - 1];
    return last === undefined ? 0 : last.start + last.is.length;
  };
  function value(pointer: string): void {
    const first = tokens[at++];
    if (first === undefined) return;
    if (first.is === "{" || first.is === "[") members(pointer, first.is);
    spans.set(pointer, { start: first.start, end: endOf() });
  }
  function members(pointer: string, opening: string): void {
    for (let index = 0; at < tokens.length; index++) {
      const next = tokens[at]?.is ?? "";
      if (next === "}" || next === "]") break;
      if (opening === "{") at += 2;
      value(`${pointer}/${stepOf(opening === "{" ? next : String(index))}`);
      if (tokens[at]?.is === ",") at++;
    }
    at++;
  }
  value("#");
  return spans;
}

/** A step as errors write it: cut to 64 characters, escaped twice. */
function stepOf(name: string): string {
  const cut = [...(name.startsWith('"') ? unquoted(name) : name)].slice(0, 64).join("").toWellFormed();
  return encodeURIComponent(escaped(cut));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
