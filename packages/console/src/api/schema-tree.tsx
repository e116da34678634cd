import { apiTexts } from "../texts/api-texts.ts";
import { type DescribedSchema, nameIn } from "./described.ts";
import { Disclosure } from "./disclosure.tsx";
import { firstType } from "./examples.ts";
import { Sentence } from "./sentence.tsx";

const words = apiTexts;

/** The shared schemas, by name. */
export type Schemas = Readonly<Record<string, DescribedSchema>>;

interface SchemaTreeProps {
  readonly schema: DescribedSchema;
  readonly schemas: Schemas;
}

/** Shows the members of a schema, one per line. A named schema opens on demand. */
export function SchemaTree({ schema, schemas }: SchemaTreeProps) {
  const inner = innerOf(schema);
  if (inner === null) return null;
  if (inner.anyOf !== undefined)
    return (
      <>
        {inner.anyOf.map((choice, at) => (
          <SchemaTree key={at} schema={choice} schemas={schemas} />
        ))}
      </>
    );
  if (inner.$ref !== undefined) {
    const name = nameIn(inner.$ref);
    return <Disclosure summary={name} content={() => <NamedSchema name={name} schemas={schemas} />} />;
  }
  const { properties = {}, required = [] } = inner;
  return (
    <ul class="members">
      {Object.entries(properties).map(([name, member]) => (
        <li key={name}>
          <MemberHead name={name} schema={member} isRequired={required.includes(name)} />
          {member.description !== undefined && (
            <p>
              <Sentence text={member.description} />
            </p>
          )}
          <Nested schema={member} schemas={schemas} />
        </li>
      ))}
    </ul>
  );
}

/** A shared schema: its description, and its members or limits. */
export function NamedSchema({ name, schemas }: { readonly name: string; readonly schemas: Schemas }) {
  const schema = schemas[name] ?? {};
  return (
    <div class="members">
      {schema.description !== undefined && (
        <p>
          <Sentence text={schema.description} />
        </p>
      )}
      {innerOf(schema) === null ? (
        <p>
          <Limits schema={schema} />
        </p>
      ) : (
        <SchemaTree schema={schema} schemas={schemas} />
      )}
    </div>
  );
}

interface MemberHeadProps {
  readonly name: string;
  readonly schema: DescribedSchema;
  readonly isRequired: boolean;
  readonly place?: string;
}

/** The name of a value, with its type and its limits. */
export function MemberHead({ name, schema, isRequired, place }: MemberHeadProps) {
  return (
    <>
      <code class="member">{name}</code> <span class="small">{typeWords(schema)}</span>
      {place !== undefined && <span class="small"> {words.place(place)}</span>}
      {isRequired && <strong> {words.required}</strong>}
      <Limits schema={schema} />
    </>
  );
}

/** Nested members open on demand, so that a long schema stays readable. */
function Nested({ schema, schemas }: SchemaTreeProps) {
  const inner = innerOf(schema);
  if (inner?.properties === undefined) return <SchemaTree schema={schema} schemas={schemas} />;
  return (
    <Disclosure
      summary={words.members(typeWords(schema))}
      content={() => <SchemaTree schema={inner} schemas={schemas} />}
    />
  );
}

/** The schema whose members to show: that of an array's items or a map's values; `null` if there are none. */
function innerOf(schema: DescribedSchema): DescribedSchema | null {
  if (schema.$ref !== undefined || schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return innerOf(schema.items);
  if (schema.anyOf !== undefined) return schema.anyOf.some((choice) => innerOf(choice) !== null) ? schema : null;
  return typeof schema.additionalProperties === "object" ? innerOf(schema.additionalProperties) : null;
}

/** The values that a schema accepts, in a few words. */
function typeWords(schema: DescribedSchema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(" or ");
  const type = firstType(schema) ?? "any value";
  const nullable = Array.isArray(schema.type) && schema.type.includes("null") ? " or null" : "";
  if (type === "array") return `array of ${typeWords(schema.items ?? {})}${nullable}`;
  return type + nullable;
}

/** The limits of a schema's values: its choices, format, lengths and pattern. */
function Limits({ schema }: { readonly schema: DescribedSchema }) {
  const of = firstType(schema) === "array" ? { ...schema.items, maxItems: schema.maxItems } : schema;
  const limits = [
    of.format,
    range(of.minLength, of.maxLength, words.characters),
    range(of.minimum, of.maximum, ""),
    of.maxItems !== undefined && words.atMostItems(of.maxItems),
    of.writeOnly === true && words.neverAnswered,
  ].filter((limit) => typeof limit === "string");
  const values = of.enum?.filter((value) => value !== null) ?? [];
  return (
    <>
      {limits.length > 0 && <span class="small"> {limits.join(", ")}</span>}
      {values.length > 0 && (
        <p class="small">
          {words.oneOf} <code>{values.map(String).join(", ")}</code>
        </p>
      )}
      {of.pattern !== undefined && (
        <p class="small">
          {words.pattern} <code>{of.pattern}</code>
        </p>
      )}
    </>
  );
}

function range(least: number | undefined, most: number | undefined, of: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  // JSON Schema limits every integer to JavaScript's range.
  if (most === undefined || most >= Number.MAX_SAFE_INTEGER) return words.atLeast(least ?? 0, of);
  return least === undefined ? words.atMost(most, of) : words.between(least, most, of);
}
