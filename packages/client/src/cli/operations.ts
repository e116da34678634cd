import type { Api } from "@liveplane/core/contract";
import {
  credentialHeaders,
  type OperationId,
  parseRoute,
  pathInWords,
  type Route,
  routes,
} from "@liveplane/core/routes";
import { findAccount, findOrganization, findOwner } from "../owners.ts";
import { UsageError } from "../usage-error.ts";
import { type Pairs, takePairs } from "./arguments.ts";
import { connect } from "./connection.ts";
import { byWhom, ofWhat } from "./event-words.ts";
import { idOfLiveSystem, pathIn } from "./find-component.ts";
import type { CliHost } from "./host.ts";
import { readJsonInput } from "./input.ts";
import { type InNames, inAddressesOf, namesFor } from "./names.ts";
import { bodyOfFlags, dashed, fieldLines, helpOf, requireKnownFlags } from "./operation-fields.ts";
import { tableOf } from "./tables.ts";

/** The operation on a command line. */
interface Named {
  readonly id: OperationId;
  readonly route: Route;
  /** The words after its name. */
  readonly rest: readonly string[];
}

const typedName = (id: OperationId) => id.split(".").map(dashed).join(" ");

/** Every operation by its command words: `environments secrets upsert-many`. */
export const operationNames: ReadonlyMap<string, OperationId> = new Map(
  (Object.keys(routes) as OperationId[]).map((id) => [typedName(id), id]),
);

/** The operation at the start of a command line; `null` if there is none. */
export function namedOperation(args: readonly string[]): Named | null {
  for (let length = Math.min(args.length, 4); length > 0; length--) {
    const id = operationNames.get(args.slice(0, length).map(dashed).join(" "));
    if (id !== undefined) return { id, route: parseRoute(id), rest: args.slice(length) };
  }
  return null;
}

/** These bodies may contain secrets, which must not be in a shell's history. */
const secretBodies = /secrets\.|ciCdProfiles\.|webhooks\.[cu]|assword|^sessions|^tokens|^accounts\.(?:create|activate)/;

/** The usage of an operation, with the fields of its body and an example. */
export async function operationHelp({ id, route }: Named): Promise<string[]> {
  const { methods, path, takes } = route;
  const body = takes === "body" ? " [--field value …] [--body …]" : "";
  const described = await helpOf(route);
  const words = route.params.length > 0 ? ` ${wordsOf(route)}` : "";
  return [
    `liveplane ${typedName(id)}${words}${body}`,
    "",
    `${described.summary}. ${methods[0]} ${path}`,
    ...fieldLines(described, { isInline: !secretBodies.test(id) }),
  ];
}

/** The operations whose names begin with some words, one in a line with what it does; empty if there is none. */
export async function operationsUnder(words: string): Promise<string[]> {
  const within = [...operationNames].filter(([name]) => name.startsWith(`${words} `));
  const width = Math.max(...within.map(([name]) => name.length));
  const described = within.map(async ([name, id]) => {
    const { summary } = await helpOf(parseRoute(id));
    return `  ${name.padEnd(width)}  ${summary}`;
  });
  return Promise.all(described);
}

const wordsOf = ({ params }: Route) => params.map((name) => `<${dashed(name)}>`).join(" ");

