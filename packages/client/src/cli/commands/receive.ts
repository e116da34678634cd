import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../../usage-error.ts";
import { takeFlags } from "../arguments.ts";
import { exitCodes } from "../command.ts";
import type { CliHost } from "../host.ts";
import { ownMember } from "../own-member.ts";

/** The port of the guide's example. */
const usualPort = "8090";

/** Larger messages aren't sent by the service. */
const mostBytes = 1_048_576;

/** Receives webhooks on this machine, and prints a line for each until it is interrupted. Asks no service. */
export async function receive(host: CliHost, args: readonly string[]): Promise<number> {
  const given = await takeFlags(args, { port: { type: "string" } });
  const port = Number(given.text("port") ?? usualPort);
  if (given.words.length > 0 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError("Usage: liveplane receive [--port 8090]");
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    response.writeHead(body === null ? 413 : 204, { connection: "close" }).end();
    if (body === null) return;
    host.print(given.isSet("json") ? body : lineOf(body));
  });
  const failed = once(server, "error").then(([error]) => Promise.reject(error));
  server.listen(port, "127.0.0.1");
  try {
    await Promise.race([once(server, "listening"), failed]);
  } catch (cause) {
    throw new UsageError(`Port ${port} can't be used. Choose another one with --port.`, { cause });
  }
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  host.say([
    `Receiving at ${origin}/. Enter this address in a webhook.`,
    `The demo on this machine sends here. Other servers here do if they are started with LIVEPLANE_WEBHOOK_ORIGINS=${origin}.`,
    "Signatures aren't checked. Ctrl-C ends it.",
  ]);
  if (!host.signal.aborted) await once(host.signal, "abort");
  server.close();
  server.closeAllConnections();
  return exitCodes.done;
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) {
    body += part;
    if (body.length > mostBytes) return null;
  }
  return body;
}

/** What a message says: an event's time, type and subject, or the text of a message for people. */
function lineOf(body: string): string {
  const message = parsed(body);
  const [text, ...event] = ["text", "time", "type", "subject"].map((name) => ownMember(message, name));
  if (typeof text === "string") return text;
  return event.every((part) => typeof part === "string") ? event.join("  ") : body;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
