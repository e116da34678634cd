import { literalsAfter } from "../../contract/path-literals.ts";
import type { Violation } from "../../errors.ts";
import { fragmentOf, type JsonObject, stepsOf } from "../../json-pointer.ts";
import type { Cloud } from "../../ports/cloud.ts";
import { type DeclaredComponent, type Definition, pathKey } from "./definition.ts";
import { findCycle } from "./dependency-order.ts";
import { extraItemsMistake, isIgnored, placeMistake } from "./ignored.ts";
import { type Reference, referencesIn } from "./references.ts";
import { shapeOf } from "./shape.ts";
import { tagMistakes } from "./tag-mistakes.ts";
import { untaggableBeside } from "./tag-owners.ts";

/** The clouds by provider, with the facts that a declaration needs. */
export type DeclarableClouds = ReadonlyMap<string, Pick<Cloud, "capabilities" | "resourceType">>;

/** A parsed definition. */
export interface Declaration {
  readonly components: readonly ParsedComponent[];
  /** All errors, each with its place; empty if there are none. */
  readonly errors: readonly Violation[];
}

/** A declared component with everything that follows from its declaration. */
export interface ParsedComponent {
  readonly declared: DeclaredComponent;
  /** Sorted paths, declared or implied by references, in the spelling of the named component. */
  readonly dependsOn: readonly string[];
  /** Those that only ignored references imply: they delay its creation, and nothing later. */
  readonly onlyForCreation: readonly string[];
  readonly references: readonly Reference[];
  /** The path of the component that it is overridden with; `null` if it has its own override. */
  readonly overrideWith: string | null;
}

/** A component's declaration without its path and resource. */
export interface DeclaredPart {
  /** As declared, with unresolved references. */
  readonly parameters: JsonObject;
  readonly dependsOn: readonly string[];
  readonly overrideWith: string | null;
  readonly muteDrift: readonly string[];
  readonly ignoreChanges: readonly string[];
  /** Lists that may hold additional items of the cloud. */
  readonly allowExtraItems: readonly string[];
  /** Whole bodies may be written although nothing binds them to what was read. */
  readonly unconditionalWrites: boolean;
  readonly deletionPolicy: "Delete" | "Retain";
}

/** A component's current declaration. */
export interface Declared extends DeclaredPart, Pick<ParsedComponent, "onlyForCreation"> {
  readonly references: readonly Reference[];
  /** Pointers of secrets written literally into the parameters. */
  readonly secrets: readonly string[];
  /** Pointers of values that the cloud accepts and never returns. */
  readonly unobservable: readonly string[];
  /** The digest of its part of the definition in force; `null` if it is no longer declared. */
  readonly digest: string | null;
  /** Its resource is adopted unchanged, or not at all. */
  readonly adoptsExactly: boolean;
  /** It is to be deleted: it is read and shown, and nothing else is done to it. */
  readonly leaving: boolean;
}

/** Names that follow a component's id in a path: no segment may read like one. */
const reservedSegments = literalsAfter("componentId");
const mostSegments = 10;
const segmentPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

/** Parses a definition, with everything that is wrong with it. */
export function parseDeclaration({ components }: Definition, clouds: DeclarableClouds): Declaration {
  const errors: Violation[] = [];
  const report: Report = (at, pointer, detail, code = "InvalidDeclaration") => {
    errors.push({ pointer: fragmentOf(["components", at, ...stepsOf(pointer)]), code, detail });
  };
  const places = judgePaths(components, report);
  const named: Named = (path) => components[places.get(pathKey(path)) ?? -1];
  judgeResourceIds(components, report);
  judgeMoves(components, report);
  const parsed = components.map((declared, at): ParsedComponent => {
    const judged = (pointer: string, detail: string) => report(at, pointer, detail);
    judgeType(declared, { components, clouds, named, judged });
    for (const { pointer, detail } of tagMistakes(declared, clouds.get(declared.provider))) judged(pointer, detail);
    judgePlaces(declared, { clouds, judged });
    const references = judgeReferences(declared, named, judged);
    const needs = dependenciesOf(declared, references, { named, judged });
    return { declared, references, ...needs, overrideWith: tagOwnerOf(declared, named) };
  });
  if (errors.length === 0) judgeCycles(parsed, report);
  return { components: parsed, errors };
}

/** Parses a definition that was validated before. */
export function readDeclaration({ components }: Definition): ParsedComponent[] {
  const places = new Map(components.map((declared) => [pathKey(declared.path), declared]));
  const named: Named = (path) => places.get(pathKey(path));
  return components.map((declared) => {
    const references = referencesIn(declared.parameters).filter((found) => found.kind !== "broken");
    const needs = dependenciesOf(declared, references, { named, judged: () => {} });
    return { declared, references, ...needs, overrideWith: tagOwnerOf(declared, named) };
  });
}

