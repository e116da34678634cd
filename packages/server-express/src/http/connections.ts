import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface OpenConnection {
  /** The pending answers, in order. */
  readonly owed: ServerResponse[];
  /** Since when it has no pending answer: the lower, the longer it has been idle. */
  waitsSince: number;
}

/**
 * Follows a server's connections and their pending answers. Shared by everything that needs this, because it runs for every request: one
 * listener for each answer, and a search for the idlest only on demand. Installed before the server's other handlers.
 */
export function followConnections(server: Server): ReadonlyMap<Socket, OpenConnection> {
  const open = new Map<Socket, OpenConnection>();
  let moments = 0;
  server.on("connection", (socket) => {
    open.set(socket, { owed: [], waitsSince: moments++ });
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    const { owed } = connection;
    owed.push(response);
    response.on("close", () => {
      owed.splice(owed.indexOf(response), 1);
      if (owed.length === 0) connection.waitsSince = moments++;
    });
  });
  return open;
}
