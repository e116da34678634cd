import { credentialHeaders, type OperationId, parseRoute } from "@liveplane/core/contract";
import { keptLines, type Told } from "./kept-lines.ts";
import { type Beside, type Naming, namingsOf, pathOf, plainly } from "./naming-calls.ts";
import { cloudA, cloudB, type Names, type TwoTenants } from "./two-tenants.ts";

/** One call, as it is sent. */
interface Asked extends Beside {
  readonly id: OperationId;
  readonly path: Readonly<Record<string, string>>;
}

/** Two calls that differ in whether there is what one name names: another tenant's, or nobody's. */
export interface Pair {
  readonly id: OperationId;
  /** The name, and where it stands. */
  readonly what: string;
  readonly named: keyof Names;
  readonly foreign: Asked;
  readonly absent: Asked;
}

/** A pair that somebody was answered differently, and the first line by which they were. */
export interface Difference {
  readonly caller: string;
  readonly id: OperationId;
  readonly what: string;
  readonly foreign: string;
  readonly absent: string;
}

/** Every pair of calls of an operation: each name that it can be told, in the path and beside it. */
export function pairsOf(id: OperationId, tenants: TwoTenants): Pair[] {
  return [
    ...inPath(id, tenants),
    ...namingsOf(id, tenants.own).flatMap((naming) => beside(id, naming, tenants)),
  ].filter(({ named, what }) => !isGiven(id, named, what));
}

function inPath(id: OperationId, { own, foreign, absent }: TwoTenants): Pair[] {
  const plain = plainly(id, own);
  const ask = (names: Names): Asked => ({ id, path: pathOf(id, names), ...plain });
  return namesRead((names) => pathOf(id, names), own).flatMap((named) =>
    absences(named, { foreign, absent }).flatMap((none): Pair[] => [
      {
        ...{ id, named, what: `${named} in another's path` },
        ...{ foreign: ask(foreign), absent: ask({ ...foreign, [named]: none }) },
      },
      {
        ...{ id, named, what: `${named} in one's own path` },
        ...{ foreign: ask({ ...own, [named]: foreign[named] }), absent: ask({ ...own, [named]: none }) },
      },
    ]),
  );
}

function beside(id: OperationId, naming: Naming, { own, foreign, absent }: TwoTenants): Pair[] {
  const path = pathOf(id, own);
  const ask = (names: Names): Asked => ({ id, path, ...naming(names) });
  return namesRead(naming, own).flatMap((named): Pair[] => [
    {
      ...{ id, named, what: `${named} beside one's own path` },
      ...{ foreign: ask({ ...own, [named]: foreign[named] }), absent: ask({ ...own, [named]: absent[named] }) },
    },
    {
      ...{ id, named, what: `${named} beside one's own path, with all else that is another's` },
      ...{ foreign: ask(foreign), absent: ask({ ...foreign, [named]: absent[named] }) },
    },
  ]);
}

/** The names that something is made of. */
function namesRead(make: (names: Names) => unknown, names: Names): (keyof Names)[] {
  const read = new Set<keyof Names>();
  make(
    new Proxy(names, {
      get(all, name: keyof Names) {
        read.add(name);
        return all[name];
      },
    }),
  );
  return [...read];
}

/** A component may be missing with its live system, or in one that is there. */
function absences(named: keyof Names, { foreign, absent }: Pick<TwoTenants, "foreign" | "absent">): string[] {
  return named === "component"
    ? [absent.component, `${foreign.liveSystem}/${absent.component.slice(37)}`]
    : [absent[named]];
}

/** Where whoever calls gives a name to what they make, or names somebody whom the operation is there to find. */
const given: Readonly<Partial<Record<OperationId, readonly (keyof Names)[]>>> = {
  "environments.create": ["environment"],
  "organizations.resourceGroups.upsert": ["group"],
  "accounts.resourceGroups.upsert": ["mine"],
  "accounts.resourceGroups.upsertByShortName": ["mine"],
  // A random uuid is a new service account; somebody else's principal is refused.
  "environments.serviceAccounts.assign": ["robot"],
  // Whoever has an account can be granted something by its id.
  "organizations.permissions.grant": ["owner"],
  "organizations.resourceGroups.permissions.grant": ["owner"],
  "organizations.teams.permissions.grant": ["owner"],
};

function isGiven(id: OperationId, named: keyof Names, what: string): boolean {
  const isOwn = named === "mine" || !what.endsWith("another's path");
  return isOwn && given[id]?.includes(named) === true;
}

