import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "@liveplane/core";
import type { OpenConnection } from "./connections.ts";

/** How many connections a server keeps. */
export interface ConnectionLimits {
  /** In all. */
  readonly most: number;
  /** From one address, or one IPv6 network of 64 bits; `null`: no limit, since a proxy in front has them all. */
  readonly mostPerAddress: number | null;
}

/** Keeps a server's connections within their limits. */
export interface ConnectionKeeper {
  /** Whether a request came over a connection that there is no room for: it is refused by an answer, and is the last one there. */
  isSurplus(request: IncomingMessage): boolean;
}

/** This many connections beyond the limit are still told so by an answer; any more are cut. */
const mostTold = 100;
/** How long such a one may take to ask for something. */
const toldMs = 2_000;

/**
 * Makes room for the newest: where a limit is reached, the connection on which nothing is being answered for the longest time goes first.
 * Only where all are being answered is the newcomer refused.
 */
export function limitConnections(
  server: Server,
  open: ReadonlyMap<Socket, OpenConnection>,
  { most, mostPerAddress }: ConnectionLimits,
): ConnectionKeeper {
  /** The address of each open connection. */
  const kept = new Map<Socket, string>();
  const byAddress = new Map<string, Set<Socket>>();
  const surplus = new Set<Socket>();

  function forget(socket: Socket): void {
    const address = kept.get(socket);
    if (address === undefined) return;
    kept.delete(socket);
    const sockets = byAddress.get(address);
    sockets?.delete(socket);
    if (sockets?.size === 0) byAddress.delete(address);
  }

  function dropFirst(among: Iterable<Socket>): boolean {
    let first: Socket | null = null;
    let since = Number.POSITIVE_INFINITY;
    for (const socket of among) {
      const connection = open.get(socket);
      if (connection === undefined || connection.owed.length > 0 || connection.waitsSince >= since) continue;
      first = socket;
      since = connection.waitsSince;
    }
    if (first === null) return false;
    forget(first);
    first.destroy();
    return true;
  }

  function hasRoom(address: string): boolean {
    const sockets = byAddress.get(address);
    if (mostPerAddress !== null && sockets !== undefined && sockets.size >= mostPerAddress) return dropFirst(sockets);
    return kept.size < most || dropFirst(kept.keys());
  }

  function refuse(socket: Socket): void {
    if (surplus.size >= mostTold) return void socket.destroy();
    surplus.add(socket);
    const impatience = setTimeout(() => socket.destroy(), toldMs);
    socket.once("close", () => {
      clearTimeout(impatience);
      surplus.delete(socket);
    });
  }

  server.on("connection", (socket) => {
    const address = networkOf(socket.remoteAddress ?? "") ?? "";
    if (!hasRoom(address)) return refuse(socket);
    kept.set(socket, address);
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(socket));
    socket.once("close", () => forget(socket));
  });
  return { isSurplus: ({ socket }) => surplus.has(socket) };
}
