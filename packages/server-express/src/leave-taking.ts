import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pass } from "node:timers/promises";

/** The end of a server. */
export interface LeaveTaking {
  /** Fires when the server begins to end. */
  readonly begun: AbortSignal;
  /** Resolves when every request that has come is answered and every connection is closed. Idempotent. */
  close(): Promise<void>;
}

/** Senders that keep their connection learn within it that it ends: cut in silence, their next request could be lost. */
const lingerMs = 100;
/** A request that isn't whole by then never will be. */
const partialMs = 2_000;
/** An answer that isn't taken by then never will be. */
const patienceMs = 30_000;

/** Watches a server's connections, so that it can end without cutting one off before its answer. Goes before its other handlers. */
export function takeLeaveOf(server: Server): LeaveTaking {
  const begun = new AbortController();
  const sockets = new Set<Socket>();
  const unanswered = new Map<ServerResponse, Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    unanswered.set(response, socket);
    response.once("close", () => unanswered.delete(response));
    if (begun.signal.aborted) announce(response);
  });

  function dropPartial(): void {
    const busy = new Set(unanswered.values());
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
  }

  async function leave(): Promise<void> {
    begun.abort();
    for (const response of unanswered.keys()) announce(response);
    if (!server.listening) return;
    if (sockets.size > 0) await pass(lingerMs);
    const timers = [
      setInterval(() => server.closeIdleConnections(), lingerMs),
      setTimeout(dropPartial, partialMs),
      setTimeout(() => server.closeAllConnections(), patienceMs),
    ];
    await new Promise<void>((resolve) => server.close(() => resolve()));
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

function announce(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
