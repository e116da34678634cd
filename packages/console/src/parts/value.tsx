import { texts } from "../texts.ts";

/** A parameter's value for people: texts without quotes, long or nested values on several lines. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) return <span class="small">{texts.parts.notSet}</span>;
  if (typeof value === "string") return <code class="value">{value === "" ? '""' : value}</code>;
  const text = JSON.stringify(value);
  if (text.length <= 60) return <code class="value">{text}</code>;
  return <pre class="value">{JSON.stringify(value, undefined, 1)}</pre>;
}
