import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "@liveplane/core";
import type { OpenConnection } from "./connections.ts";

/** The limits of a server's connections. */
export interface ConnectionLimits {
  /** In total. */
  readonly most: number;
  /** From one address or IPv6 /64 network; `null` for no limit, because a proxy in front holds them all. */
  readonly mostPerAddress: number | null;
}

/** Enforces a server's connection limits. */
export interface ConnectionKeeper {
  /** Whether a request came over a surplus connection: it is refused with an answer, as the last one there. */
  isSurplus(request: IncomingMessage): boolean;
}

/** This many surplus connections still get an answer; others are cut off. */
const mostTold = 100;
/** How long such a connection may wait before its request. */
const toldMs = 2_000;

/**
 * Makes room for the newest connection: at a limit, the connection that has been idle the longest is closed. The newcomer is refused only
 * if all are busy.
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