/** What must exist before work on a component starts. Once its resource exists, what only its creation needed doesn't count. */
export function neededBy(
  { dependsOn, onlyForCreation }: Pick<ParsedComponent, "dependsOn" | "onlyForCreation">,
  { isThere }: { readonly isThere: boolean },
): readonly string[] {
  return isThere ? dependsOn.filter((path) => !onlyForCreation.includes(path)) : dependsOn;
}

/** What each component of a deploy waits for. `isThere`: whether the resource at a path exists already. */
export function deployOrder(
  parsed: Iterable<ParsedComponent>,
  isThere: (path: string) => boolean,
): Map<string, readonly string[]> {
  const paths = [...parsed].map((one) => [pathKey(one.declared.path), one] as const);
  return new Map(paths.map(([path, one]) => [path, neededBy(one, { isThere: isThere(path) }).map(pathKey)]));
}

/** A declared component without its path and resource. */
export function partOf({ declared, dependsOn, overrideWith }: ParsedComponent): DeclaredPart {
  const { parameters, muteDrift, ignoreChanges, allowExtraItems, unconditionalWrites, deletionPolicy } = declared;
  return {
    parameters,
    dependsOn,
    overrideWith,
    muteDrift: muteDrift ?? [],
    ignoreChanges: ignoreChanges ?? [],
    allowExtraItems: allowExtraItems ?? [],
    unconditionalWrites: unconditionalWrites ?? false,
    deletionPolicy: deletionPolicy ?? "Delete",
  };
}

export function partIn(declared: DeclaredPart): DeclaredPart {
  const { parameters, dependsOn, overrideWith, muteDrift } = declared;
  const { ignoreChanges, allowExtraItems, unconditionalWrites, deletionPolicy } = declared;
  const places = { muteDrift, ignoreChanges, allowExtraItems };
  return { parameters, dependsOn, overrideWith, ...places, unconditionalWrites, deletionPolicy };
}

/** Whether the last check compared with another declaration than the one in force. */
export function isOutdated({ against }: { readonly against: string | null }, { digest }: Declared): boolean {
  return against !== null && digest !== null && against !== digest;
}

/** Whether a component's current declaration was carried out once. */
export function wasCarriedOut({ carriedOut }: { readonly carriedOut: string | null }, { digest }: Declared): boolean {
  return carriedOut !== null && carriedOut === digest;
}

/** Reports what is meaningless; with `Format`, what is malformed. */
type Report = (at: number, pointer: string, detail: string, code?: "InvalidDeclaration" | "Format") => void;
type Judged = (pointer: string, detail: string) => void;
type Named = (path: string) => DeclaredComponent | undefined;

/** Whether another component's tag decides over this component. */
function isGoverned({ overrideWith }: Pick<DeclaredComponent, "overrideWith">): boolean {
  return overrideWith !== undefined && overrideWith !== null;
}

/** A message repeats only well-formed paths, which hold nothing but names. */
function unknownPath(path: string): string {
  const segments = path.split("/");
  const isPath = segments.length <= mostSegments && segments.every((segment) => segmentPattern.test(segment));
  return isPath ? `No component has the path "${path}".` : "There is no component with this path.";
}

function judgePaths(components: readonly DeclaredComponent[], report: Report): Map<string, number> {
  const places = new Map<string, number>();
  components.forEach(({ path }, at) => {
    const segments = path.split("/");
    if (segments.length > mostSegments)
      report(at, "/path", `A path must have 1 to ${mostSegments} segments.`, "Format");
    if (!segments.every((segment) => segmentPattern.test(segment))) {
      report(
        at,
        "/path",
        "A path's segments must be at most 64 letters, digits and hyphens, and begin and end with a letter or digit.",
        "Format",
      );
    }
    const reserved = segments.find((segment) => reservedSegments.has(segment.toLowerCase()));
    if (reserved !== undefined) report(at, "/path", `A segment of a path cannot be named ${reserved.toLowerCase()}.`);
    if (places.has(pathKey(path))) report(at, "/path", "Another component has this path. Paths ignore case.");
    else places.set(pathKey(path), at);
  });
  return places;
}

function judgeResourceIds(components: readonly DeclaredComponent[], report: Report): void {
  const seen = new Set<string>();
  components.forEach(({ provider, resourceId }, at) => {
    if (typeof resourceId !== "string") return;
    const key = `${provider} ${resourceId.toLowerCase()}`;
    if (seen.has(key)) report(at, "/resourceId", "Another component names the same resource.");
    seen.add(key);
  });
}

