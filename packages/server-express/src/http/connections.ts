import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface OpenConnection {
  /** The answers that it is owed, in their order. */
  readonly owed: ServerResponse[];
  /** Since when it is owed none: the lower, the longer it has waited. */
  waitsSince: number;
}

/**
 * Follows a server's connections and what each is owed. All who look after them share this: it is done for every request, so there is one
 * listener for each answer, and anyone who is to go first is searched for only when somebody must. Goes before the server's other handlers.
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
