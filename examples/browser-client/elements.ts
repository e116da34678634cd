import { isLiveplaneError } from "@liveplane/client";

/** An element of the page, which must exist. */
export function byId<T extends HTMLElement>(id: string, kind: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`The page has no ${kind.name} #${id}.`);
  return found;
}

/** Creates an element. Its content is text or elements, never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** A table whose first column names the rows. */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]) {
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column)))),
    make(
      "tbody",
      {},
      ...rows.map(([first = "", ...others]) =>
        make("tr", {}, make("th", { scope: "row" }, first), ...others.map((cell) => make("td", {}, cell))),
      ),
    ),
  );
}

/** A value for people: texts without quotes. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
}

/** What went wrong, as a sentence with the places. */
export function explain(error: unknown): string {
  if (!isLiveplaneError(error)) return `Something is wrong with this page: ${error}`;
  const places = (error.details.errors ?? []).map(({ pointer, detail }) => `${pointer ?? ""} ${detail}`);
  return [error.message, ...places].join(" ");
}
