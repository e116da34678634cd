import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isPublicAddress } from "../../src/webhooks/public-addresses.ts";
import { webhookSender } from "../../src/webhooks/webhook-sender.ts";
import { canCertify, ownAuthority } from "./own-authority.ts";
import { stranger } from "./webhook-stranger.ts";

const patient = { signal: new AbortController().signal };
const message = (url: string) => ({ url, headers: { "content-type": "text/plain", "webhook-id": "1" }, body: "ä" });

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return `http://${await listening(server)}`;
}

test.each([
  ["127.0.0.1", false],
  ["10.1.2.3", false],
  ["172.16.0.1", false],
  ["172.32.0.1", true],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["168.63.129.16", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["8.8.8.8", true],
  ["::1", false],
  ["::", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["::7f00:1", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
  ["2001::1", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["fc00::1", false],
  ["fd00:ec2::254", false],
  ["ff02::1", false],
  ["2606:4700:4700::1111", true],
  ["localhost", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test.each([
  "http://example.com/",
  "ftp://example.com/",
  "https://user:pass@example.com/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f.0.0.1/",
  "https://[::1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://169.254.169.254/latest/meta-data/",
  "https://localhost/",
  "https://LOCALHOST./",
  "https://a.localhost/",
  "nothing",
])("%s is refused by its text, in words that don't repeat it", async (url) => {
  const refusal = webhookSender().refusalOf(url);
  expect(refusal).toMatch(/^It /);
  expect(refusal).not.toContain("127");
  if (URL.canParse(url))
    expect(await webhookSender().send(message(url), patient)).toEqual({ kind: "failed", because: "AddressRefused" });
});

test("a good address is not refused by its text, and an origin that the host allows is not at all", () => {
  expect(webhookSender().refusalOf("https://example.com:8443/hook?key=1")).toBeNull();
  const sender = webhookSender({ allow: ["http://10.0.0.7:8080/"] });
  expect(sender.refusalOf("http://10.0.0.7:8080/hook")).toBeNull();
  expect(sender.refusalOf("http://10.0.0.7:8081/hook")).not.toBeNull();
  expect(() => webhookSender({ allow: ["10.0.0.7"] })).toThrow(/origins/);
});

test.each(["http://localhost:8090/", "http://127.0.0.1:1/", "http://[::1]/", "https://hook.localhost/"])(
  "%s is sent to only if the host allows its own machine",
  async (url) => {
    const own = webhookSender({ allowLoopback: true });
    expect(own.refusalOf(url)).toBeNull();
    expect(webhookSender().refusalOf(url)).not.toBeNull();
    for (const other of ["http://10.0.0.7/", "http://localhost.example/", "http://[::1:1]/", "http://127.example.com/"])
      expect(own.refusalOf(other), other).not.toBeNull();
  },
);

/** A resolver that says what it is told, one answer after the other. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family ?? 4);
  };
  return { lookup, asked };
}

test("a name that leads inside is refused when it is connected to, however it led before", async () => {
  const connected: string[] = [];
  const inside = createTcpServer((socket) => {
    connected.push("inside");
    socket.destroy();
  });
  const port = (await listening(inside)).split(":")[1];
  const url = `https://rebinding.example:${port}/`;
  for (const answers of [
    [["127.0.0.1"]],
    [["::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
    [["::1", "127.0.0.1"]],
    [["127.0.0.1"], ["93.184.216.34"]],
  ]) {
    const { lookup, asked } = resolver(...answers);
    const sender = webhookSender({ lookup, timeoutMs: 2000 });
    expect(sender.refusalOf(url)).toBeNull();
    expect(await sender.send(message(url), patient)).toEqual({ kind: "failed", because: "AddressRefused" });
    expect(asked).toEqual(["rebinding.example"]);
  }
  expect(connected).toEqual([]);
});

test("where a name leads both outside and inside, the connection goes outside alone", async () => {
  let connections = 0;
  const inside = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = (await listening(inside)).split(":")[1];
  // A block that nobody was given: the attempt fails, and nothing falls back to the other address.
  const { lookup } = resolver(["2bff::1", "127.0.0.1"]);
  const sender = webhookSender({ lookup, timeoutMs: 500 });
  const outcome = await sender.send(message(`https://both.example:${port}/`), patient);
  expect(outcome).toMatchObject({ kind: "failed" });
  expect(outcome).not.toMatchObject({ because: "AddressRefused" });
  expect(connections).toBe(0);
});

test("a message arrives as it is, and of the answer only its head counts", async () => {
  const got: { method: string | undefined; headers: object; body: string }[] = [];
  const origin = await receiver(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    got.push({ method: request.method, headers: request.headers, body });
    response.writeHead(200);
    // An answer that never ends.
    response.write("x".repeat(1000));
  });
  const sender = webhookSender({ allow: [origin] });
  expect(await sender.send(message(`${origin}/hook?key=1`), patient)).toEqual({ kind: "answered", status: 200 });
  expect(got).toMatchObject([{ method: "POST", body: "ä", headers: { "webhook-id": "1", "content-length": "2" } }]);
});

test.skipIf(!canCertify)(
  "over TLS only who is certified for the name by a known authority is told anything",
  async () => {
    const { ca, tls, end } = ownAuthority();
    onTestFinished(end);
    const { origin, got } = await stranger({ tls });
    const elsewhere = origin.replace("localhost", "127.0.0.1");
    const allow = [origin, elsewhere];
    const unreachable = { kind: "failed", because: "Unreachable" };
    expect(await webhookSender({ allow }).send(message(origin), patient)).toEqual(unreachable);
    expect(await webhookSender({ allow, ca }).send(message(elsewhere), patient)).toEqual(unreachable);
    expect(got).toEqual([]);
    const { lookup } = resolver(["127.0.0.1"]);
    const sender = webhookSender({ allow, ca, lookup });
    expect(await sender.send(message(origin), patient)).toEqual({ kind: "answered", status: 204 });
    expect(got).toMatchObject([{ body: "ä" }]);
  },
);

test("a redirect is an answer like any other: nobody goes where it leads", async () => {
  let visits = 0;
  const other = await receiver((_, response) => {
    visits += 1;
    response.end();
  });
  const origin = await receiver((_, response) => response.writeHead(307, { location: `${other}/` }).end());
  const sender = webhookSender({ allow: [origin, other] });
  expect(await sender.send(message(origin), patient)).toEqual({ kind: "answered", status: 307 });
  expect(visits).toBe(0);
});

test.each([
  ["120", 120_000],
  ["soon", undefined],
  [new Date(0).toUTCString(), 0],
])("a receiver that asks to be left alone by %j is understood", async (asked, retryAfterMs) => {
  const origin = await receiver((_, response) => response.writeHead(429, { "retry-after": asked }).end());
  const outcome = await webhookSender({ allow: [origin] }).send(message(origin), patient);
  expect(outcome).toEqual({ kind: "answered", status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) });
});

test("a receiver that takes its time is given up, and so is one that nobody is at", async () => {
  const origin = await receiver(() => {});
  const sender = webhookSender({ allow: [origin, "http://127.0.0.1:1"], timeoutMs: 50 });
  expect(await sender.send(message(origin), patient)).toEqual({ kind: "failed", because: "TimedOut" });
  expect(await sender.send(message("http://127.0.0.1:1/"), patient)).toEqual({
    kind: "failed",
    because: "Unreachable",
  });
});

test("a head without end is no answer", async () => {
  const raw = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 200 OK\r\n");
    for (let nth = 0; nth < 100; nth++) socket.write(`x-${nth}: ${"y".repeat(1000)}\r\n`);
  });
  const origin = `http://${await listening(raw)}`;
  const outcome = await webhookSender({ allow: [origin], timeoutMs: 5000 }).send(message(origin), patient);
  expect(outcome).toEqual({ kind: "failed", because: "Unreachable" });
});

test("what is broken off ends at once", async () => {
  const origin = await receiver(() => {});
  const stop = new AbortController();
  const sending = webhookSender({ allow: [origin] }).send(message(origin), { signal: stop.signal });
  stop.abort();
  expect(await sending).toEqual({ kind: "failed", because: "Unreachable" });
});