function judgeMoves(components: readonly DeclaredComponent[], report: Report): void {
  const seen = new Set<string>();
  components.forEach(({ path, movedFrom }, at) => {
    if (typeof movedFrom !== "string") return;
    const key = pathKey(movedFrom);
    if (key === pathKey(path)) report(at, "/movedFrom", "movedFrom must differ from the component's own path.");
    if (seen.has(key)) report(at, "/movedFrom", "Another component moves from this path.");
    seen.add(key);
  });
}

function judgeType(
  declared: DeclaredComponent,
  {
    components,
    clouds,
    named,
    judged,
  }: { components: readonly DeclaredComponent[]; clouds: DeclarableClouds; named: Named; judged: Judged },
): void {
  const cloud = clouds.get(declared.provider);
  if (cloud === undefined) {
    judged("/provider", `There is no cloud with this name. Choose ${[...clouds.keys()].join(" or ")}.`);
    return;
  }
  if (!isGoverned(declared)) {
    if (!cloud.resourceType(declared.type).taggable) {
      judged("/type", untaggableBeside(declared, components, clouds));
    }
    return;
  }
  const tagOwner = named(declared.overrideWith ?? "");
  const taggable = tagOwner && clouds.get(tagOwner.provider)?.resourceType(tagOwner.type).taggable;
  if (tagOwner === undefined) judged("/overrideWith", unknownPath(declared.overrideWith ?? ""));
  else if (tagOwner === declared) judged("/overrideWith", "overrideWith must name another component.");
  else if (isGoverned(tagOwner) || taggable !== true) {
    judged("/overrideWith", "That component can't be overridden itself. Name one that has tags and no overrideWith.");
  }
}

function judgePlaces(
  { ignoreChanges, allowExtraItems, parameters, provider, type }: DeclaredComponent,
  { clouds, judged }: { readonly clouds: DeclarableClouds; readonly judged: Judged },
): void {
  const cloud = clouds.get(provider);
  const shape = cloud && shapeOf(cloud.resourceType(type));
  const judge = (member: string, pointers: readonly string[] | null | undefined, mistakeOf: typeof placeMistake) =>
    (pointers ?? []).forEach((pointer, at) => {
      const mistake = mistakeOf(pointer, parameters, shape);
      if (mistake !== null) judged(`/${member}/${at}`, mistake);
    });
  judge("ignoreChanges", ignoreChanges, placeMistake);
  judge("allowExtraItems", allowExtraItems, extraItemsMistake);
}

function judgeReferences({ parameters }: DeclaredComponent, named: Named, judged: Judged): Reference[] {
  const references: Reference[] = [];
  for (const found of referencesIn(parameters)) {
    if (found.kind === "broken") judged(`/parameters${found.pointer}`, found.detail);
    else if (found.kind === "output" && named(found.path) === undefined) {
      judged(`/parameters${found.pointer}`, unknownPath(found.path));
    } else references.push(found);
  }
  return references;
}

function dependenciesOf(
  { dependsOn, ignoreChanges }: DeclaredComponent,
  references: readonly Reference[],
  { named, judged }: { named: Named; judged: Judged },
): Pick<ParsedComponent, "dependsOn" | "onlyForCreation"> {
  const paths = new Set<string>();
  const forCreation = new Set<string>();
  (dependsOn ?? []).forEach((path, at) => {
    const found = named(path);
    if (found === undefined) judged(`/dependsOn/${at}`, unknownPath(path));
    else paths.add(found.path);
  });
  for (const reference of references) {
    const found = reference.kind === "output" ? named(reference.path) : undefined;
    const kept = isIgnored(reference.pointer, ignoreChanges ?? []) ? forCreation : paths;
    if (found !== undefined) kept.add(found.path);
  }
  const onlyForCreation = [...forCreation].filter((path) => !paths.has(path));
  return { dependsOn: [...paths, ...onlyForCreation].sort(), onlyForCreation };
}

function tagOwnerOf(declared: DeclaredComponent, named: Named): string | null {
  return isGoverned(declared) ? (named(declared.overrideWith ?? "")?.path ?? null) : null;
}

/** A message names at most this many paths of a circle. */
const mostNamed = 10;

/** Runs on well-formed paths: they hold nothing but names, so a message may repeat them. */
function judgeCycles(parsed: readonly ParsedComponent[], report: Report): void {
  const cycle = findCycle(new Map(parsed.map(({ declared, dependsOn }) => [declared.path, dependsOn])));
  if (cycle === null) return;
  const first = parsed.findIndex(({ declared }) => declared.path === cycle[0]);
  const named = cycle.length > mostNamed ? [...cycle.slice(0, mostNamed), "…", ...cycle.slice(-1)] : cycle;
  report(first, "/dependsOn", `These components depend on each other in a circle: ${named.join(" → ")}.`);
}