/** Calls an operation as the command line says, and prints the answer. Mistakes on the line are named before it connects. */
export async function callOperation(host: CliHost, { id, route, rest }: Named): Promise<void> {
  const { words, isJson, hasIds, pairs, unfinished } = takePairs(rest);
  const { body: text, credentials, ...named } = pairs;
  const credential = Object.keys(pairs).find((flag) => camel(flag) in credentialHeaders);
  if (credential !== undefined)
    throw new UsageError(
      `--${credential} is a credential, and the shell would keep it in its history. Use --credentials <file>.`,
    );
  await requireKnownFlags(route, [...Object.keys(pairs), ...(unfinished === null ? [] : [unfinished])]);
  if (unfinished !== null) throw new UsageError(`--${unfinished} needs a value.`);
  const places = paramsOf(id, route, words);
  if (text !== undefined && route.takes !== "body") throw new UsageError("This operation doesn't accept --body.");
  if (id === "organizations.create" && text === undefined && !named.name)
    throw new UsageError("An organization needs a name. Pass --name, such as --name Acme.");
  const { api } = await connect(host);
  const flags = await withOwnersIds(api, named);
  const takesFields = route.takes === "body" && Object.keys(flags).length > 0;
  const { body: typed, left } = takesFields ? await bodyOfFlags(id, route, flags) : { body: {}, left: flags };
  if (text !== undefined && Object.keys(typed).length > 0)
    throw new UsageError("Pass fields either as flags or in --body, not both.");
  const body = route.takes === "body" ? [text === undefined ? typed : await bodyOf(host, id, text)] : [];
  const options = { ...optionsOf(left), ...(await credentialsOf(host, credentials)), signal: host.signal };
  const params = route.params.length > 0 ? [await withIds(api, id, places, host.signal)] : [];
  const args = [...params, ...body, options];
  const inNames = namesFor({ api, host, given: { isSet: (flag) => flag === "ids" && hasIds } });
  const inAddresses = hasIds ? asTheyAre : inAddressesOf({ api, host, inNames });
  const shown = { isJson, inNames, inAddresses };
  const call = methodOf(api, id);
  if (route.takes === "stream")
    for await (const one of call(...args) as AsyncIterable<unknown>) host.print(JSON.stringify(one));
  else if (route.takes === "page" && !("cursor" in left || "limit" in left))
    await printAll(host, call.all(...args), shown);
  else {
    const answer = await call(...args);
    const gone = isJson ? null : goneBy(id, route, places);
    if (gone !== null) host.print(gone);
    else await printAnswer(host, answer, shown);
    const { nextCursor = null } = Object(answer) as { readonly nextCursor?: string | null };
    if (nextCursor !== null && !isJson) host.say(moreOf(id, nextCursor));
  }
}

/** How the rest of a list is read. */
function moreOf(id: OperationId, cursor: string): string {
  const newest = id === "events.log" ? " For the latest events: --newest 20." : "";
  return `There are more. To continue, add --cursor ${cursor}.${newest}`;
}

/** What a deletion has deleted, as it was typed; `null` for anything else. A live system's only begins. */
function goneBy(id: OperationId, { methods, path }: Route, places: Readonly<Record<string, string>>): string | null {
  if (methods[0] !== "DELETE" || !path.endsWith("}")) return null;
  const words = pathInWords(id, places).toReversed().join(" of the ");
  if (id === "liveSystems.delete") return `The deletion of the ${words} has begun.`;
  return `${/\.revoke\w*$/.test(id) ? "Revoked" : "Deleted"} the ${words}.`;
}

interface Callable {
  (...args: readonly unknown[]): unknown;
  all(...args: readonly unknown[]): AsyncIterable<unknown>;
}

function methodOf(api: Api, id: OperationId): Callable {
  let node: unknown = api;
  for (const name of id.split(".")) node = Reflect.get(node as object, name);
  return node as Callable;
}

/** Parameters in the order of the path; an environment may be one word, `Type/owner/name`. */
function paramsOf(id: OperationId, route: Route, words: readonly string[]): Record<string, string> {
  const { params } = route;
  const isEnvironment = params[0] === "type" && words[0]?.split("/").length === 3;
  const values = isEnvironment ? [...(words[0] ?? "").split("/"), ...words.slice(1)] : [...words];
  // A component's ID begins with its live system's.
  const [system] = params;
  if (
    id.startsWith("liveSystems.components.") &&
    system === "id" &&
    values.length === params.length - 1 &&
    values[0]?.includes("/")
  )
    values.unshift(values[0].split("/")[0] ?? "");
  const stray = values.slice(params.length).join(" ");
  // A word that may be a secret isn't repeated.
  const taken = wordsOf(route) || "flags only";
  if (stray !== "" && !secretBodies.test(id))
    throw new UsageError(`${typedName(id)} doesn't take ${stray}. It takes ${taken}; see --help.`);
  if (values.length !== params.length)
    throw new UsageError(`${typedName(id)} takes ${taken}, but got ${values.length}.`);
  return Object.fromEntries(params.map((name, at) => [name, values[at] ?? ""]));
}

