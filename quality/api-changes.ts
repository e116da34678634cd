/** What of the HTTP API a client of an earlier release would miss. `node quality/api-changes.ts` keeps the document for the next comparison. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toOpenApi } from "@liveplane/core/contract";

/** The OpenAPI document of the last release. `pnpm version-packages` keeps it. */
export const releasedDocument = join(import.meta.dirname, "released-openapi.json");

interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

interface Described {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Shape }>>;

/** The parts of a document that are compared. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> };
}

/** The breaking changes, each as a sentence that names its place. */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  const compare = comparison(before, after);
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const place = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      return now === undefined ? [`${place} is gone.`] : compare(place, old, now);
    }),
  );
}

function comparison(before: ApiDocument, after: ApiDocument) {
  /** Schemas that refer to each other are compared once for each direction. */
  const seen = new Set<string>();
  const resolved = ({ components }: ApiDocument, shape: Shape): Shape =>
    shape.$ref === undefined ? shape : (components.schemas[nameIn(shape.$ref)] ?? {});

  function shapes(place: string, one: Shape, other: Shape, direction: "sent" | "answered"): string[] {
    const key = `${direction} ${one.$ref} ${other.$ref}`;
    if (one.$ref !== undefined && seen.has(key)) return [];
    seen.add(key);
    const [old, now] = [resolved(before, one), resolved(after, other)];
    // Clients expect new values in answers, but no new types.
    const kinds = direction === "sent" ? kindsOf : typesOf;
    const [accepts, gives] = direction === "sent" ? [kinds(old), kinds(now)] : [kinds(now), kinds(old)];
    const missing = gives.length === 0 ? [] : accepts.filter((kind) => !gives.includes(kind));
    const change = direction === "sent" ? "no longer accepts" : "may now be";
    return [
      ...missing.map((kind) => `${place}: ${change} ${kind}.`),
      ...members(place, old, now, direction),
      ...(old.items && now.items ? shapes(`${place}[]`, old.items, now.items, direction) : []),
    ];
  }

  function members(place: string, old: Shape, now: Shape, direction: "sent" | "answered"): string[] {
    const [earlier, later] = [old.properties ?? {}, now.properties ?? {}];
    const isRequired = ({ required = [] }: Shape, name: string) => required.includes(name);
    const demanded = Object.keys(later).filter((name) => isRequired(now, name) && !isRequired(old, name));
    return [
      ...(direction === "sent" ? demanded.map((name) => `${place}: ${name} is now required.`) : []),
      ...Object.entries(earlier).flatMap(([name, shape]) => {
        const own = later[name];
        if (own === undefined) return [`${place}: ${name} is gone.`];
        const isUnsure = direction === "answered" && isRequired(old, name) && !isRequired(now, name);
        return [
          ...(isUnsure ? [`${place}: ${name} may now be absent.`] : []),
          ...shapes(`${place}: ${name}`, shape, own, direction),
        ];
      }),
    ];
  }

  const contents = (place: string, old: Content = {}, now: Content = {}, direction: "sent" | "answered") =>
    Object.entries(old).flatMap(([media, { schema }]) => {
      const own = now[media];
      return own === undefined ? [`${place}: ${media} is gone.`] : shapes(place, schema, own.schema, direction);
    });

  return (place: string, old: Described, now: Described): string[] => [
    ...parameters(place, old, now),
    ...contents(`${place} body`, old.requestBody?.content, now.requestBody?.content, "sent"),
    ...(now.requestBody?.required === true && old.requestBody?.required !== true
      ? [`${place}: needs a body now.`]
      : []),
    ...Object.entries(old.responses)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([status, { content }]) =>
        now.responses[status] === undefined
          ? [`${place}: no longer answers ${status}.`]
          : contents(`${place} ${status}`, content, now.responses[status]?.content, "answered"),
      ),
  ];
}

function parameters(place: string, old: Described, now: Described): string[] {
  const byName = ({ parameters = [] }: Described) =>
    new Map(parameters.map((one) => [one.name ?? nameIn(one.$ref ?? ""), one.required === true]));
  const [earlier, later] = [byName(old), byName(now)];
  return [
    ...[...earlier.keys()].filter((name) => !later.has(name)).map((name) => `${place}: parameter ${name} is gone.`),
    ...[...later]
      .filter(([name, isRequired]) => isRequired && earlier.get(name) !== true)
      .map(([name]) => `${place}: parameter ${name} is now required.`),
  ];
}

/** The types and values that a schema allows; empty if it allows anything. */
function kindsOf(shape: Shape): readonly string[] {
  return shape.enum === undefined ? typesOf(shape) : shape.enum.map((value) => JSON.stringify(value));
}

function typesOf({ type = [], anyOf = [] }: Shape): readonly string[] {
  return [...(typeof type === "string" ? [type] : type), ...anyOf.flatMap(typesOf)];
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

if (import.meta.main) writeFileSync(releasedDocument, `${JSON.stringify(toOpenApi())}\n`);
