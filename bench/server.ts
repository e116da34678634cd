import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import autocannon from "autocannon";
import ky from "ky";
import type { Bench, BenchContext, Ratio, Subject } from "./harness.ts";

/** A server in a process of its own. */
interface Peer {
  readonly url: string;
  readonly token: string;
  readonly ownerId: string;
  readonly organizationId: string;
  /** The processor time that it has used, in milliseconds. */
  cpuMs(): Promise<number>;
  stop(): void;
}

interface Work {
  readonly method: "GET" | "POST";
  readonly path: (peer: Peer) => string;
  readonly body?: (peer: Peer) => string;
}

const read: Work = { method: "GET", path: ({ ownerId }) => `/environments/Personal/${ownerId}/bench` };
const grant: Work = {
  method: "POST",
  path: ({ organizationId }) => `/organizations/${organizationId}/permissions/grant`,
  body: ({ ownerId }) => JSON.stringify({ principalType: "Account", principalId: ownerId, permissionType: "View" }),
};

/** The full GET and POST of the server against servers that do nothing but answer, and the client against bare ones. */
export const bench: Bench = {
  name: "server",
  async run(context) {
    const ours = await start("liveplane-app");
    const same = { ...ours, ownerId: ours.ownerId };
    const peers = await Promise.all(["express-app", "fastify-app", "node-http"].map((name) => start(name, same)));
    try {
      return [
        ...(await compareServers(context, "GET, authenticated and authorized", read, ours, peers, 0.7)),
        ...(await compareServers(context, "POST, validated too", grant, ours, peers, 0.65)),
        ...(await compareClients(context, ours)),
      ];
    } finally {
      for (const peer of [ours, ...peers]) peer.stop();
    }
  },
};

async function start(name: string, of?: Peer): Promise<Peer> {
  const child = fork(join(import.meta.dirname, "peers", `${name}.ts`), {
    execArgv: ["--conditions=@liveplane/source", "--no-warnings"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const started = await message<{ url: string; token?: string; ownerId?: string; organizationId?: string }>(child);
  return {
    url: started.url,
    token: started.token ?? of?.token ?? "",
    ownerId: started.ownerId ?? of?.ownerId ?? "",
    organizationId: started.organizationId ?? of?.organizationId ?? "",
    async cpuMs() {
      child.send("cpu");
      const { user, system } = await message<NodeJS.CpuUsage>(child);
      return (user + system) / 1000;
    },
    stop: () => child.disconnect(),
  };
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new RangeError(`A server of the benchmark ended with ${code}.`)));
    child.once("message", (value) => {
      child.removeAllListeners("exit");
      resolve(value as T);
    });
  });
}

const names = ["Express", "Fastify", "node:http"];

async function compareServers(
  { quick, compare }: BenchContext,
  what: string,
  work: Work,
  ours: Peer,
  peers: readonly Peer[],
  goal: number,
): Promise<Ratio[]> {
  const count = quick ? 1000 : 4000;
  const usage = new Map<Peer, number>();
  const subject = (name: string, peer: Peer): Subject => ({ name, count, work: () => load(peer, work, count, usage) });
  const ratios = await compare({
    what,
    unit: "requests/s",
    ours: subject("liveplane", ours),
    peers: peers.map((peer, at) => ({ ...subject(names[at] ?? "", peer), ...(at === 0 && { goal }) })),
    rounds: 9,
  });
  return [...ratios, ...cpuRatios(what, usage, ours, peers)];
}

/** Sends requests over fifty connections, and fails on any that isn't a success. */
async function load(peer: Peer, { method, path, body }: Work, amount: number, usage: Map<Peer, number>): Promise<void> {
  const before = await peer.cpuMs();
  const result = await autocannon({
    url: peer.url + path(peer),
    method,
    amount,
    connections: 50,
    sampleInt: 10,
    headers: { authorization: `Bearer ${peer.token}`, "content-type": "application/json" },
    ...(body && { body: body(peer) }),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new RangeError(`${peer.url}: ${result.non2xx} refusals.`);
  usage.set(peer, ((await peer.cpuMs()) - before) / amount);
}

/** Processor time of a request in the last round: the inverse ratio of the milliseconds. */
function cpuRatios(what: string, usage: Map<Peer, number>, ours: Peer, peers: readonly Peer[]): Ratio[] {
  const own = usage.get(ours) ?? Number.NaN;
  return peers.map((peer, at) => {
    const theirs = usage.get(peer) ?? Number.NaN;
    const unit = "requests per second of processor time";
    const of = { bench: "server", what: `${what}: processor`, peer: names[at] ?? "", goal: null, unit };
    return { ...of, ratio: theirs / own, ours: 1000 / own, theirs: 1000 / theirs };
  });
}

async function compareClients({ quick, compare }: BenchContext, { url, token, ownerId }: Peer): Promise<Ratio[]> {
  const count = quick ? 20 : 300;
  const at = { type: "Personal", ownerId, shortName: "bench" } as const;
  const address = `${url}/environments/Personal/${ownerId}/bench`;
  const headers = { authorization: `Bearer ${token}`, accept: "application/json", "api-version": "1" };
  const api = createClient({ baseUrl: url, token });
  const bare = ky.create({ headers, retry: 3 });
  const times = (call: () => Promise<unknown>) => async () => {
    for (let done = 0; done < count; done++) await call();
  };
  return compare({
    what: "a call of the client",
    unit: "calls/s",
    ours: { name: "client", count, work: times(() => api.environments.get(at)) },
    peers: [
      { name: "ky", count, goal: 0.85, work: times(() => bare(address).json()) },
      { name: "fetch", count, work: times(async () => (await fetch(address, { headers })).json()) },
    ],
  });
}