/** Parameters with IDs in place of the names of owners, organizations, accounts and live systems. */
async function withIds(api: Api, id: OperationId, params: Record<string, string>, signal: AbortSignal) {
  const { type, ownerId, organizationId, accountId, id: system, componentId } = params;
  const isSystem = system !== undefined && id.startsWith("liveSystems.");
  const systemId = isSystem ? await idOfLiveSystem(api, system, signal) : system;
  return {
    ...params,
    ...(ownerId !== undefined && { ownerId: await findOwner(api, ownerId, type) }),
    ...(organizationId !== undefined && { organizationId: await findOrganization(api, organizationId) }),
    ...(accountId !== undefined && { accountId: await findAccount(api, accountId) }),
    ...(isSystem && { id: systemId }),
    ...(isSystem &&
      componentId?.startsWith(`${system}/`) && { componentId: `${systemId}${componentId.slice(system.length)}` }),
  };
}

/** Flags that name an account: there, too, `me` is the caller's own. */
const ofAnAccount = /^(?:account|actor|member|owner|principal)(?:-id|Id)?$/;
const ofAnOrganization = /^organization(?:-id|Id)$/;
/** Flags that name what somebody owns, as `Type/owner/name`. */
const ofAPlace = /^resource(?:-g|G)roups$/;

/** Flags with IDs in place of the names of owners. */
async function withOwnersIds(api: Api, flags: Pairs["pairs"]): Promise<Pairs["pairs"]> {
  const idsIn = async (flag: string, text: string) => {
    if (text === "me" && ofAnAccount.test(flag)) return findOwner(api, "me");
    if (ofAnOrganization.test(flag)) return findOrganization(api, text);
    const [, type, owner, name] = (ofAPlace.test(flag) && /^(\w+)\/([^/]+)\/([^/]+)$/.exec(text)) || [];
    return owner === undefined ? text : [type, await findOwner(api, owner, type), name].join("/");
  };
  const known = Object.entries(flags).map(
    async ([flag, given]) =>
      [
        flag,
        typeof given === "string"
          ? await idsIn(flag, given)
          : await Promise.all(given.map((text) => idsIn(flag, text))),
      ] as const,
  );
  return Object.fromEntries(await Promise.all(known));
}

