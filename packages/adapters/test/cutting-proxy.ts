import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to the next commit: it doesn't reach the server, its answer doesn't reach the client, or nothing is heard any more. */
export type Cut = "before it arrives" | "before its answer" | "silence";

/** A line to a Postgres that can be cut at the worst moment. */
export interface CuttingProxy {
  /** The same connection string, by way of the proxy. */
  readonly connectionString: string;
  /** Cuts the connection that next sends a commit. */
  cutNext(cut: Cut): void;
  /** From now on nothing is passed on, on any connection. */
  silence(): void;
  /** Connections are possible again; those that fell silent are gone. */
  heal(): void;
  /** How many were cut. */
  cuts(): number;
  end(): Promise<void>;
}

/** Stands between a store and its Postgres. */
export async function cuttingProxy(connectionString: string): Promise<CuttingProxy> {
  const target = new URL(connectionString);
  const sockets = new Set<Socket>();
  let [armed, cuts]: [Cut | null, number] = [null, 0];
  let isSilent = false;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let cut: Cut | null = null;
    const both = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", both).on("close", both);
    }
    client.on("data", (bytes) => {
      if (isSilent) return;
      if (armed !== null && bytes.includes("liveplane-commit")) {
        [cut, armed, cuts] = [armed, null, cuts + 1];
      }
      if (cut === "before it arrives") return both();
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (isSilent) return;
      if (cut === null) return client.write(bytes);
      if (cut === "before its answer") both();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = new URL(connectionString);
  address.port = String((server.address() as AddressInfo).port);

  return {
    connectionString: address.href,
    cutNext(cut) {
      armed = cut;
    },
    silence() {
      isSilent = true;
    },
    heal() {
      isSilent = false;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    cuts: () => cuts,
    async end() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
