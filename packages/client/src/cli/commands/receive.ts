import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../../usage-error.ts";
import { type Arguments, takeFlags } from "../arguments.ts";
import { exitCodes } from "../command.ts";
import { connect } from "../connection.ts";
import { eventLine } from "../event-words.ts";
import type { CliHost } from "../host.ts";
import { type InNames, namesFor } from "../names.ts";
import { ownMember } from "../own-member.ts";

/** The port of the guide's example. */
const usualPort = "8090";

/** Larger messages aren't sent by the service. */
const mostBytes = 1_048_576;

/** Receives webhooks on this machine, and prints a line for each until it is interrupted. Whoever is signed in sees names instead of IDs. */
export async function receive(host: CliHost, args: readonly string[]): Promise<number> {
  const given = await takeFlags(args, { port: { type: "string" } });
  const port = Number(given.text("port") ?? usualPort);
  if (given.words.length > 0 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError("Usage: liveplane receive [--port 8090]");
  const inNames = await namesIfSignedIn(host, given);
  let printed = Promise.resolve();
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    response.writeHead(body === null ? 413 : 204, { connection: "close" }).end();
    if (body === null) return;
    // A lookup of names must not change the order.
    printed = printed.then(async () => host.print(given.isSet("json") ? body : await lineOf(body, inNames)));
    await printed;
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

async function namesIfSignedIn(host: CliHost, given: Arguments): Promise<InNames> {
  try {
    return namesFor({ ...(await connect(host)), host, given });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return async (texts) => texts;
  }
}

/** What a message says: an event, or the text of a message for people. */
async function lineOf(body: string, inNames: InNames): Promise<string> {
  const message = parsed(body);
  const [text, time, type, subject, actor, data] = ["text", "time", "type", "subject", "actor", "data"].map((name) =>
    ownMember(message, name),
  );
  if (typeof text === "string") return text;
  const isEvent = [time, type, subject, actor].every((part) => typeof part === "string");
  return isEvent ? eventLine({ time, type, subject, actor, data }, inNames) : body;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
