import { createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../src/free-port.ts";
import { urlOf } from "../src/listening.ts";
import { startServer } from "./running-server.ts";

const statusAt = async (url: string) => (await fetch(`${url}/healthz`).catch(() => null))?.status ?? "nobody";

async function takePort(address: string): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => void server.close());
  return Object(server.address()).port;
}

test("by default the server answers at localhost, by IPv4 and IPv6, until it is closed", async () => {
  const { url, end } = await startServer();
  const { hostname, port } = new URL(url);
  expect(hostname).toBe("localhost");
  const places = [url, `http://127.0.0.1:${port}`, `http://[::1]:${port}`];
  expect(await Promise.all(places.map(statusAt))).toEqual([200, 200, 200]);
  await end();
  expect(await Promise.all(places.map(statusAt))).toEqual(["nobody", "nobody", "nobody"]);
});

test("a port that is in use at ::1 only is in use", async () => {
  const port = await takePort("::1");
  await expect(startServer({ PORT: String(port) })).rejects.toThrow(`Could not listen at localhost:${port}`);
  const named = { host: "localhost", port, isPortNamed: true };
  await expect(freePort(named)).rejects.toThrow(`Can't listen on localhost:${port}: the port is in use.`);
  expect(await freePort({ ...named, isPortNamed: false })).toBeGreaterThan(port);
  expect(await freePort({ ...named, host: "127.0.0.1" })).toBe(port);
});

test("what listens everywhere is opened at localhost", () => {
  expect(["0.0.0.0", "::", "127.0.0.1", "::1", "here.example"].map((host) => urlOf(host, 80))).toEqual([
    ...["http://localhost:80", "http://localhost:80", "http://127.0.0.1:80", "http://[::1]:80"],
    "http://here.example:80",
  ]);
});
