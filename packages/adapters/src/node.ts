import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  didYouMean,
  intervalScheduler,
  type KeyRing,
  type LiveplaneOptions,
  type Logger,
  type Mailer,
  type Metrics,
  type Runtime,
  type Scheduler,
  type Settings,
  type Tracer,
  type WebhookSender,
  webRuntime,
} from "@liveplane/core";
import { type SimulatedCloud, simulatedCloud } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { argon2Hasher } from "./argon2-hasher.ts";
import { joseTokens } from "./jose-tokens.ts";
import { fileKeyRing } from "./key-rings.ts";
import { logMailer } from "./mailers/log-mailer.ts";
import { nodeCrypto } from "./node-crypto.ts";
import { aesSealer } from "./sealer.ts";
import { sqliteStore } from "./sqlite-store.ts";
import { nodeSshKeys } from "./ssh-keys.ts";
import { tighten } from "./stores/private-files.ts";

/** Options of the Node defaults. Everything that isn't given is embedded. */
export interface NodeDefaultsOptions {
  /** The folder for the database and the keys; created if it doesn't exist. */
  readonly dataDir: string;
  /** @default SQLite in the folder */
  readonly store?: Store;
  /** Required with a store that several processes share. @default a file in the folder, created for an empty store with mode 0600 */
  readonly keyRing?: KeyRing;
  /** @default logs that a mail was dropped */
  readonly mailer?: Mailer;
  /** @default both clouds simulated, in the same store */
  readonly clouds?: LiveplaneOptions["clouds"];
  /** Issuers whose pipelines may sign in as the service accounts that trust them. @default none */
  readonly pipelineIssuers?: LiveplaneOptions["pipelineIssuers"];
  /** @default silent */
  readonly logger?: Logger;
  /** @default none */
  readonly metrics?: Metrics;
  /** @default none */
  readonly tracer?: Tracer;
  /** Creates the scheduler from the shared runtime. @default the intervals of one process */
  readonly scheduler?: (runtime: Runtime) => Scheduler | Promise<Scheduler>;
  /** `null`: no webhooks. @default https to public addresses */
  readonly webhookSender?: WebhookSender | null;
  readonly settings?: Partial<Settings>;
}

/** The options of `createLiveplane`, with the simulated clouds if they were created. */
export interface NodeDefaults extends LiveplaneOptions {
  /** For consoles; empty if other clouds were given. */
  readonly simulatedClouds: readonly SimulatedCloud[];
}

/** Implements every port of liveplane on Node: `createLiveplane(await nodeDefaults({ dataDir }))`. */
export async function nodeDefaults(options: NodeDefaultsOptions): Promise<NodeDefaults> {
  judge(options);
  const { dataDir, settings = {} } = options;
  await makeFolder(dataDir);
  const overrides = {
    crypto: nodeCrypto,
    ...(options.logger && { logger: options.logger }),
    ...(options.metrics && { metrics: options.metrics }),
    ...(options.tracer && { tracer: options.tracer }),
  };
  const runtime = webRuntime(overrides);
  const store = options.store ?? (await sqliteStore({ file: join(dataDir, "liveplane.db") }));
  const keyRing = options.keyRing ?? (await ownKeyRing(store, join(dataDir, "key-ring")));
  const sealer = aesSealer({ keyRing });
  const { consoleUrl = "" } = settings;
  const simulate = (provider: "provider-a" | "provider-b") =>
    simulatedCloud({ provider, store, runtime, sealer, consoleUrl });
  const simulatedClouds = options.clouds === undefined ? [simulate("provider-a"), simulate("provider-b")] : [];
  const deviceAuthorizers = Object.fromEntries(simulatedClouds.map(({ provider, devices }) => [provider, devices]));
  const sender = options.webhookSender === undefined ? await usualSender() : options.webhookSender;
  return {
    store,
    sealer,
    runtime,
    settings,
    hasher: await argon2Hasher(),
    tokens: await joseTokens(),
    mailer: options.mailer ?? logMailer(),
    sshKeys: nodeSshKeys(),
    scheduler: (await options.scheduler?.(runtime)) ?? intervalScheduler({ runtime }),
    clouds: options.clouds ?? { adapters: simulatedClouds, deviceAuthorizers },
    simulatedClouds,
    ...(options.pipelineIssuers && { pipelineIssuers: options.pipelineIssuers }),
    ...(sender && { webhookSender: sender }),
    sealedStocks: simulatedClouds.map(({ resources }) => resources.sealed),
  };
}

const example = 'nodeDefaults({ dataDir: ".liveplane" })';
const names = [
  "dataDir",
  "store",
  "keyRing",
  "mailer",
  "clouds",
  "pipelineIssuers",
  "logger",
  "metrics",
  "tracer",
  "scheduler",
  "webhookSender",
  "settings",
];

function judge(options: NodeDefaultsOptions | undefined): void {
  const said: Readonly<Record<string, unknown>> = { ...options };
  const wrong = Object.keys(said)
    .filter((name) => !names.includes(name))
    .map((name) => `${name} isn't an option of nodeDefaults${didYouMean(name, names) || "."}`);
  if (typeof said.dataDir !== "string" || said.dataDir === "")
    wrong.push(`dataDir is missing: the folder for the database and the keys, as in ${example}.`);
  if (wrong.length > 0) throw new LiveplaneError("ConfigurationInvalid", wrong.join(" "));
}

/** Loaded only if the host has no other sender. */
async function usualSender(): Promise<WebhookSender> {
  return (await import("./webhooks/webhook-sender.ts")).webhookSender();
}

async function makeFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    tighten(dataDir, 0o700);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new LiveplaneError("ConfigurationInvalid", `Can't write to dataDir ${dataDir}${code}.`, {
      cause,
    });
  }
}

/** A key ring is created only for an empty store, because it couldn't open existing data. */
async function ownKeyRing(store: Store, file: string): Promise<KeyRing> {
  try {
    if (store.capabilities.sharedByProcesses)
      throw new LiveplaneError(
        "ConfigurationInvalid",
        "Processes that share a store must share its key ring. Pass the same keyRing to each process.",
      );
    const isEmpty = (await store.list({ prefix: [], limit: 1 })).length === 0;
    return await fileKeyRing({ file, whenMissing: isEmpty ? "make" : "refuse" });
  } catch (error) {
    await store.close();
    throw error;
  }
}
