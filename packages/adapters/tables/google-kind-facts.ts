import type { GoogleKind, GoogleSetter } from "../src/google/google-kinds.ts";
import { membersDeclared } from "./declared-members.ts";
import { type Default, type DescribedOperation, type MemberTypes, marks, ordered } from "./described-api.ts";
import type { GoogleDescription, GoogleMethod } from "./google-descriptions.ts";
import type { GoogleService } from "./google-kinds.ts";
import { defaultsAt, markedPointers, unechoedPointers, wantedPointers } from "./marked-pointers.ts";

/** A method, and how it is called. */
export interface Found {
  readonly method: GoogleMethod;
  readonly described: DescribedOperation;
}

/** What a kind is read from. */
export interface KindSources {
  readonly of: GoogleService;
  readonly found: readonly Found[];
  readonly schemas: Readonly<Record<string, MemberTypes>>;
  readonly description: GoogleDescription;
  /** Members that hold whole numbers as texts, as `Schema.member`. */
  readonly wholeNumbers: ReadonlySet<string>;
  /** Members that are switched on by default, as `service.Schema.member`. */
  readonly defaults: ReadonlyMap<string, Default>;
}

/** What the methods of a collection say of the kind that lies in it. */
export function googleKind({ of, found, schemas, description, wholeNumbers, defaults }: KindSources): GoogleKind {
  const by = (...names: string[]) => found.find(({ method }) => names.includes(method.name));
  const gets = found.filter(({ method }) => method.name === "get").map(({ described }) => described.path);
  const [get, create, remove] = [by("get"), by("insert", "create"), by("delete")];
  const patch = by("patch") ?? found.find((one) => one.method.name === "update" && !isUpdateOfParts(one, found));
  const shown = get?.described.answers["200"] ?? null;
  const members = membersOf(schemas, shown);
  const holder = create && heldIn(create.described.body, { schemas, shown });
  const body = holder ? shown : (create?.described.body ?? shown);
  const isOutdated = (name: string) => isDeprecated(description, shown, name);
  const change = changedBy(found, patch, { schemas, shown });
  const made = create && createdBy(create, get, { schemas, shown, description });
  // A member that holds nothing but the name.
  const named =
    /^body:(\w+)\//
      .exec(made?.name ?? "")
      ?.slice(1)
      .map((member) => `/${member}`) ?? [];
  const labels = labelsOf(members, by("setLabels", "setResourceLabels"), patch, schemas);
  return {
    version: of.version,
    paths: [...new Set(gets)].sort(),
    collection: gets[0]?.split("/").findLast((segment) => segment !== "{}") ?? "",
    create: made ?? null,
    change,
    setters: settersOf(found, { schemas, members, of, patched: change?.at ?? [] }),
    labels: labels.how,
    labelsAt: labels.at,
    ...(labels.call !== undefined && { labelsCall: labels.call }),
    etag:
      (["metageneration", "fingerprint", "etag"] as const).find(
        (name) => members[name] !== undefined && !isOutdated(name) && !isOnlyShown(name, members[name]),
      ) ?? "none",
    labelFingerprint: members.labelFingerprint !== undefined,
    boundDeletion: ["etag", "ifMetagenerationMatch"].filter((name) => remove && hasQuery(remove.described, name)),
    list: listedBy(by("list"), by("aggregatedList"), { schemas, shown }),
    operations: /Operation$/.test(create?.method.answer ?? ""),
    required: markedPointers(schemas, body, marks.required).filter((pointer) => !named.includes(pointer)),
    immutable: markedPointers(schemas, body, marks.immutable),
    readOnly: [...markedPointers(schemas, shown, marks.readOnly), ...named].sort(),
    ...googleUnechoed(schemas, body),
    wholeNumbers: wantedPointers(
      schemas,
      body,
      ({ name, schema, type }) =>
        type === "string" && wholeNumbers.has(`${schema.slice(schema.indexOf(".") + 1)}.${name}`),
    ),
    defaults: defaultsAt(schemas, body, defaults),
    maps: change === null || change.mask === "none" ? [] : mapsIn(schemas, body),
  };
}

/** Maps and values of any form. What is in lists doesn't count, because a mask can't look into them. */
function mapsIn(schemas: Readonly<Record<string, MemberTypes>>, body: string | null): string[] {
  const found = wantedPointers(schemas, body, ({ type }) => type.startsWith("{}") || type === "any", Infinity);
  return found.filter((pointer) => !pointer.includes("/*"));
}

/** None of Google's members has a call that shows it alone. */
function googleUnechoed(schemas: Readonly<Record<string, MemberTypes>>, body: string | null) {
  const { apart: _, ...unechoed } = unechoedPointers(schemas, body);
  return unechoed;
}

function membersOf(schemas: Readonly<Record<string, MemberTypes>>, reference: string | null): MemberTypes {
  return schemas[reference?.slice(1) ?? ""] ?? {};
}

