import { literalsAfter } from "../../contract/path-literals.ts";
import { isProtocolTag } from "../../contract/protocol-tags.ts";
import { isObject, type JsonObject, mapOwn, pointerTo, stepsOf, valueAt } from "../../json-pointer.ts";
import type { SeenResource } from "../../ports/cloud.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import type { DeclaredComponent } from "../declarations/definition.ts";
import { hasReferenceKeys, isReference } from "../declarations/references.ts";
import { pointerOf } from "../declarations/shape.ts";
import { untaggable } from "../declarations/tag-owners.ts";
import { redacted } from "./redaction.ts";
import { literalSecrets, nameOfMember } from "./secret-places.ts";

/** A resource as read, with what its cloud knows about its type. */
export interface DeclarableResource {
  readonly provider: string;
  readonly type: string;
  readonly resourceId: string;
  readonly name: string;
  readonly seen: Pick<SeenResource, "tags" | "parameters" | "outputs">;
  readonly facts: ResourceType;
  readonly tagParameter: string;
  readonly caselessTagKeys: boolean;
  /** The subscription or project. */
  readonly scope: string;
}

/** A secret that a declaration refers to, and where its value is now. */
export interface SecretToStore {
  readonly shortName: string;
  readonly resourceId: string;
  readonly pointer: string;
}

/** Components that declare resources unchanged. */
export interface ResourceDeclarations {
  readonly components: readonly DeclaredComponent[];
  readonly secrets: readonly SecretToStore[];
  readonly warnings: readonly { readonly resourceId: string; readonly detail: string }[];
}

/**
 * Declares resources as they are, so that a deploy changes nothing: without values that only the cloud sets, and without the protocol's
 * tags. What is named like a secret becomes a secret reference, and the ID of another chosen resource becomes a reference to its output.
 * Pure.
 */
export function declareResources(resources: readonly DeclarableResource[]): ResourceDeclarations {
  const named = withPaths(resources);
  const among = targetsAmong(named);
  const linked = new Map(named.map((one) => [one, linkedFrom(one, among)]));
  const governors = new Map(named.map((one) => [one, one.facts.taggable ? null : governorOf(one, named, linked)]));
  const chosen = named.filter((one) => governors.get(one) !== undefined);
  const warnings = named
    .filter((one) => !chosen.includes(one))
    .map(({ resourceId }) => ({ resourceId, detail: `${untaggable} Choose such a resource, too.` }));
  const targetOf = targetsAmong(chosen);
  const referenceTo = referencesBy(targetOf);
  const secrets: SecretToStore[] = [];
  const taken = new Set<string>();
  const components = chosen.map((one): DeclaredComponent => {
    const { path, provider, type, resourceId, facts } = one;
    const apart = listsApart(one, targetOf);
    const { parameters, foreign } = declarable(one, [...apart.keys()]);
    for (const [pointer, names] of apart)
      if (names.length > 0)
        warnings.push({
          resourceId,
          detail: `/parameters${pointer} was left out, because some of its items are components. Not declared: ${names.join(", ")}.`,
        });
    for (const pointer of foreign)
      warnings.push({ resourceId, detail: `/parameters${pointer} can't be declared and was left out.` });
    const places = new Map<string, Json>();
    for (const pointer of literalSecrets(parameters, facts)) {
      const shortName = freeName(slug(`${path}-${secretNameAt(parameters, pointer)}`), taken);
      secrets.push({ shortName, resourceId, pointer: `/parameters${pointer}` });
      places.set(pointer, { $secret: shortName });
    }
    const referring = replaced(parameters, "", (text, pointer) => places.get(pointer) ?? referenceTo(text, one));
    const governor = governors.get(one) ?? null;
    const overrideWith = governor?.path ?? null;
    if (governor !== null && !isRelated(one, governor, linked))
      warnings.push({
        resourceId,
        detail: `It can't have tags, so ${overrideWith} governs it. Choose another in overrideWith if that fits better.`,
      });
    return {
      ...{ path, provider, type: facts.declaredAs ?? type, resourceId, parameters: referring as JsonObject },
      ...(overrideWith !== null && { overrideWith }),
      deletionPolicy: "Retain",
    };
  });
  return { components, secrets, warnings };
}

/** What a secret is called: its member, or the item that it is the value of. */
function secretNameAt(parameters: JsonObject, pointer: string): string {
  const own = stepsOf(pointer).at(-1) ?? "";
  const holder = valueAt(parameters, pointer.slice(0, pointer.lastIndexOf("/")));
  return isObject(holder) ? nameOfMember(own, holder) : own;
}

