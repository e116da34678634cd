import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { parseJson } from "../cloud-http/cloud-http.ts";

type Content = JsonObject[string];

const token = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[?!][^>]*>|<(\/?)([\w.:-]+)[^>]*?(\/?)>|([^<]+)/g;

/** AWS's older services answer in XML, which has no types: every value is a text. All others answer in JSON. */
export function parseAws(text: string): JsonObject {
  return text.trimStart().startsWith("<") ? parseXml(text) : parseJson(text);
}

/** What the outermost element contains, by the names of its elements. AWS calls the items of lists `member`. */
function parseXml(xml: string): JsonObject {
  const top: [string, Content][] = [];
  const open: { readonly name: string; readonly elements: [string, Content][]; text: string }[] = [];
  for (const [, literal, isEnd, name = "", isEmpty, text] of xml.matchAll(token)) {
    const current = open.at(-1);
    if (current !== undefined) current.text += literal ?? decoded(text ?? "");
    if (name === "") continue;
    if (isEnd !== "/") {
      open.push({ name, elements: [], text: "" });
      if (isEmpty !== "/") continue;
    }
    const closed = open.pop();
    if (closed?.name !== name) return {};
    (open.at(-1)?.elements ?? top).push([name, contentOf(closed)]);
  }
  const [[, content] = ["", null]] = top;
  return open.length === 0 && isObject(content) ? content : {};
}

function contentOf({ elements, text }: { readonly elements: [string, Content][]; readonly text: string }): Content {
  if (elements.length === 0) return text;
  const isList = elements.every(([name]) => name === "member");
  return isList ? elements.map(([, content]) => content) : Object.fromEntries(elements);
}

const named: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' };

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
