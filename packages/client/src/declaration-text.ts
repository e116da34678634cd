import { type Document, parseDocument } from "yaml";
import { UsageError } from "./usage-error.ts";

/** A text that somebody typed, and its value. */
export interface TypedText {
  readonly document: Document;
  readonly value: unknown;
}

/** Reads a text as YAML, of which JSON is a part. Throws a sentence that names the line. */
export function parsedText(text: string, what = "This"): TypedText {
  const form = /^\s*[{[]/.test(text) ? "JSON" : "YAML";
  const refused = (why: string, cause: Error) => new UsageError(`${what} isn't valid ${form}: ${why}.`, { cause });
  const document = parseDocument(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = mistake.linePos?.[0] ?? { line: 1, col: 1 };
    const [why = ""] = mistake.message.split(/\.? at line /);
    throw refused(`line ${line}, column ${col}: ${inPlainWords(why, form)}`, mistake);
  }
  try {
    return { document, value: document.toJS({ maxAliasCount: 100 }) };
  } catch (cause) {
    throw refused((cause as Error).message, cause as Error);
  }
}

/** The parser's words for the commonest mistakes suit only those who write parsers. */
function inPlainWords(why: string, form: "JSON" | "YAML"): string {
  if (why.startsWith("Nested mappings")) return "A value with a colon in it needs quotes";
  const missing = `The closing $1 is missing${form === "JSON" ? "" : ", or isn't indented"}`;
  return why.replace(/^Flow (?:sequence|map) .*end with a (.)$/, missing);
}