interface Named extends DeclarableResource {
  readonly path: string;
}

const reserved = literalsAfter("componentId");

/** Gives each a path from its name. Equal names get their kind and then a number, before or behind. */
function withPaths(resources: readonly DeclarableResource[]): Named[] {
  const sorted = [...resources].sort((a, b) => (a.resourceId.toLowerCase() < b.resourceId.toLowerCase() ? -1 : 1));
  const plain = Map.groupBy(sorted, ({ name }) => pathOf(name).toLowerCase());
  const taken = new Set<string>();
  return sorted.map((one) => {
    const own = pathOf(one.name);
    const isAlone = plain.get(own.toLowerCase())?.length === 1;
    const kind = one.type.split("@", 1)[0]?.split(/[/.]/).at(-1) ?? "";
    return { ...one, path: freeName(isAlone ? own : `${slug(kind)}/${own}`, taken) };
  });
}

function pathOf(name: string): string {
  const segments = name.split("/").map((segment) => {
    const own = slug(segment);
    return reserved.has(own.toLowerCase()) ? `${own}-resource` : own;
  });
  return segments.slice(-9).join("/");
}

/** A text as a path segment, or as a secret's short name. */
function slug(text: string): string {
  const own = text
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 56)
    .replaceAll(/^-+|-+$/g, "");
  return own === "" ? "resource" : own;
}

