import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { createLiveplane, webRuntime } from "@liveplane/core";
import { type CuttingProxy, cuttingProxy } from "../../../adapters/test/cutting-proxy.ts";
import { type RunningPostgres, startPostgres } from "../../../adapters/test/postgres.ts";
import { componentKey, components } from "../../../core/src/override/records/component-record.ts";
import { definitions } from "../../../core/src/override/records/definition-record.ts";
import { liveSystems } from "../../../core/src/override/records/live-system-record.ts";
import { createRecords } from "../../../core/src/records/create-records.ts";
import { fillFleet } from "../../../core/test/builders/fleet.ts";
import type { SentDefinition } from "../../../simulator/src/index.ts";
import { bareEnvironment } from "../server-process.ts";
import { askCloud } from "./cluster-cloud.ts";
import type { ClusterReport } from "./cluster-judge.ts";
import { type CloudStep, type ClusterTrace, committed, traceCommits } from "./cluster-trace.ts";
import { installBuild } from "./other-build.ts";

/** A process of the trial. */
interface Started {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** A node, and its line to Postgres. */
export interface ClusterNode extends Started {
  readonly name: string;
  readonly line: CuttingProxy;
  readonly build: Build;
}

/** Which build a node runs: the sources at hand, or the packed packages of another build. */
export type Build = "this" | "other";

const processOf = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));

async function start(
  name: string,
  environment: Readonly<Record<string, string>>,
  otherProgram?: string,
): Promise<Started> {
  // Installed packages have sources too, which Node doesn't run.
  const program = otherProgram === undefined ? ["--conditions=@liveplane/source", processOf(name)] : [otherProgram];
  const child = spawn(process.execPath, program, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...bareEnvironment, ...environment },
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk).slice(-20_000);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const first = new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve));
  const line = await Promise.race([first, ended.then(() => Promise.reject(new TypeError(`${name} ended: ${log}`)))]);
  return { ...(JSON.parse(line) as { url: string }), child, ended };
}

export interface ClusterWorldOptions {
  readonly size: number;
  readonly intervalMs: number;
  /** A folder of packed packages, or a commit. */
  readonly other?: string | undefined;
}

/** A Postgres, a cloud, and a fleet in both that nobody works on yet. */
export async function clusterWorld({ size, intervalMs, other }: ClusterWorldOptions) {
  const program = other === undefined ? undefined : await installBuild(other);
  const postgres: RunningPostgres = await startPostgres();
  const connectionString = await postgres.freshSchema();
  const cloud = await start("cluster-cloud-process", { CLUSTER_INTERVAL_MS: String(intervalMs) });
  const ask = <T>(path: string, body: unknown = null) => askCloud<T>(cloud.url, path, body);
  const key = randomBytes(32).toString("base64");
  const store = await postgresStore({ connectionString });
  await traceCommits(connectionString);
  const nodes = new Set<ClusterNode>();
  let started = 0;

  async function startNode(build: Build, owner: string): Promise<ClusterNode> {
    const name = `n${++started}`;
    const line = await cuttingProxy(connectionString);
    const environment = {
      CLUSTER_NODE: name,
      CLUSTER_CLOUD: cloud.url,
      CLUSTER_DATABASE: `${line.connectionString}&application_name=${name}`,
      CLUSTER_KEY: key,
      CLUSTER_OWNER: owner,
      CLUSTER_INTERVAL_MS: String(intervalMs),
    };
    const otherProgram = build === "other" ? program : undefined;
    const process = await start("cluster-node-process", environment, otherProgram).catch(async (error: unknown) => {
      await line.end();
      throw error;
    });
    const node = { ...process, name, line, build };
    nodes.add(node);
    return node;
  }

  async function killNode(node: ClusterNode): Promise<void> {
    nodes.delete(node);
    node.child.kill("SIGKILL");
    await node.ended;
    await ask("/died", node.name);
    await node.line.end();
  }

  const runtime = webRuntime();
  const liveplane = createLiveplane(
    await nodeDefaults({
      dataDir: mkdtempSync(join(tmpdir(), "liveplane-cluster-")),
      store,
      keyRing: staticKeyRing({ keys: [key] }),
      clouds: { adapters: [] },
      settings: { openRegistration: true },
    }),
  );
  if (program !== undefined) {
    // The older release creates the store, in its format.
    const first = await startNode("other", randomUUID());
    await killNode(first);
  }
  await liveplane.requireKeys();
  const credentials = { username: "ada", password: "correct horse battery" };
  const { id: ownerId } = await liveplane.as({ kind: "anonymous" }).accounts.createWithCredentials(credentials);
  const api = liveplane.as({ kind: "account", accountId: ownerId });
  await api.environments.create({ type: "Personal", ownerId, shortName: "web" }, {});
  const records = createRecords({ store, runtime });
  const ids = await fillFleet(records, size, runtime.newId);
  await ask("/add", ids);

  return {
    postgres,
    store,
    liveplane,
    api,
    ownerId,
    ids,
    ask,
    nodes,
    verdict: () => ask<ClusterReport>("/verdict"),
    /** Some of what isn't as declared, and what keeps it from being corrected. */
    async drifting() {
      const { drifting } = await ask<ClusterReport>("/verdict");
      const keys = drifting.map((id) => componentKey(...apart(id)));
      const found = await records.getMany(components, keys);
      return found.map((record, at) => ({ id: drifting[at], work: record?.work, failures: record?.failures }));
    },
    /** Everything that nodes, people and deaths did, in the order of time. */
    async trace(): Promise<ClusterTrace> {
      const [stored, seen] = [await committed(connectionString), await ask<CloudStep[]>("/steps")];
      const touched = [...new Set(stored.map(({ key }) => key[2] ?? ""))];
      const systems = await records.getMany(
        liveSystems,
        touched.map((id) => [id]),
      );
      const found = await records.getMany(
        definitions,
        systems.map((system) => [system?.id ?? "", system?.inForce ?? ""]),
      );
      const declared = found.map((one, at) => [touched[at] ?? "", one?.definition as SentDefinition] as const);
      const commits = stored.map((one) => ({ kind: "stored" as const, ...one }));
      return { steps: [...seen, ...commits], definitions: new Map(declared) };
    },
    startNode: (build: Build = "this") => startNode(build, ownerId),
    kill: killNode,
    async end(): Promise<void> {
      for (const { child } of [...nodes, cloud]) child.kill("SIGKILL");
      await Promise.all([...nodes].map(({ line }) => line.end()));
      await liveplane.stop();
      await postgres.end();
    },
  };
}

/** A component's id: its live system and its path. */
function apart(id: string): [liveSystemId: string, path: string] {
  const at = id.indexOf("/");
  return [id.slice(0, at), id.slice(at + 1)];
}

export type ClusterWorld = Awaited<ReturnType<typeof clusterWorld>>;
