import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { OpenConnection } from "./http/connections.ts";

export interface GracefulShutdown {
  /** Fires when the server begins to end. What is asked from then on is refused by an answer. */
  readonly begun: AbortSignal;
  /** Resolves when every request that has come is answered and every connection is closed. Idempotent. */
  close(): Promise<void>;
}

/** How a server ends. */
export interface GracefulShutdownOptions {
  /** How long connections stay open, for their next request to be told that they end: cut in silence, it could be lost. */
  readonly drainMs: number;
}

const idleMs = 100;
/** A request that isn't whole by then never will be. */
const partialMs = 2_000;
/** An answer that isn't taken by then never will be. */
const patienceMs = 30_000;

/** Ends a server over its open connections without cutting one off before its answer. */
export function createGracefulShutdown(
  server: Server,
  open: ReadonlyMap<Socket, OpenConnection>,
  { drainMs }: GracefulShutdownOptions,
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

  /** Node counts a connection that asked for nothing yet as busy. What it said, if anything, is here after one more round. */
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
    // Right after the loop has taken in what there was: closed at another moment, a request that has come would be lost.
    await turn();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
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

/** Says on the last answer that a connection owes that it ends with it; said on an earlier one, the others would not get out. */
function announceLast(answers: readonly ServerResponse[]): void {
  const open = answers.filter(({ headersSent }) => !headersSent);
  const last = open.at(-1);
  for (const response of open) if (response !== last) response.removeHeader("Connection");
  last?.setHeader("Connection", "close");
}
