import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import type { WebhookOutcome } from "@liveplane/core";
import { expect, onTestFinished, test } from "vitest";
import { namesBy } from "../../src/webhooks/names.ts";
import { webhookSender } from "../../src/webhooks/webhook-sender.ts";
import { canCertify, ownAuthority } from "./own-authority.ts";
import { stranger } from "./webhook-stranger.ts";

const message = (url: string) => ({ url, headers: { "content-type": "text/plain", "webhook-id": "1" }, body: "ä" });
const patient = () => ({ signal: new AbortController().signal });
const unreachable: WebhookOutcome = { kind: "failed", because: "Unreachable" };
const timedOut: WebhookOutcome = { kind: "failed", because: "TimedOut" };

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    // The sender has hung up: nothing here does.
    await expect.poll(() => [...sockets].every((socket) => socket.destroyed)).toBe(true);
  });
  return (server.address() as AddressInfo).port;
}

/** Writes the same again and again, for as long as the other side reads. Counts what was written. */
function endless(text: string) {
  const state = { bytes: 0 };
  const chunk = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)));
  const answer = (socket: Socket) => {
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    const write = () => {
      while (!socket.destroyed) {
        state.bytes += chunk.byteLength;
        if (!socket.write(chunk)) return void socket.once("drain", write);
      }
    };
    socket.once("data", write);
  };
  return { state, answer };
}

const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n";

test.each([
  ["hints", hint],
  ["empty lines", "\r\n"],
  ["a head", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(100)}`],
])("an answer of endless %s ends at 64 KiB", async (_what, text) => {
  const { state, answer } = endless(text);
  const origin = `http://127.0.0.1:${await listening(createServer(answer))}`;
  const begun = performance.now();
  expect(await webhookSender({ allow: [origin] }).send(message(origin), patient())).toEqual(unreachable);
  expect(performance.now() - begun).toBeLessThan(3000);
  // Beyond the 64 KiB there is what the kernel's buffers on both sides hold.
  expect(state.bytes).toBeLessThan(8_000_000);
});

test.skipIf(!canCertify)("over TLS an answer of endless hints ends at 64 KiB as well", async () => {
  const { ca, tls, end } = ownAuthority();
  onTestFinished(end);
  const { state, answer } = endless(hint);
  const origin = `https://localhost:${await listening(createTlsServer(tls, answer))}`;
  expect(await webhookSender({ allow: [origin], ca }).send(message(origin), patient())).toEqual(unreachable);
  expect(state.bytes).toBeGreaterThan(0);
  expect(state.bytes).toBeLessThan(8_000_000);
});

test("an upgrade ends a delivery at once", async () => {
  const upgrading = createServer((socket) => {
    socket.on("error", () => {});
    const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    socket.once("data", () => void socket.write(head));
  });
  const origin = `http://127.0.0.1:${await listening(upgrading)}`;
  const begun = performance.now();
  const outcome = await webhookSender({ allow: [origin] }).send(message(origin), patient());
  expect(outcome).toEqual({ kind: "answered", status: 101 });
  expect(performance.now() - begun).toBeLessThan(3000);
});

test.each([
  ["hints", [hint]],
  ["a head, letter by letter", [..."HTTP/1.1 200 OK\r\nx: ", ..."y".repeat(10_000)]],
])("a receiver that drips %s has the same time as any other", async (_what, drops) => {
  const dripping = createServer((socket) => {
    let nth = 0;
    socket.on("error", () => {});
    const timer = setInterval(() => socket.write(drops[nth++ % drops.length] ?? ""), 5);
    socket.once("close", () => clearInterval(timer));
  });
  const origin = `http://127.0.0.1:${await listening(dripping)}`;
  const begun = performance.now();
  const sender = webhookSender({ allow: [origin], timeoutMs: 300 });
  expect(await sender.send(message(origin), patient())).toEqual(timedOut);
  expect(performance.now() - begun).toBeLessThan(3000);
});

test("twenty receivers of endless hints hold up no other one, and take no memory", async () => {
  const { answer } = endless(hint);
  const flooding = `http://127.0.0.1:${await listening(createServer(answer))}`;
  const good = await stranger();
  const sender = webhookSender({ allow: [flooding, good.origin] });
  const before = process.memoryUsage();
  let slowest = 0;
  for (let round = 0; round < 5; round++) {
    const floods = Array.from({ length: 20 }, () => sender.send(message(flooding), patient()));
    const begun = performance.now();
    expect(await sender.send(message(good.origin), patient())).toEqual({ kind: "answered", status: 204 });
    slowest = Math.max(slowest, performance.now() - begun);
    expect(await Promise.all(floods)).toEqual(floods.map(() => unreachable));
  }
  const { rss } = process.memoryUsage();
  expect(slowest).toBeLessThan(2000);
  expect(rss - before.rss).toBeLessThan(150_000_000);
});

/** A DNS server that answers nothing. */
async function silentNames(): Promise<string> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

test("names whose servers never answer hold up no other receiver, and nothing else of the process", async () => {
  const lookup = namesBy({ servers: [await silentNames()] });
  const good = await stranger();
  const slow = webhookSender({ lookup, timeoutMs: 1500 });
  const sender = webhookSender({ allow: [good.origin] });
  const begun = performance.now();
  const slowOnes = Array.from({ length: 200 }, (_, nth) => slow.send(message(`https://n${nth}.example/`), patient()));
  await sleep(50);
  const sent = performance.now();
  const named = good.origin.replace("127.0.0.1", "localhost");
  const byName = webhookSender({ allow: [named] });
  // The origin that the host allows is found by the system's resolver, in the pool of threads that files and hashes share.
  expect(await byName.send(message(named), patient())).toEqual({ kind: "answered", status: 204 });
  expect(await sender.send(message(good.origin), patient())).toEqual({ kind: "answered", status: 204 });
  expect(performance.now() - sent).toBeLessThan(1000);
  expect(await Promise.all(slowOnes)).toEqual(slowOnes.map(() => timedOut));
  expect(performance.now() - begun).toBeLessThan(5000);
});

test("a stranger's name is resolved outside of the pool of threads, and no longer than the delivery lasts", async () => {
  const resources = () => process.getActiveResourcesInfo();
  const stop = new AbortController();
  const sending = webhookSender().send(message("https://liveplane.invalid/"), { signal: stop.signal });
  expect(resources()).not.toContain("GetAddrInfoReqWrap");
  stop.abort();
  expect(await sending).toEqual(unreachable);
});
