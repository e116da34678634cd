/** HTML whose every inserted text is escaped. */
export interface Markup {
  readonly markup: string;
}

type Inserted = Markup | string | number | false | null | undefined | readonly Inserted[];

/** Writes HTML: what is inserted is text, unless it is markup itself; `false`, `null` and `undefined` are nothing. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Markup {
  return { markup: parts.map((part, at) => part + written(inserted[at])).join("") };
}

/** A sentence as the contract writes it: what stands between backticks is code. */
export function sentence(text: string): Markup {
  return html`${text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function written(value: Inserted): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escaped(String(value));
  return "markup" in value ? value.markup : value.map(written).join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
