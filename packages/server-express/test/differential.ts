import { Agent, type IncomingMessage, request } from "node:http";
import { credentialHeaders, type OperationId, parseRoute } from "@liveplane/core/contract";
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
  ...([
    "accounts.list",
    "accounts.get",
    "accounts.suspend",
    "accounts.resume",
    "accounts.delete",
    "accounts.release",
  ] as const),
  ...(["organizations.suspend"] as const),
  ...(["organizations.resume", "subscriptions.create", "subscriptions.update", "subscriptions.get"] as const),
  ...(["overrides.list", "events.follow"] as const),
]);

/** Sends pairs as somebody, over HTTP, and finds those that are answered differently by a byte. */
export function createComparison(url: string, { callers }: Pick<TwoTenants, "callers">) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let requests = 0;

  async function told(asked: Asked, caller: string): Promise<Told> {
    requests += 1;
    return send(url, asked, { agent, token: callers[caller] ?? null });
  }

  async function compare(pair: Pair, caller: string): Promise<Difference[]> {
    if (caller === "operator" && operatorsOwn.has(pair.id)) return [];
    const hidden = (asked: Asked) => namesIn(asked, pair);
    const [foreign, absent] = await Promise.all([told(pair.foreign, caller), told(pair.absent, caller)]);
    const [one, other] = [comparable(foreign, hidden(pair.foreign)), comparable(absent, hidden(pair.absent))];
    const at = one.findIndex((line, place) => line !== other[place]);
    if (at === -1 && one.length === other.length) return [];
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
    end: () => agent.destroy(),
  };
}

/** What was answered. */
export interface Told {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What every answer has of its own. */
const ownHeaders = new Set(["date", "x-request-id", "ratelimit", "keep-alive", "connection"]);

/** All of an answer, line by line; what the caller named themselves reads alike. */
function comparable({ status, headers, body }: Told, named: readonly string[]): string[] {
  const id = headers.find(([name]) => name.toLowerCase() === "x-request-id")?.[1] ?? "";
  const sent = headers.filter(([name]) => !ownHeaders.has(name.toLowerCase())).map((header) => header.join(": "));
  const lines = [String(status), ...sent, body].map((line) => line.replaceAll(id, "<request>"));
  return lines.map((line) => named.reduce((left, name) => left.replaceAll(name, "<name>"), line));
}

/** The texts by which the two calls of a pair differ, as one of them has them. */
function namesIn(asked: Asked, { foreign, absent }: Pair): string[] {
  const texts = (one: Asked) => leaves([one.path, one.query, one.body]);
  const others = new Set(texts(asked === foreign ? absent : foreign));
  return texts(asked).filter((text) => !others.has(text));
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

interface Sending {
  readonly agent: Agent;
  readonly token: string | null;
}

function send(url: string, { id, path, query = {}, body }: Asked, { agent, token }: Sending): Promise<Told> {
  const { methods, path: pattern } = parseRoute(id);
  const at = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(id === "events.follow" ? { after: "0", ...query } : query).toString();
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(json) }),
    ...credentialsOf(id),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${at}${search && `?${search}`}`, { method: methods[0], agent, headers });
    sent.once("error", reject);
    sent.once("response", (response) => read(response, sent.destroy.bind(sent)).then(resolve, reject));
    sent.end(json);
  });
}

function credentialsOf(id: OperationId): Readonly<Record<string, string>> {
  const [, cloud] = /\.(provider[AB])\.(?:initialize|\w*ocations)$/.exec(id) ?? [];
  if (cloud === undefined) return {};
  const named = Object.entries({ ...cloudA, ...cloudB }).filter(([name]) => name.startsWith(cloud));
  return Object.fromEntries(named.map(([name, value]) => [credentialHeaders[name as CredentialName], value]));
}

type CredentialName = keyof typeof credentialHeaders;

/** A stream is read for as long as what stands in the log takes to come. */
const streamMs = 25;

async function read(response: IncomingMessage, leave: () => void): Promise<Told> {
  const { statusCode: status = 0, rawHeaders } = response;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []));
  const chunks: Buffer[] = [];
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  if (isStream) setTimeout(leave, streamMs);
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isStream) throw error;
  }
  return { status, headers, body: Buffer.concat(chunks).toString() };
}