/** What a description tells not to use any more says nothing that can be relied on. */
function isDeprecated(description: GoogleDescription, shown: string | null, name: string): boolean {
  return /\bdeprecated\b/i.test(remarkOn(description, shown, name));
}

/** What is said of a member of the resource. */
function remarkOn({ schemas }: GoogleDescription, shown: string | null, name: string): string {
  const node = schemas.get(shown?.slice(shown.indexOf(".") + 1) ?? "");
  return (node && membersDeclared(node).find((member) => member.name === name)?.remark) ?? "";
}

/** The service gives each new resource its name. */
function isChosen(remark: string): boolean {
  return /\bdo not include the name field\b/i.test(remark);
}

/** An etag that is read-only can't be sent back, so it binds no write. */
function isOnlyShown(name: string, type: MemberTypes[string] | undefined): boolean {
  return name === "etag" && typeof type === "string" && type.endsWith(marks.readOnly);
}

function createdBy(found: Found, get: Found | undefined, { schemas, shown, description }: NamingShapes) {
  const name = nameGiven(found, get, { schemas, shown, description });
  const { method, described } = found;
  const query = described.query.filter((own) => own.endsWith("!") && own !== "project!").map((own) => own.slice(0, -1));
  return { method: method.verb, name, body: heldIn(described.body, { schemas, shown }), query };
}

interface Shapes {
  readonly schemas: Readonly<Record<string, MemberTypes>>;
  /** The schema of the resource as it is read. */
  readonly shown: string | null;
}

interface NamingShapes extends Shapes {
  readonly description: GoogleDescription;
}

/** The member of a request that the resource stands in; `null`: the request is the resource. */
function heldIn(body: string | null, { schemas, shown }: Shapes): string | null {
  if (body === shown) return null;
  const held = Object.entries(membersOf(schemas, body)).find(
    ([, type]) => typeof type === "string" && type.replace(/[!\-=*]+$/, "") === shown,
  );
  return held?.[0] ?? null;
}

function changedBy(found: readonly Found[], patch: Found | undefined, shapes: Shapes): GoogleKind["change"] {
  if (patch === undefined) return null;
  const { method, described } = patch;
  const same = found.filter((one) => one.method.name === method.name);
  return {
    method: method.verb,
    mask: maskOf(patch, shapes.schemas),
    body: heldIn(described.body, shapes),
    at: [...new Set(same.map((one) => namedAt(one, found)))].sort(),
  };
}

/** Where a call is sent; with the name in the query where its path is the collection's. */
function namedAt({ described: { path, query } }: Found, found: readonly Found[]): string {
  const isResource = found.some((one) => one.method.name === "get" && one.described.path === path);
  if (isResource) return path;
  const name = query.find((own) => own === "name") ?? query.find((own) => own !== "requestId");
  return `${path}?${name}={}`;
}

/** An update whose body isn't the resource: it names what is changed, in members of its own. */
function isUpdateOfParts({ method }: Found, found: readonly Found[]): boolean {
  const shown = found.find((one) => one.method.name === "get")?.described.answers["200"] ?? null;
  return method.name === "update" && !found.some((one) => one.method === method && one.described.body === shown);
}

interface SetterShapes {
  readonly schemas: Shapes["schemas"];
  readonly members: MemberTypes;
  readonly of: GoogleService;
  readonly patched: readonly string[];
}

