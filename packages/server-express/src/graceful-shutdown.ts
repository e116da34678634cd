import type { Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { OpenConnection } from "./http/connections.ts";

export interface GracefulShutdown {
  /** Aborts when the server begins to close. Later requests are refused with an answer. */
  readonly begun: AbortSignal;
  /** Resolves when every request is answered and every connection is closed. Idempotent. */
  close(): Promise<void>;
}

/** How a server closes. */
export interface GracefulShutdownOptions {
  /** How long connections stay open, so that their next request is told that they close; otherwise it could be lost. */
  readonly drainMs: number;
  /** What accepts the server's connections. */
  readonly listeners: () => readonly NetServer[];
}

const idleMs = 100;
/** How long an incomplete request may take. */
const partialMs = 2_000;
/** How long a slow reader may take for its answer. */
const patienceMs = 30_000;

/** Closes a server without cutting off a connection before its answer. */
export function createGracefulShutdown(
  server: Server,
  open: ReadonlyMap<Socket, OpenConnection>,
  { drainMs, listeners }: GracefulShutdownOptions,
): GracefulShutdown {
  const begun = new AbortController();
  let emptied = () => {};
  server.on("connection", (socket) => {
    socket.once("close", () => {
      if (open.size === 0) emptied();
    });
  });

  function dropPartial(): void {
    for (const [socket, { owed }] of open) if (owed.length === 0) socket.destroy();
  }

  let quiet: readonly Socket[] = [];

  /** Node counts a connection without a request as busy. Anything it sent has arrived after one more turn. */
  function closeQuiet(): void {
    server.closeIdleConnections();
    for (const socket of quiet) if (socket.bytesRead === 0) socket.destroy();
    quiet = [...open.keys()].filter(({ bytesRead }) => bytesRead === 0);
  }

  /** Resolves when the connections have had their time, or are all gone. */
  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      emptied = () => {
        clearTimeout(timer);
        resolve();
      };
      if (open.size === 0) emptied();
    });
  }

  async function leave(): Promise<void> {
    begun.abort();
    for (const { owed } of open.values()) announceLast(owed);
    server.prependListener("request", ({ socket }, response) =>
      announceLast([...(open.get(socket)?.owed ?? []), response]),
    );
    if (!server.listening) return;
    await drained();
    // Directly after the loop has polled for input; at another moment, a request that has arrived would be lost.
    await turn();
    const closed = Promise.all(
      listeners().map((listener) => new Promise<unknown>((resolve) => listener.close(resolve))),
    );
    const timers = [
      setInterval(() => setImmediate(closeQuiet), idleMs),
      setTimeout(dropPartial, partialMs),
      setTimeout(() => server.closeAllConnections(), patienceMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  let left: Promise<void> | undefined;
  return {
    begun: begun.signal,
    close() {
      left ??= leave();
      return left;
    },
  };
}

/** Announces the close on the last answer that a connection owes; on an earlier one, later answers would be lost. */
function announceLast(answers: readonly ServerResponse[]): void {
  const open = answers.filter(({ headersSent }) => !headersSent);
  const last = open.at(-1);
  for (const response of open) if (response !== last) response.removeHeader("Connection");
  last?.setHeader("Connection", "close");
}
