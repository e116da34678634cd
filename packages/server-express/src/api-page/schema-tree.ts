import { type DescribedSchema, nameIn } from "./described.ts";
import { firstType } from "./examples.ts";
import { html, type Markup, sentence } from "./markup.ts";

/** Shows what a schema holds, a member a line; a named schema is one to open, which the page's script fills in. */
export function schemaTree(schema: DescribedSchema): Markup | null {
  if (schema.$ref !== undefined) return namedSchema(nameIn(schema.$ref));
  if (schema.properties !== undefined) return members(schema);
  if (schema.items !== undefined) return schemaTree(schema.items);
  if (schema.anyOf !== undefined) return choices(schema.anyOf);
  return typeof schema.additionalProperties === "object" ? schemaTree(schema.additionalProperties) : null;
}

/** A named schema, closed. Without the script its link leads to where it stands. */
function namedSchema(name: string): Markup {
  return html`<details class="named" data-fill="schema-${name}"><summary>${name}</summary><p><a href="#schema-${name}">The members of ${name}</a></p></details>`;
}

/** Says in a few words what values a schema takes. */
export function typeWords(schema: DescribedSchema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(" or ");
  const type = firstType(schema) ?? "any value";
  const nullable = Array.isArray(schema.type) && schema.type.includes("null") ? " or null" : "";
  if (type === "array") return `array of ${typeWords(schema.items ?? {})}${nullable}`;
  return type + nullable;
}

/** Shows the limits of a schema's values: its choices, format, lengths, pattern. */
export function limits(schema: DescribedSchema): Markup {
  const of = firstType(schema) === "array" ? { ...schema.items, maxItems: schema.maxItems } : schema;
  const words = [
    of.format,
    range(of.minLength, of.maxLength, "characters"),
    range(of.minimum, of.maximum, ""),
    of.maxItems !== undefined && `at most ${of.maxItems} items`,
    of.writeOnly === true && "never answered",
  ].filter((word) => typeof word === "string");
  const values = of.enum?.filter((value) => value !== null) ?? [];
  return html`${words.length > 0 && html` <span class="limits">${words.join(", ")}</span>`}
${values.length > 0 && html`<span class="choices">One of ${values.map((value, at) => html`${at > 0 && ", "}<code>${String(value)}</code>`)}</span>`}
${of.pattern !== undefined && html`<span class="choices">Pattern <code>${of.pattern}</code></span>`}`;
}

function range(least: number | undefined, most: number | undefined, of: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  // What JSON Schema says of any integer: the widest that a number holds.
  const isOpen = most === undefined || most >= Number.MAX_SAFE_INTEGER;
  if (isOpen) return `at least ${least ?? 0} ${of}`.trim();
  return `${least === undefined ? `at most ${most}` : `${least} to ${most}`} ${of}`.trim();
}

function members({ properties = {}, required = [] }: DescribedSchema): Markup {
  return html`<ul class="members">${Object.entries(properties).map(([name, schema]) => member(name, schema, required))}</ul>`;
}

function member(name: string, schema: DescribedSchema, required: readonly string[]): Markup {
  return html`<li><code class="member">${name}</code> <span class="type">${typeWords(schema)}</span>
${required.includes(name) && html` <span class="required">required</span>`}${limits(schema)}
${schema.description !== undefined && html`<p>${sentence(schema.description)}</p>`}${nested(schema)}</li>`;
}

/** The members of a member: to open, so that a long schema can be looked over. */
function nested(schema: DescribedSchema): Markup | null {
  const tree = schemaTree(schema);
  if (tree === null || tree.markup.startsWith('<details class="named"')) return tree;
  return html`<details><summary>Members of ${typeWords(schema)}</summary>${tree}</details>`;
}

function choices(schemas: readonly DescribedSchema[]): Markup | null {
  const trees = schemas.map(schemaTree).filter((tree) => tree !== null);
  return trees.length === 0 ? null : html`${trees}`;
}
