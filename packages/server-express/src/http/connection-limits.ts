import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "@liveplane/core";

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

/** So many connections beyond the limit are still told so by an answer; any more are cut. */
const mostTold = 100;
/** So long such a one may take to ask for something. */
const toldMs = 2_000;

interface Kept {
  readonly address: string;
  /** Requests whose answer hasn't got out. */
  owed: number;
}

/**
 * Makes room for the newest: where a limit is reached, the connection on which nothing is being answered for the longest time goes first.
 * Only where all are being answered is the newcomer refused.
 */
export function limitConnections(server: Server, { most, mostPerAddress }: ConnectionLimits): ConnectionKeeper {
  const kept = new Map<Socket, Kept>();
  const byAddress = new Map<string, Set<Socket>>();
  /** Those on which nothing is being answered, the longest waiting first. */
  const waiting = new Set<Socket>();
  const surplus = new Set<Socket>();

  function forget(socket: Socket): void {
    const { address } = kept.get(socket) ?? {};
    if (address === undefined) return;
    kept.delete(socket);
    waiting.delete(socket);
    const sockets = byAddress.get(address);
    sockets?.delete(socket);
    if (sockets?.size === 0) byAddress.delete(address);
  }

  function dropFirst(among: ReadonlySet<Socket>): boolean {
    for (const socket of waiting) {
      if (!among.has(socket)) continue;
      forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function hasRoom(address: string): boolean {
    const sockets = byAddress.get(address);
    if (mostPerAddress !== null && sockets !== undefined && sockets.size >= mostPerAddress) return dropFirst(sockets);
    return kept.size < most || dropFirst(waiting);
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
    kept.set(socket, { address, owed: 0 });
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(socket));
    waiting.add(socket);
    socket.once("close", () => forget(socket));
  });
  server.on("request", ({ socket }, response) => {
    const entry = kept.get(socket);
    if (entry === undefined) return;
    entry.owed += 1;
    waiting.delete(socket);
    response.on("close", () => {
      entry.owed -= 1;
      if (entry.owed === 0 && kept.has(socket)) waiting.add(socket);
    });
  });
  return { isSurplus: ({ socket }) => surplus.has(socket) };
}