/** What operators may see of every tenant. */
const operatorsOwn: ReadonlySet<OperationId> = new Set([
  "names.find",
  ...([
    "accounts.list",
    "accounts.get",
    "accounts.suspend",
    "accounts.resume",
    "accounts.delete",
    "accounts.release",
    "accounts.removeFactors",
    "accounts.setPassword",
  ] as const),
  ...(["organizations.suspend"] as const),
  ...([
    "organizations.resume",
    "subscriptions.create",
    "subscriptions.update",
    "subscriptions.list",
    "subscriptions.get",
  ] as const),
  ...(["overrides.list", "events.follow"] as const),
]);

/** Sends pairs as somebody, over HTTP, and finds those that are answered differently by a byte. */
export function createComparison(url: string, { callers }: Pick<TwoTenants, "callers">) {
  const lines = keptLines(url);
  let requests = 0;

  async function told(asked: Asked, caller: string): Promise<Told> {
    requests += 1;
    return lines.ask(written(url, asked, callers[caller] ?? null));
  }

  async function compare(pair: Pair, caller: string): Promise<Difference[]> {
    if (caller === "operator" && operatorsOwn.has(pair.id)) return [];
    const hidden = namesIn(pair);
    const [foreign, absent] = await Promise.all([told(pair.foreign, caller), told(pair.absent, caller)]);
    const [shown, wanted] = [comparable(foreign, hidden), comparable(absent, hidden)];
    if (shown === wanted) return [];
    const [one, other] = [shown.split("\n"), wanted.split("\n")];
    const at = one.findIndex((line, place) => line !== other[place]);
    return [{ caller, id: pair.id, what: pair.what, foreign: one[at] ?? "", absent: other[at] ?? "" }];
  }

  return {
    told,
    requests: () => requests,
    /** The differences that somebody could see, of those pairs that are `chosen`. */
    async differences(
      pairs: readonly Pair[],
      whos: readonly string[],
      chosen: (pair: Pair, caller: string) => boolean = () => true,
    ): Promise<Difference[]> {
      const found = whos.map(async (caller) => {
        const own: Difference[] = [];
        for (const pair of pairs) if (chosen(pair, caller)) own.push(...(await compare(pair, caller)));
        return own;
      });
      return (await Promise.all(found)).flat();
    },
    end: lines.end,
  };
}

/** What every answer has of its own. */
const ownHeaders = new Set(["date", "x-request-id", "ratelimit", "keep-alive", "connection"]);

/** All of an answer, line by line; what the caller named themselves reads alike. */
function comparable({ status, headers, body }: Told, named: readonly string[]): string {
  let [id, lines] = ["", `${status}\n`];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === "x-request-id") id = value;
    if (!ownHeaders.has(lower)) lines += `${name}: ${value}\n`;
  }
  const answer = `${lines}${body}`.replaceAll(id, "<request>");
  return named.reduce((left, name) => left.replaceAll(name, "<name>"), answer);
}

/** The texts by which the two calls of a pair differ. */
function namesIn({ foreign, absent }: Pair): string[] {
  const texts = (one: Asked) => leaves([one.path, one.query, one.body]);
  const [theirs, nobodys] = [texts(foreign), texts(absent)];
  return [...theirs.filter((text) => !nobodys.includes(text)), ...nobodys.filter((text) => !theirs.includes(text))];
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** A request as it goes over the line. */
function written(url: string, { id, path, query = {}, body }: Asked, token: string | null): string {
  const { methods, path: pattern } = parseRoute(id);
  const at = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(id === "events.follow" ? { after: "0", ...query } : query).toString();
  const json = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    host: new URL(url).host,
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(json) }),
    ...credentialsOf(id),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${methods[0]} ${at}${search && `?${search}`} HTTP/1.1\r\n${lines.join("")}\r\n${json}`;
}

function credentialsOf(id: OperationId): Readonly<Record<string, string>> {
  const [, cloud] = /\.(provider[AB])\.(?:initialize|\w*ocations)$/.exec(id) ?? [];
  if (cloud === undefined) return {};
  const named = Object.entries({ ...cloudA, ...cloudB }).filter(([name]) => name.startsWith(cloud));
  return Object.fromEntries(named.map(([name, value]) => [credentialHeaders[name as CredentialName], value]));
}

type CredentialName = keyof typeof credentialHeaders;