/** Where nothing is patched, and where a member is changed by no other way. */
function settersOf(found: readonly Found[], shapes: SetterShapes): GoogleKind["setters"] {
  const { schemas, of, patched } = shapes;
  const paths = found.filter(({ method }) => method.name === "get").map(({ described }) => described.path);
  const setters: Record<string, GoogleSetter> = {};
  for (const one of found) {
    const { method, described } = one;
    const path = paths.find((own) => described.path.startsWith(own)) ?? "";
    const call = described.path.slice(path.length);
    const sent = membersOf(schemas, described.body);
    const isNeeded = method.name === "resize" || !patched.includes(path);
    const isParts = isUpdateOfParts(one, found);
    if (!isNeeded || path === "" || !(isParts || (method.verb === "POST" && call !== ""))) continue;
    for (const [member, at] of isParts ? partsOf(sent, shapes) : onlyMemberOf(sent, shapes)) {
      const needs = Object.entries(of.needs ?? {}).filter(([name]) => String(sent[name]).includes(marks.required));
      const setter = {
        ...(method.verb !== "POST" && { method: method.verb }),
        call: call.replace(/^\//, ""),
        ...(at !== member && { member: at }),
        ...(needs.length > 0 && { needs: Object.fromEntries(needs) }),
        at: [...(setters[member]?.at ?? []), path].sort(),
      };
      // A call for one member says more than an update of many.
      if (!isParts || setters[member] === undefined) setters[member] = setter;
    }
  }
  return ordered(setters);
}

/** The one member that a call sets, if it sets only one. */
function onlyMemberOf(sent: MemberTypes, { members, of }: SetterShapes): [string, string][] {
  const beside = new Set(["fingerprint", "name", "projectId", "zone", "clusterId", "nodePoolId"]);
  const own = Object.keys(sent).filter((name) => (name === "zone" ? of.needs === undefined : !beside.has(name)));
  const [member, ...others] = own;
  const isOne = member !== undefined && others.length === 0 && members[member] !== undefined && member !== "labels";
  return isOne ? [[member, member]] : [];
}

/** What an update of parts can change: members of the same name and type, or that one with `desired` before it. */
function partsOf(sent: MemberTypes, { members, schemas }: SetterShapes): [string, string][] {
  const held = membersOf(schemas, typeof sent.update === "string" ? sent.update.replace(/[!\-=*]+$/, "") : null);
  const parts = {
    ...sent,
    ...Object.fromEntries(Object.entries(held).map(([name, type]) => [`update/${name}`, type])),
  };
  return Object.entries(parts).flatMap(([at, type]): [string, string][] => {
    const name = at.replace(/^update\//, "");
    const bare = name.replace(/^desired([A-Z])/, (_, first: string) => first.toLowerCase());
    const isOwn = members[bare] === type && bare !== "name" && bare !== "etag";
    return isOwn ? [[bare, at]] : [];
  });
}

/** That a dash in place of a location means all of them. */
const takesDash = /"-" matches all|use "-" in place of a location|`-` \(wildcard\)/;

function listedBy(
  list: Found | undefined,
  aggregated: Found | undefined,
  { schemas, shown }: Shapes,
): GoogleKind["list"] {
  if (list === undefined) return null;
  const page = membersOf(schemas, list.described.answers["200"] ?? null);
  const items = Object.entries(page).find(([, type]) => typeof type === "string" && type.startsWith(`[]${shown}`));
  const size = ["maxResults", "pageSize"].find((name) => hasQuery(list.described, name)) ?? null;
  const dash = takesDash.test(list.method.remark) ? "dash" : null;
  const everywhere = aggregated === undefined ? dash : "aggregated";
  return items === undefined ? null : { items: items[0], size, ...(everywhere && { everywhere }) };
}

function maskOf({ described }: Found, schemas: Readonly<Record<string, MemberTypes>>): "query" | "body" | "none" {
  if (hasQuery(described, "updateMask")) return "query";
  return membersOf(schemas, described.body).updateMask === undefined ? "none" : "body";
}

function hasQuery({ query }: DescribedOperation, name: string): boolean {
  return query.includes(name) || query.includes(`${name}!`);
}

function nameGiven(
  { method, described }: Found,
  get: Found | undefined,
  { schemas, shown, description }: NamingShapes,
): string {
  const given = method.query
    .map((name) => name.replace("!", ""))
    .find((name) => /[a-z]Id$/.test(name) && name !== "requestId" && name !== "clientOperationId");
  if (given !== undefined) return `query:${given}`;
  const members = membersOf(schemas, described.body);
  const holder = heldIn(described.body, { schemas, shown });
  const own = ["accountId", "roleId", "name"].find((name) => members[name] !== undefined);
  if (own === undefined && holder !== null && membersOf(schemas, shown).name !== undefined) return "held:name";
  if (described.path.endsWith("{}")) return "path";
  const inPath = /(\/\{\w+\}){2,}$/.exec(get?.method.url ?? "")?.[0].match(/\w+/g);
  if (inPath) return `body:${inPath.join(",")}`;
  if (own === "name" && isChosen(remarkOn(description, shown, own))) return "chosen";
  if (own === "name" && get?.method.url.endsWith("/{+name}")) return "whole:name";
  if (own !== undefined) return `body:${own}`;
  // BigQuery's are named by a reference, as a member of their own.
  const kind = shown?.slice(shown.indexOf(".") + 1).toLowerCase() ?? "";
  return members[`${kind}Reference`] === undefined ? "path" : `body:${kind}Reference/${kind}Id`;
}

/** Cloud SQL keeps its labels among an instance's settings; those of clusters have another name. */
function labelsOf(
  members: MemberTypes,
  setLabels: Found | undefined,
  patch: Found | undefined,
  schemas: Readonly<Record<string, MemberTypes>>,
): { readonly how: GoogleKind["labels"]; readonly at: readonly string[]; readonly call?: string } {
  if (setLabels !== undefined) {
    const { name } = setLabels.method;
    return name === "setLabels"
      ? { how: "call", at: ["labels"] }
      : { how: "call", at: ["resourceLabels"], call: `:${name}` };
  }
  const how = patch === undefined ? "creation" : "body";
  if (members.labels !== undefined) return { how, at: ["labels"] };
  if (members.userLabels !== undefined) return { how, at: ["userLabels"] };
  const { settings } = members;
  const isUsers = typeof settings === "string" && membersOf(schemas, settings).userLabels !== undefined;
  return isUsers ? { how, at: ["settings", "userLabels"] } : { how: "none", at: [] };
}
