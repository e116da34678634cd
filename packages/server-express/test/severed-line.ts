import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A line to a service that can be severed: what is open breaks, and nothing new gets through until it is mended. */
export interface SeveredLine {
  readonly url: string;
  sever(): void;
  mend(): void;
  /** How many have tried while it was severed. */
  tries(): number;
  end(): Promise<void>;
}

/** Lays a line to a service. */
export async function severedLine(target: string): Promise<SeveredLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let [isSevered, tries] = [false, 0];
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((near) => {
    if (isSevered) {
      tries += 1;
      return void near.destroy();
    }
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => other.destroy());
      socket.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sever() {
      [isSevered, tries] = [true, 0];
      breakAll();
    },
    mend() {
      isSevered = false;
    },
    tries: () => tries,
    async end() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