async function bodyOf(host: CliHost, id: OperationId, given: string | readonly string[]): Promise<unknown> {
  if (typeof given !== "string") throw new UsageError("Pass --body only once.");
  const isInline = given !== "-" && !given.startsWith("@");
  if (isInline && given !== "{}" && secretBodies.test(id))
    throw new UsageError(
      "This body may contain a secret, which the shell would keep in its history. Use --body @file, or --body - for standard input.",
    );
  return isInline ? parsed(given) : readJsonInput(host, given === "-" ? "-" : given.slice(1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError("--body isn't valid JSON. Use @file to read a file, or - for standard input.", { cause });
  }
}

function optionsOf(named: Pairs["pairs"]): Record<string, unknown> {
  const asGiven = ([flag, value]: [string, string | readonly string[]]) =>
    [camel(flag), flag === "timeout-ms" ? Number(value) : value] as const;
  return Object.fromEntries(Object.entries(named).map(asGiven));
}

/** Cloud credentials come from a file, because a command line is in the shell's history. */
async function credentialsOf(host: CliHost, file: string | readonly string[] | undefined): Promise<object> {
  if (file === undefined) return {};
  const read = typeof file === "string" ? await readJsonInput(host, file) : null;
  if (typeof read === "object" && read !== null && Object.keys(read).every((name) => name in credentialHeaders))
    return read;
  throw new UsageError(
    `--credentials needs a file that contains only members named ${Object.keys(credentialHeaders).join(", ")}.`,
  );
}

const camel = (flag: string) => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** How an answer is shown. */
interface Shown extends Pick<Pairs, "isJson"> {
  readonly inNames: InNames;
  readonly inAddresses: (addresses: readonly string[]) => Promise<readonly string[]>;
}

const asTheyAre: Shown["inAddresses"] = async (addresses) => addresses;

async function printAll(host: CliHost, items: AsyncIterable<unknown>, shown: Shown): Promise<void> {
  const kept: unknown[] = [];
  for await (const item of items) {
    if (shown.isJson) host.print(JSON.stringify(item));
    else kept.push(item);
  }
  if (!shown.isJson) await printAnswer(host, { items: kept }, shown);
}

/** Prints an answer: JSON for programs; for people a table for a list, and indented JSON for the rest. */
async function printAnswer(host: CliHost, answer: unknown, { isJson, ...names }: Shown): Promise<void> {
  const items = typeof answer === "object" && answer !== null ? Reflect.get(answer, "items") : undefined;
  if (isJson) host.print(JSON.stringify(answer));
  else if (!Array.isArray(items)) host.print(JSON.stringify(answer, null, 2).split("\n"));
  else if (items.length === 0) host.say("None found.");
  else host.print(tableOf(await named(rowsOf(items), names), host.columns));
}

/** Columns that other commands take. */
const addresses = new Set(["id", "address", "principalId"]);

/** Rows with names instead of IDs, except in the columns that other commands take. */
async function named(rows: readonly Record<string, unknown>[], { inNames, inAddresses }: Omit<Shown, "isJson">) {
  const isShown = ([column, value]: [string, unknown]) => !addresses.has(column) && isText(value);
  const texts = rows.flatMap((row) => Object.entries(row).filter(isShown));
  const names = await inNames(texts.map(([, value]) => String(value)));
  const spoken = await inAddresses(rows.flatMap(({ address }) => (typeof address === "string" ? [address] : [])));
  const withIds = new Set(texts.flatMap(([column, value], at) => (names[at] === value ? [column] : [])));
  // A column that shows only names isn't headed as IDs.
  const head = (column: string) => (withIds.has(column) ? column : column.replace(/Id$/, ""));
  let [at, row] = [0, 0];
  return rows.map((one) => {
    const cells = Object.entries(one).map((cell) => (isShown(cell) ? [head(cell[0]), names[at++]] : cell));
    return { ...Object.fromEntries(cells), ...(typeof one.address === "string" && { address: spoken[row++] }) };
  });
}

const isText = (value: unknown) => typeof value === "string";

/** Items as rows: first the address that other commands take, then at most six columns that say something in some row. */
function rowsOf(items: readonly unknown[]): Record<string, unknown>[] {
  const rows = items.map(plainRow);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const telling = names.filter((name) => rows.some((row) => row[name] !== null && row[name] !== ""));
  const [first, ...others] = telling.length === 0 ? names : telling;
  const shown = [first, ...others.slice(0, 6)].filter((name) => name !== undefined);
  return rows.map((row) => Object.fromEntries(shown.map((name) => [name, row[name]])));
}

/** How many of something a plan uses and allows. */
interface Count {
  readonly used: number;
  readonly limit: number | null;
}

/** The plain members of an item, and the counts of a plan. An event that it contains stands for itself. */
function plainRow(item: unknown): Record<string, unknown> {
  if (typeof item !== "object" || item === null) return { value: item };
  const { id, event, ...others } = item as { readonly id?: unknown; readonly event?: unknown };
  if (typeof event === "object" && event !== null) {
    const { sequence, time, type } = event as Record<string, unknown>;
    return { sequence, time, type, subject: ofWhat(event), actor: byWhom(event) };
  }
  const address = typeof id === "object" && id !== null ? { address: Object.values(id).join("/") } : { id };
  const { counts } = others as { readonly counts?: Readonly<Record<string, Count>> };
  const counted = Object.entries(counts ?? {}).map(([name, { used, limit }]) => [
    name,
    limit === null ? String(used) : `${used} of ${limit}`,
  ]);
  const plain = Object.entries(others).flatMap(([name, value]): [string, unknown][] => {
    // Of lists, only this one says why nothing comes.
    if (name === "leavesOut" && Array.isArray(value)) return [[name, value.join(", ")]];
    if (name === "error" && typeof value === "object" && value !== null) return [[name, failureIn(value)]];
    return typeof value !== "object" || value === null ? [[name, value]] : [];
  });
  const columns = plain.filter(([name]) => !/^(version|updated|created|subscriptionId$)/.test(name));
  return Object.fromEntries([...(id === undefined ? [] : Object.entries(address)), ...columns, ...counted]);
}

/** What a mutation failed with, and at which component. */
function failureIn({ code, componentId }: { readonly code?: string; readonly componentId?: string | null }): string {
  return [...(componentId ? [pathIn(componentId)] : []), code ?? "failed"].join(": ");
}
