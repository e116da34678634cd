import { lookup as systemLookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Duplex, pipeline, Transform } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { WebhookMessage, WebhookOutcome, WebhookSender } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { namesBy } from "./names.ts";
import { isPublicAddress } from "./public-addresses.ts";

/** Options of the sender of webhooks. */
export interface WebhookSenderOptions {
  /**
   * Origins that may be sent to wherever they lead, including `http`: `["https://hooks.internal.example"]`. The host vouches for them.
   *
   * @default none: only https to public addresses
   */
  readonly allow?: readonly string[];
  /** Whether messages may go to programs on this machine, by `http` too. For servers that only its own people reach. @default false */
  readonly allowLoopback?: boolean;
  /** A receiver's total time: name, connection, TLS, hints and the answer's head. @default 10000 */
  readonly timeoutMs?: number;
  /** Additional certificate authorities, in PEM. @default none */
  readonly ca?: string;
  /** How names are resolved. @default by DNS, in a separate pool; by the system's resolver for origins in `allow` */
  readonly lookup?: LookupFunction;
}

/**
 * Sends webhooks with Node's own HTTP: https, to public addresses. A name's address is checked when connecting, and the connection goes to
 * the checked address, so no name can change in between. Each message has its own connection.
 *
 * @throws {ConfigurationInvalid} for an invalid origin.
 */
export function webhookSender(options: WebhookSenderOptions = {}): WebhookSender {
  const { timeoutMs = 10_000, ca, allowLoopback = false } = options;
  const allowed = new Set((options.allow ?? []).map(originOf));
  const isAllowed = (url: URL) => allowed.has(url.origin) || (allowLoopback && isLoopback(url));
  return {
    refusalOf: (url) => (URL.canParse(url) ? refusalOf(new URL(url), isAllowed) : "It must be a valid URL."),
    async send(message, { signal }) {
      const url = new URL(message.url);
      if (refusalOf(url, isAllowed) !== null) return refused;
      const late = AbortSignal.timeout(timeoutMs);
      const ending = AbortSignal.any([signal, late]);
      const { lookup = isAllowed(url) ? systemLookup : namesBy({ signal: ending }) } = options;
      const judged = isAllowed(url) ? lookup : publicOnly(lookup);
      const outcome = await post(url, message, { ending, ca, lookup: judged });
      return outcome.kind === "failed" && late.aborted ? { kind: "failed", because: "TimedOut" } : outcome;
    },
  };
}

const refused: WebhookOutcome = { kind: "failed", because: "AddressRefused" };
const unreachable: WebhookOutcome = { kind: "failed", because: "Unreachable" };

/** Marks a connection that was refused. */
class AddressRefusal extends Error {}

function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (!/^https?:/.test(origin))
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "allow of webhookSender must contain origins, such as https://hooks.example.com.",
    );
  return origin;
}

/** A name, or an IPv6 address without brackets. */
function hostOf({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Why an address can't be a receiver, as far as its text tells. Names are checked when connecting. */
function refusalOf(url: URL, isAllowed: (url: URL) => boolean): string | null {
  if (url.username !== "" || url.password !== "") return "It must not name a user.";
  if (isAllowed(url)) return null;
  if (url.protocol !== "https:") return "It must be https, unless the operators of this server allow its origin.";
  const host = nameOf(url);
  const isInside = isIP(host) === 0 ? isLoopback(url) : !isPublicAddress(host);
  return isInside ? "It must lead to a public address, unless the operators of this server allow its origin." : null;
}

/** A host without brackets and without the dot of the root. */
const nameOf = (url: Pick<URL, "hostname">) => hostOf(url).replace(/\.$/, "");

/** Whether a host is this machine, by its text. */
function isLoopback(url: Pick<URL, "hostname">): boolean {
  const host = nameOf(url);
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/i.test(host) : /^127\.|^::1$/.test(host);
}

/** Resolves like another function, but returns only public addresses. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const all = typeof found === "string" ? [{ address: found, family: isIP(found) }] : (found ?? []);
      const open = all.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (error !== null) return callback(error, "", 0);
      if (first === undefined) return callback(new AddressRefusal(), "", 0);
      return options.all === true ? callback(null, open) : callback(null, first.address, first.family);
    });
  };
}

interface Way {
  readonly ending: AbortSignal;
  readonly ca: string | undefined;
  readonly lookup: LookupFunction;
}

/** The most bytes read from a connection, counted from the first: TLS and hints included. */
const mostBytes = 65_536;

/** One request on its own connection. Only the answer's head is read, then the connection is closed. */
function post(url: URL, { headers, body }: WebhookMessage, { ending, ca, lookup }: Way): Promise<WebhookOutcome> {
  const payload = Buffer.from(body);
  const host = hostOf(url);
  const isTls = url.protocol === "https:";
  const request = (isTls ? httpsRequest : httpRequest)(url, {
    method: "POST",
    headers: { ...headers, "content-length": payload.byteLength, connection: "close" },
    signal: ending,
    maxHeaderSize: 16_384,
    createConnection: () => {
      const socket = boundedConnection(connect({ host, port: Number(url.port) || (isTls ? 443 : 80), lookup }));
      const servername = isIP(host) === 0 ? host : "";
      const line = isTls ? connectTls({ socket, host, servername, ...(ca !== undefined && { ca }) }) : socket;
      return line.on("error", () => {});
    },
  });
  return new Promise((resolve) => {
    const settle = (outcome: WebhookOutcome) => {
      resolve(outcome);
      request.destroy();
    };
    request.once("response", (response) => settle(answerOf(response)));
    request.once("upgrade", (response, socket) => {
      socket.destroy();
      settle(answerOf(response));
    });
    request.on("error", (error) => settle(error instanceof AddressRefusal ? refused : unreachable));
    request.once("close", () => settle(unreachable));
    request.end(payload);
  });
}

/** A connection that is closed once the other side has sent too much. */
function boundedConnection(socket: Socket): Duplex {
  let left = mostBytes;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.byteLength;
      if (left >= 0) done(null, chunk);
      else counting.destroy();
    },
  });
  pipeline(socket, counting, () => {});
  // Its end is an error too, which may come when nobody listens any more.
  return Duplex.from({ readable: counting, writable: socket }).on("error", () => {});
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): WebhookOutcome {
  const retryAfterMs = lengthOf(headers["retry-after"]);
  return { kind: "answered", status: statusCode, ...(retryAfterMs !== null && { retryAfterMs }) };
}

/** How long a receiver asks to wait: in seconds, or until a date. */
function lengthOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now());
}
