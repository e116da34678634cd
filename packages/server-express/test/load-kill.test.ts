import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pass } from "node:timers/promises";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { ownPort, type ServerProcess, startProcess } from "./server-process.ts";

const rounds = Number(process.env.LIVEPLANE_LOAD_ROUNDS ?? 3);
const connections = 50;
const password = "correct horse battery";

/** A write that makes another version of a secret each time that it is carried out. */
interface Write {
  readonly secret: string;
  readonly key: string;
}

/** What came back for a write; `null`: the connection broke. */
type Answer = { readonly status: number; readonly body: string } | null;

interface World {
  server: ServerProcess;
  readonly agent: Agent;
  readonly path: string;
  readonly token: string;
}

/** Sends a write; the same one may be sent any number of times. */
function send({ server, agent, path, token }: World, { secret, key }: Write): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify([{ shortName: secret, value: key }]);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
    "idempotency-key": key,
  };
  return new Promise((resolve) => {
    const request = httpRequest({ agent, hostname, port, method: "POST", path: `${path}/secrets/bulk`, headers });
    request.once("error", () => resolve(null));
    request.once("response", (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.once("error", () => resolve(null));
      response.once("end", () => resolve(response.complete ? { status: response.statusCode ?? 0, body: text } : null));
    });
    request.end(body);
  });
}

/** What was learned about every write. */
interface Ledger {
  /** The version that each acknowledged write was answered with, by secret. */
  readonly acknowledged: Map<string, Map<string, number>>;
  /** Writes whose connection broke: carried out or not. */
  readonly open: Map<string, Write>;
}

function note({ acknowledged, open }: Ledger, write: Write, answer: Answer): void {
  if (answer?.status !== 201) return void open.set(write.key, write);
  const [{ currentVersion }] = JSON.parse(answer.body) as [{ currentVersion: number }];
  const versions = acknowledged.get(write.secret) ?? new Map<string, number>();
  acknowledged.set(write.secret, versions.set(write.key, currentVersion));
  open.delete(write.key);
}

/** Writes over many connections until the process is gone. */
async function writeUntilKilled(world: World, ledger: Ledger, round: number): Promise<void> {
  const unexpected: Answer[] = [];
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      for (let turn = 0; ; turn++) {
        const write = { secret: `s${at}`, key: `r${round}-c${at}-t${turn}` };
        const answer = await send(world, write);
        note(ledger, write, answer);
        if (answer === null) return;
        if (answer.status !== 201) return void unexpected.push(answer);
      }
    }),
  );
  expect(unexpected).toEqual([]);
}

/** Sends again what broke off: it is answered as if nothing had happened, or told that its first try still holds the key. */
async function repeatOpen(world: World, ledger: Ledger): Promise<void> {
  for (const write of [...ledger.open.values()]) {
    const answer = await send(world, write);
    expect([201, 409]).toContain(answer?.status);
    if (answer?.status === 409)
      expect(["IdempotencyInFlight", "AlreadyExists"]).toContain(JSON.parse(answer.body).code);
    note(ledger, write, answer);
  }
}

test(`SIGKILL under load, ${rounds} times: every acknowledged write is there once, and a reader of events misses nothing`, {
  timeout: 60_000 + rounds * 30_000,
}, async () => {
  const dataDir = emptyFolder();
  const port = await ownPort();
  let server = await startProcess(dataDir, { PORT: port });
  onTestFinished(() => void server.child.kill("SIGKILL"));
  const baseUrl = server.url;
  const anonymous = createClient({ baseUrl });
  const { id: ownerId } = await anonymous.accounts.createWithCredentials({ username: "ada", password });
  const { accessToken: token } = await anonymous.sessions.create({ username: "ada", password });
  const api = createClient({ baseUrl, token });
  const at = { type: "Personal", ownerId, shortName: "web" } as const;
  await api.environments.create(at, {});

  const reading = new AbortController();
  const types = ["secret.created", "secret.updated"];
  const read: number[] = [];
  const reader = (async () => {
    for await (const { sequence } of api.events.follow({ after: 0, type: types, signal: reading.signal }))
      read.push(sequence);
  })();

  const ledger: Ledger = { acknowledged: new Map(), open: new Map() };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());
  const world: World = { server, agent, token, path: `/environments/Personal/${ownerId}/web` };
  for (let round = 0; round < rounds; round++) {
    const load = writeUntilKilled(world, ledger, round);
    await pass(800 + ((round * 137) % 500));
    server.child.kill("SIGKILL");
    await load;
    expect(await server.ended).toBe("SIGKILL");
    server = await startProcess(dataDir, { PORT: port });
    world.server = server;
    await repeatOpen(world, ledger);
  }

  let writes = 0;
  for await (const { shortName, currentVersion } of api.environments.secrets.list.all(at)) {
    const versions = [...(ledger.acknowledged.get(shortName)?.values() ?? [])];
    const open = [...ledger.open.values()].filter(({ secret }) => secret === shortName).length;
    expect(new Set(versions).size).toBe(versions.length);
    expect(Math.max(...versions)).toBeLessThanOrEqual(currentVersion);
    expect(currentVersion - versions.length).toBeGreaterThanOrEqual(0);
    expect(currentVersion - versions.length).toBeLessThanOrEqual(open);
    writes += currentVersion;
  }
  expect(ledger.acknowledged.size).toBe(connections);
  await expect.poll(() => read.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(writes);
  reading.abort();
  await reader;
  expect(read).toHaveLength(writes);
  expect(new Set(read).size).toBe(writes);
  expect(read).toEqual(read.toSorted((a, b) => a - b));
});