function freeName(wanted: string, taken: Set<string>): string {
  for (let time = 1; ; time++) {
    const name = time === 1 ? wanted : `${wanted}-${time}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/**
 * The governor of a resource that can't have tags: its container, otherwise a resource that it refers to or that refers to it, otherwise the
 * first one that can.
 */
function governorOf(
  one: Named,
  all: readonly Named[],
  linked: ReadonlyMap<Named, ReadonlySet<Named>>,
): Named | undefined {
  const taggable = all.filter(({ facts, provider }) => facts.taggable && provider === one.provider);
  const above = taggable.filter((other) => isInside(one, other));
  const nearest = above.sort((a, b) => b.resourceId.length - a.resourceId.length)[0];
  return nearest ?? taggable.find((other) => isRelated(one, other, linked)) ?? taggable[0];
}

function isInside(one: Named, other: Named): boolean {
  return one.resourceId.toLowerCase().startsWith(`${other.resourceId.toLowerCase()}/`);
}

/** Whether one is inside the other, or one refers to the other. */
function isRelated(one: Named, other: Named, linked: ReadonlyMap<Named, ReadonlySet<Named>>): boolean {
  return isInside(one, other) || linked.get(one)?.has(other) === true || linked.get(other)?.has(one) === true;
}

/**
 * The lists in which a resource shows chosen ones that are inside it, each with the names of its other items. Declared twice, an item would
 * have to be changed twice.
 */
function listsApart(one: Named, targetOf: TargetOf): ReadonlyMap<string, readonly string[]> {
  const found = new Set<string>();
  const isApart = (text: Json | undefined): boolean => {
    const named = typeof text === "string" ? targetOf(text, one)?.named : undefined;
    return named !== undefined && isInside(named, one);
  };
  replaced(one.seen.parameters, "", (text, pointer) => {
    const [, list] = /^(.*)\/\d+\/id$/.exec(pointer) ?? [];
    if (list !== undefined && isApart(text)) found.add(list);
    return null;
  });
  const others = (list: string) => {
    const items = valueAt(one.seen.parameters, list);
    const left = (Array.isArray(items) ? items : []).filter((item) => !isObject(item) || !isApart(item.id));
    return left.map((item) => String(isObject(item) ? (item.name ?? item.id) : item));
  };
  return new Map([...found].map((list) => [list, others(list)]));
}

/**
 * The declarable parameters without the lists that are declared apart, and the places of values that can't be declared: they would be read
 * as a reference, or as hidden.
 */
function declarable({ seen, facts, tagParameter, caselessTagKeys }: DeclarableResource, apart: readonly string[]) {
  const foreign: string[] = [];
  const left = [...(facts.readOnly ?? []), ...facts.writeOnly.map(pointerOf), ...apart].map(stepsOf);
  const defaults = defaultsOf(facts);
  const clean = (value: Json, pointer: string, below: readonly (readonly string[])[]): Json | undefined => {
    if (below.some((steps) => steps.length === 0) || value === null || defaults(pointer, value)) return undefined;
    if (isReference(value) || hasReferenceKeys(value) || value === redacted) {
      foreign.push(pointer);
      return undefined;
    }
    const inside = (name: string) =>
      below.filter(([step]) => step === name || step === "*").map((steps) => steps.slice(1));
    if (Array.isArray(value))
      return value.map((item, at) => clean(item, pointerTo(pointer, at), inside(String(at))) ?? null);
    if (!isObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]) => {
      // List items carry etags of their own that change with every write.
      if (pointer !== "" && movingMembers.has(name)) return [];
      const own = clean(member, pointerTo(pointer, name), inside(name));
      return own === undefined ? [] : [[name, own] as const];
    });
    // An object that shows only defaults says nothing.
    const shown = Object.entries(value);
    const isDefault = shown.length > 0 && shown.every(([name, member]) => defaults(pointerTo(pointer, name), member));
    return isDefault ? undefined : Object.fromEntries(members);
  };
  const parameters = clean(seen.parameters, "", left) as JsonObject;
  const tags = Object.entries(seen.tags).filter(([key]) => !isProtocolTag(key, { caselessTagKeys }));
  const carries = facts.taggable && tags.length > 0;
  return { parameters: { ...parameters, ...(carries && { [tagParameter]: Object.fromEntries(tags) }) }, foreign };
}

/**
 * Tells whether a value at a place is its documented default. A place that isn't declared isn't compared, so the plan stays empty without
 * it. In lists everything stays: items are told apart by their members.
 */
function defaultsOf({ defaults = {}, caseless }: ResourceType): (pointer: string, value: Json) => boolean {
  const plain = (value: Json, pointer: string) =>
    caseless.includes(pointer) ? String(value).toLowerCase() : JSON.stringify(value);
  return (pointer, value) => {
    const own = Object.hasOwn(defaults, pointer) ? defaults[pointer] : undefined;
    return own !== undefined && plain(own, pointer) === plain(value, pointer);
  };
}

const movingMembers: ReadonlySet<string> = new Set(["etag", "provisioningState"]);

/** A value with some of its texts replaced; `null` keeps a text. */
function replaced(value: Json, pointer: string, by: (text: string, pointer: string) => Json): Json {
  if (typeof value === "string") return by(value, pointer) ?? value;
  if (Array.isArray(value)) return value.map((item, at) => replaced(item, pointerTo(pointer, at), by));
  return isObject(value) ? mapOwn(value, (member, name) => replaced(member, pointerTo(pointer, name), by)) : value;
}

/** Outputs by which resources refer to each other. */
const linking = ["id", "selfLink"] as const;

/** The resource that a text in parameters names. */
type TargetOf = (text: string, from: Named) => { readonly named: Named; readonly output: string } | null;

function targetsAmong(resources: readonly Named[]): TargetOf {
  const targets = new Map<string, { readonly named: Named; readonly output: string }>();
  for (const named of resources)
    for (const output of linking) {
      const text = named.seen.outputs[output];
      if (typeof text === "string") targets.set(spelled(text, named), { named, output });
    }
  return (text, from) => {
    const found = text.includes("/") ? targets.get(spelled(text, from)) : undefined;
    return found === undefined || found.named === from ? null : found;
  };
}

function linkedFrom(from: Named, targetOf: TargetOf): ReadonlySet<Named> {
  const found = new Set<Named>();
  replaced(from.seen.parameters, "", (text) => {
    const target = targetOf(text, from);
    if (target !== null) found.add(target.named);
    return null;
  });
  return found;
}

/** Turns texts into references, as long as they form no cycle. */
function referencesBy(targetOf: TargetOf): (text: string, from: Named) => Json {
  const needs = new Map<Named, Set<Named>>();
  const reaches = (from: Named, to: Named, seen: Set<Named>): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(needs.get(from) ?? [])].some((next) => reaches(next, to, seen));
  };
  return (text, from) => {
    const found = targetOf(text, from);
    if (found === null || reaches(found.named, from, new Set())) return null;
    needs.set(from, (needs.get(from) ?? new Set()).add(found.named));
    return { $output: `${found.named.path}#${found.output}` };
  };
}

function spelled(text: string, { facts, scope, provider }: DeclarableResource): string {
  return `${provider} ${facts.linkOf?.(text, scope) ?? text}`;
}
