import { createServer } from "node:net";
import { LiveplaneError } from "@liveplane/core/errors";
import type { ServerConfig } from "./configuration/config.ts";
import { codeOf } from "./configuration/settings.ts";
import { addressesOf, bind } from "./listening.ts";

/** How many ports are tried if none is configured. */
const tries = 20;

/** The port to listen on: the configured one, otherwise the next free one. Nothing is stored before it is known. */
export async function freePort({ host, port, isPortNamed }: Pick<ServerConfig, "host" | "port" | "isPortNamed">) {
  for (let next = port; ; next++) {
    const failure = await tryPort(host, next);
    if (failure === null) return next;
    if (failure.code === "EADDRINUSE" && !isPortNamed && next + 1 < port + tries) continue;
    const why =
      failure.code === "EADDRINUSE"
        ? "the port is in use. Set PORT to another one, or to 0 for a free one"
        : `the address can't be used${codeOf(failure)}`;
    throw new LiveplaneError("ConfigurationInvalid", `Can't listen on ${host}:${next}: ${why}.`, { cause: failure });
  }
}

/** The failure to listen; `null` if every address is free or doesn't exist. */
async function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const [address, second] = addressesOf(host);
  const failure = await tryAddress(address, port);
  if (failure !== null || second === undefined) return failure;
  const clash = await tryAddress(second, port);
  return clash?.code === "EADDRINUSE" ? clash : null;
}

async function tryAddress(address: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  const failure = await bind(server, port, address);
  if (failure === null) await new Promise((resolve) => server.close(resolve));
  return failure;
}
