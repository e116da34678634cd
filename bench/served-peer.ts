import { type Child, startChild } from "./child.ts";
import { median } from "./harness.ts";
import type { Load, Loaded } from "./peers/load.ts";

/** A server in its own process, and the caller of its requests. */
export interface Peer {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly ownerId: string;
  readonly organizationId: string;
  /** The processor time used so far, in seconds. */
  cpuSeconds(): Promise<number>;
  stop(): void;
}

/** One kind of request. */
export interface Work {
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly path: (peer: Peer) => string;
  readonly body?: (peer: Peer) => string;
}

/** A typical request. */
export const read: Work = {
  what: "GET, authenticated and authorized",
  method: "GET",
  path: ({ ownerId }) => `/environments/Personal/${ownerId}/bench`,
};
/** A request with a body, which changes nothing from the second time on. */
export const grant: Work = {
  what: "POST, validated too",
  method: "POST",
  path: ({ organizationId }) => `/organizations/${organizationId}/permissions/grant`,
  body: ({ ownerId }) => JSON.stringify({ principalType: "Account", principalId: ownerId, permissionType: "View" }),
};

/** Starts a server; members that it doesn't report come from another one. */
export async function startPeer(name: string, app: string, given: readonly string[], of?: Peer): Promise<Peer> {
  const child = startChild(app, given);
  const { url, ...whom } = await child.ask<Partial<Peer> & { readonly url: string }>();
  return {
    name,
    url,
    token: whom.token ?? of?.token ?? "",
    ownerId: whom.ownerId ?? of?.ownerId ?? "",
    organizationId: whom.organizationId ?? of?.organizationId ?? "",
    async cpuSeconds() {
      const { user, system } = await child.ask<NodeJS.CpuUsage>("cpu");
      return (user + system) / 1e6;
    },
    stop: () => child.stop(),
  };
}

/** The result of one server in one round. */
export interface Rates {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** The medians of alternating measurements, and the median of their ratios. */
export function paired(by: keyof Rates, ours: readonly Rates[], theirs: readonly Rates[]) {
  return {
    ratio: median(ours.map((rates, round) => rates[by] / (theirs[round]?.[by] ?? Number.NaN))),
    ours: median(ours.map((rates) => rates[by])),
    theirs: median(theirs.map((rates) => rates[by])),
  };
}

/** Sends this many requests. Fails on any unsuccessful answer. */
export async function load(client: Child, peer: Peer, { method, path, body }: Work, amount: number): Promise<Rates> {
  const before = await peer.cpuSeconds();
  const headers = { authorization: `Bearer ${peer.token}`, "content-type": "application/json" };
  const given: Load = { url: peer.url + path(peer), method, amount, headers, ...(body && { body: body(peer) }) };
  const { seconds, failures } = await client.ask<Loaded>(given);
  if (failures > 0) throw new RangeError(`${peer.name}: ${failures} refusals.`);
  return { perSecond: amount / seconds, perCpuSecond: amount / ((await peer.cpuSeconds()) - before) };
}
