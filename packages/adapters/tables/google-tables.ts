import type { GoogleKind } from "../src/google/google-kinds.ts";
import { type DescribedApi, type DescribedOperation, type MemberTypes, ordered } from "./described-api.ts";
import type { DescriptionPackages } from "./description-packages.ts";
import { bindingKind } from "./google-bindings.ts";
import { type GoogleDescription, type GoogleMethod, googleDescription } from "./google-descriptions.ts";
import { wholeNumbersOf } from "./google-formats.ts";
import { type Found, googleKind } from "./google-kind-facts.ts";
import { type GoogleService, googleMethods, googleServices } from "./google-kinds.ts";
import { googleSchemas } from "./google-schemas.ts";
import { withUnechoed } from "./unechoed.ts";

/** What was taken from Google's descriptions. */
export interface GoogleTables {
  readonly kinds: Readonly<Record<string, GoogleKind>>;
  readonly api: DescribedApi;
}

/** Reads the tables of Google Cloud from its client. */
export function googleTables(packages: DescriptionPackages): GoogleTables {
  const kinds: Record<string, GoogleKind> = {};
  const operations: DescribedOperation[] = [];
  const schemas: Record<string, MemberTypes> = {};
  for (const [service, of] of Object.entries(googleServices)) {
    const description = googleDescription(packages, service, of.version);
    const collected = googleSchemas(description, service);
    const spell = spellingIn(description);
    const wanted = description.methods.filter((method) => isWanted(method, of, description.methods));
    const found = wanted.map((method) => ({
      method,
      described: describedOperation(service, method, flatPath(method, of, spell), collected.reference),
    }));
    operations.push(...found.map(({ described }) => described));
    const own = withUnechoed(collected.schemas);
    Object.assign(schemas, own);
    const wholeNumbers = wholeNumbersOf(packages, service);
    for (const [kind, methods] of kindsIn(found, of)) {
      const bindings = bindingKind(of, methods);
      if (bindings !== null) kinds[`${service}.${kind}IamBinding`] = bindings;
      kinds[`${service}.${kind}`] = googleKind({
        of,
        found: methods,
        schemas: own,
        description,
        wholeNumbers,
        defaults: collected.defaults,
      });
    }
    for (const [collection, name] of Object.entries(of.policies ?? {})) {
      const bindings = bindingKind(
        of,
        found.filter(({ method }) => method.collection === collection),
      );
      if (bindings !== null) kinds[`${service}.${name}IamBinding`] = bindings;
    }
  }
  operations.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { kinds: ordered(kinds), api: { operations, schemas: ordered(schemas) } };
}

function isWanted({ collection, name, url }: GoogleMethod, of: GoogleService, all: readonly GoogleMethod[]): boolean {
  if (!googleMethods.has(name) && !isSetter(name, of)) return false;
  if (of.without?.includes(collection)) return false;
  if (of.others.includes(collection)) return true;
  if (of.kinds !== null) return Object.hasOwn(of.kinds, collection);
  const names = all.filter((method) => method.collection === collection).map((method) => method.name);
  return ["get", "insert", "delete"].every((needed) => names.includes(needed)) && url.includes("/projects/{project}/");
}

/** Members with calls of their own: setTarget, setUrlMap, resize. */
function isSetter(name: string, { setters }: GoogleService): boolean {
  return setters === true && /^(set[A-Z]|resize$)/.test(name);
}

/** How the names of collections are spelled: those of the client's classes have lost their capitals. */
function spellingIn({ methods }: GoogleDescription): (name: string) => string {
  const segments = methods.flatMap(({ url }) => url.split(/[/:]/).filter((segment) => /^[a-zA-Z]+$/.test(segment)));
  const spelled = new Map(segments.map((segment) => [segment.toLowerCase(), segment]));
  return (name) => spelled.get(name.toLowerCase()) ?? name.toLowerCase();
}

/** The path with each of its segments told: `{+name}` stands for as many as its collection has. */
function flatPath({ url, collection }: GoogleMethod, { root }: GoogleService, spell: (name: string) => string): string {
  const chain = collection.split(".");
  const isOutermost = root !== undefined && chain[0] !== "Operations";
  const nested = chain.filter((name) => name !== "V1").map((name) => `${spell(name)}/{}`);
  return url
    .replace(/(?<=\/v\d+\/)\{\+\w+\}(?=([/:]\w+)?)/, (_, rest: string | undefined) => {
      const isParent = rest?.slice(1).toLowerCase() === chain.at(-1)?.toLowerCase();
      const within = isParent ? nested.slice(0, -1) : nested;
      return [...(isOutermost ? [root] : []), ...within].join("/");
    })
    .replaceAll(/\{\+?\w+\}/g, "{}");
}

function describedOperation(
  service: string,
  { collection, name, verb, query, body, answer }: GoogleMethod,
  path: string,
  reference: (name: string) => string,
): DescribedOperation {
  return {
    id: `${service}.${collection}.${name}`,
    method: verb,
    path: `/${service}${path}`,
    query,
    headers: [],
    body: body === null ? null : reference(body),
    answers: { 200: answer === null ? null : reference(answer), ...(answer === null && { 204: null }) },
  };
}

/** Collections by the kind that lies in them: Compute Engine has one for each of zones, regions and the world. */
function kindsIn(found: readonly Found[], { kinds, others }: GoogleService): Map<string, Found[]> {
  const own = found.filter(({ method }) => !others.includes(method.collection));
  return Map.groupBy(own, ({ method }) => {
    if (kinds !== null) return kinds[method.collection] ?? "";
    const get = own.find((one) => one.method.collection === method.collection && one.method.name === "get");
    return /\{(\w+)\}$/.exec(get?.method.url ?? "")?.[1] ?? "";
  });
}
