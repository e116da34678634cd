import { createClient } from "@liveplane/client";
import ky from "ky";
import { type Child, startChild } from "./child.ts";
import type { Bench, BenchContext, Ratio } from "./harness.ts";
import { grant, load, type Peer, paired, type Rates, read, startPeer, type Work } from "./served-peer.ts";

/** Ours: alone over memory, and as people run it. */
const own = [
  { name: "memory", app: "liveplane-app", kind: "memory" },
  { name: "SQLite, metrics and limits", app: "liveplane-app", kind: "sqlite" },
] as const;

/** The last three only answer; those before them do the same work. */
const others = [
  { name: "Express + better-auth", app: "better-auth-app" },
  { name: "Fastify + jose", app: "jose-app", kind: "each" },
  { name: "Fastify + jose, tokens remembered", app: "jose-app", kind: "remembered" },
  { name: "bare Express", app: "express-app" },
  { name: "bare Fastify", app: "fastify-app" },
  { name: "bare node:http", app: "node-http" },
] as const;

/**
 * Slow servers answer a part of the requests: while a server idles for eight seconds, V8 shrinks the young generation to a megabyte, and
 * the server then runs at half the speed.
 */
const parts: Readonly<Partial<Record<string, number>>> = { "Express + better-auth": 1 / 4, "Fastify + jose": 1 / 2 };

/** One GET and one grant, repeated by one caller, for information; and the client against bare ones. The goals are those of traffic. */
export const bench: Bench = {
  name: "server",
  async run(context) {
    const client = startChild("load");
    const ours: Peer[] = [];
    const peers: Peer[] = [];
    try {
      await client.ask();
      for (const { name, app, kind } of own) ours.push(await startPeer(name, app, [kind]));
      for (const { name, app, ...given } of others)
        peers.push(await startPeer(name, app, "kind" in given ? [given.kind] : [], ours[0]));
      const lines: Ratio[] = [];
      for (const work of [read, grant]) lines.push(...(await compareServers(context, client, work, ours, peers)));
      return [...lines, ...(await compareClients(context, ours[0] as Peer))];
    } finally {
      for (const peer of [...ours, ...peers]) peer.stop();
      client.stop();
    }
  },
};

async function compareServers(
  { quick }: BenchContext,
  client: Child,
  work: Work,
  ours: readonly Peer[],
  peers: readonly Peer[],
): Promise<Ratio[]> {
  // V8 needs about fifty thousand requests to compile all of a server: the more code, the longer.
  const [amount, rounds, warmUp] = quick ? [1000, 2, 0] : [4000, 11, 13];
  const measured = new Map<Peer, Rates[]>([...ours, ...peers].map((peer) => [peer, []]));
  for (let round = 0; round < rounds + warmUp; round++)
    for (const [peer, rates] of measured) {
      const found = await load(client, peer, work, amount * (parts[peer.name] ?? 1));
      if (round >= warmUp) rates.push(found);
    }
  return ours.flatMap((us) =>
    peers.flatMap((peer) => {
      const [mine, theirs] = [measured.get(us) ?? [], measured.get(peer) ?? []];
      const named = { bench: "server", what: `${work.what}, ${us.name}`, peer: peer.name, goal: null };
      return [
        { ...named, ...paired("perSecond", mine, theirs), unit: "requests/s" },
        { ...named, ...paired("perCpuSecond", mine, theirs), unit: "requests per second of processor time" },
      ];
    }),
  );
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
