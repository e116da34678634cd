import { createServer, type Server } from "node:net";
import { LiveplaneError } from "@liveplane/core/errors";

/** The addresses to listen on. A browser looks for localhost at `::1` first; other programs only at `127.0.0.1`. */
export function addressesOf(host: string): readonly [string, ...(readonly string[])] {
  return host === "localhost" ? ["127.0.0.1", "::1"] : [host];
}

/** The address to open: `localhost` for whatever listens on every address, because no browser opens those. @internal */
export function urlOf(host: string, port: number): string {
  const name = /^(?:0\.0\.0\.0|::)$/.test(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** How often a free port is looked for that is free on both addresses. */
const tries = 10;

/** Listens. Connections to a second address become the server's own. Resolves with the address to open, and with all that listens. */
export async function listenOn(server: Server, port: number, host: string) {
  const [address, second] = addressesOf(host);
  for (let left = tries; ; left--) {
    const failure = await bind(server, port, address);
    if (failure !== null) throw refusal(failure, `${host}:${port}`);
    const bound = Object(server.address()).port as number;
    const url = urlOf(host, bound);
    if (second === undefined) return { url, listeners: [server] };
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket));
    const clash = await bind(other, bound, second);
    if (clash === null) return { url, listeners: [server, other] };
    // The machine has no IPv6.
    if (clash.code !== "EADDRINUSE") return { url, listeners: [server] };
    await new Promise((resolve) => server.close(resolve));
    if (port !== 0 || left === 0) throw refusal(clash, `${host}:${bound}`);
  }
}

/** Begins to listen. Resolves with the failure; `null` if there is none. */
export function bind(server: Server, port: number, address: string): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(port, address, () => {
      server.off("error", resolve);
      resolve(null);
    });
  });
}

function refusal(cause: NodeJS.ErrnoException, at: string): LiveplaneError {
  const why = cause.code === "EADDRINUSE" ? "the port is in use; PORT=0 picks a free one" : "the address can't be used";
  return new LiveplaneError("ConfigurationInvalid", `Could not listen at ${at}: ${why}.`, { cause });
}
