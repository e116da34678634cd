import type { DescribedSchema } from "../api/described.ts";
import { cursorIn, type DeclarationCursor } from "./declaration-cursor.ts";

/** A word that may come next. */
export interface Suggestion {
  readonly word: string;
  /** What it is for. */
  readonly detail: string;
  /** What is written for it. */
  readonly written: string;
}

/** The words for a place, and what they replace. */
export interface Suggestions {
  readonly typed: string;
  readonly from: number;
  readonly to: number;
  readonly found: readonly Suggestion[];
}

/** What the schema allows where the caret is; `null` if it says nothing about that place. */
export function suggestionsAt(
  text: string,
  caret: number,
  schema: DescribedSchema,
  clouds: Readonly<Record<string, string>>,
): Suggestions | null {
  const cursor = cursorIn(text, caret);
  if (cursor === null) return null;
  const { typed, from, to } = cursor;
  const place = schemaAt(schema, cursor.path);
  const all = cursor.isMember
    ? membersOf(place, cursor, /^\s*:/.test(text.slice(to)) ? "" : ": ")
    : valuesOf(place, cursor, clouds);
  const found = all.filter(({ word }) => word !== typed && word.toLowerCase().startsWith(typed.toLowerCase()));
  return found.length === 0 ? null : { typed, from, to, found };
}

function schemaAt(schema: DescribedSchema, path: readonly string[]): DescribedSchema {
  let at = schema;
  for (const step of path) {
    const whole = [at, ...(at.anyOf ?? [])].find(({ items, properties }) => (step === "*" ? items : properties)) ?? {};
    at = (step === "*" ? whole.items : whole.properties?.[step]) ?? {};
  }
  return at;
}

/** Members that only files for the command line have. */
const inFilesOnly: ReadonlySet<string> = new Set(["$schema", "id"]);

function membersOf(
  { properties = {}, required = [], anyOf = [] }: DescribedSchema,
  { present, isYaml }: DeclarationCursor,
  end: string,
): Suggestion[] {
  const all = Object.entries({ ...properties, ...Object.assign({}, ...anyOf.map((one) => one.properties ?? {})) });
  const names = all.filter(([name]) => !inFilesOnly.has(name) && !present.has(name));
  return names
    .toSorted(([one], [other]) => Number(required.includes(other)) - Number(required.includes(one)))
    .map(([word, of]) => ({
      word,
      detail: (of as DescribedSchema).description ?? "",
      written: `${isYaml ? word : JSON.stringify(word)}${end}`,
    }));
}

/** The server refuses this one, which only shows what an older one had. */
const notWritten = "Unknown";

function valuesOf(place: DescribedSchema, cursor: DeclarationCursor, clouds: Readonly<Record<string, string>>) {
  const inWords = (word: string, detail: string): Suggestion => ({
    word,
    detail,
    written: cursor.isYaml ? word : JSON.stringify(word),
  });
  if (cursor.path.join("/") === "components/*/provider")
    return Object.entries(clouds).map(([word, name]) => inWords(word, name));
  const parts = [place, ...(place.anyOf ?? [])];
  const words = parts.flatMap((one) => one.enum ?? []).filter((one) => typeof one === "string" && one !== notWritten);
  const isSwitch = parts.some(({ type }) => [type].flat().includes("boolean"));
  return [
    ...words.map((word) => inWords(String(word), "")),
    ...(isSwitch ? ["true", "false"].map((word) => ({ word, detail: "", written: word })) : []),
  ];
}
