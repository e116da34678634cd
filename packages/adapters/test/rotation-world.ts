import { randomBytes } from "node:crypto";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import type { Scheduler, ShardedTask } from "@liveplane/core";
import { createLiveplane } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";
import type { Entry, Store } from "@liveplane/core/store";

/** The key that everything was sealed under, and the one that takes its place. */
export const keyA = randomBytes(32).toString("base64");
export const keyB = randomBytes(32).toString("base64");
/** In every secret value: must be nowhere in the clear. */
export const canary = "canary-4e1f";
export const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

const ada = { username: "ada", password: "vK9-mQ2-xPLw-7d" };

/** Tells what a key-encryption key is called in the store. */
const keyIdOf = (key: string) => staticKeyRing({ keys: [key] }).currentKeyId();

/** A whole control plane over a store and its real sealer. What comes back now and then is done when it is told to. */
export async function planeOver(store: Store, keys: readonly string[], dataDir: string) {
  const defaults = await nodeDefaults({ dataDir, store, keyRing: staticKeyRing({ keys }) });
  const tasks: ShardedTask[] = [];
  const scheduler: Scheduler = {
    async start(task) {
      if (task.name !== "housekeeping") return defaults.scheduler.start(task);
      tasks.push(task);
      return { request: async () => {}, stop: async () => {} };
    },
    enqueue: (job) => defaults.scheduler.enqueue(job),
  };
  const clouds = { ...defaults.clouds, retainProviderCredentials: true };
  const liveplane = createLiveplane({ ...defaults, scheduler, clouds });
  const [cloudA] = defaults.simulatedClouds;
  if (cloudA === undefined) throw new RangeError("There are two.");
  const host = liveplane.as({ kind: "system", name: "host" });
  const signedIn = () => liveplane.as({ kind: "anonymous" }).sessions.create(ada);
  return {
    store,
    liveplane,
    host,
    signedIn,
    devices: cloudA.devices,
    console: simulatedConsole(cloudA),
    bearer: (token: string) => liveplane.as({ kind: "bearer", token }),
    /** Does what comes back now and then, once. */
    async housekeep() {
      const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
      for (const { run } of tasks) await run("all", lease);
    },
  };
}

export type Plane = Awaited<ReturnType<typeof planeOver>>;

/** Every entry of a store. */
export async function entriesOf(store: Store): Promise<Entry[]> {
  const roots = ["record", "index", "unique", "event", "installation", "simulated-cloud"];
  const listed = await Promise.all(roots.map((root) => store.list({ prefix: [root], limit: 100_000 })));
  return listed.flat();
}

/** The kinds of entries that hold anything sealed under a key, with how many there are. */
export async function sealedUnder(store: Store, key: string): Promise<Record<string, number>> {
  const id = await keyIdOf(key);
  const counts: Record<string, number> = {};
  for (const { key: at, value } of await entriesOf(store)) {
    if (at[0] === "record" && at[1] === "key-rotation") continue;
    if (!JSON.stringify(value).includes(`"${id}"`)) continue;
    const kind = at.slice(0, at[0] === "record" ? 2 : 1).join("/");
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Waits for something that goes on in the background. */
export async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let turns = 0; ; turns++) {
    const value = await read();
    if (holds(value)) return value;
    if (turns > 1000) throw new RangeError(`It never came: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Everything that is ever sealed: secrets, keys of profiles, what clouds and identity services gave, hidden outputs. */
export async function filled({ liveplane, host, signedIn, devices, console, bearer }: Plane, sshKey: string) {
  await liveplane.start();
  const account = await host.accounts.createWithCredentials(ada);
  const tokens = await signedIn();
  const api = bearer(tokens.accessToken);
  const named = (shortName: string) => ({ type: "Personal" as const, ownerId: account.id, shortName });
  const dev = named("dev");
  for (const name of ["dev", "stuck", "asking", "asked"]) await api.environments.create(named(name), {});
  for (const name of ["db", "mail", "queue"]) {
    await api.environments.secrets.create(dev, { shortName: name, value: `${canary}-${name}-1` });
    await api.environments.secrets.update({ ...dev, secretShortName: name }, { value: `${canary}-${name}-2` });
  }
  const profile = { shortName: "deploy", sshPrivateKeyData: sshKey, sshPrivateKeyPassphrase: `${canary}-passphrase` };
  await api.environments.ciCdProfiles.create(dev, profile);

  const credentials = { providerAClientId: "client", providerAClientSecret: `${canary}-client` };
  await api.environments.providerA.initialize(dev, { subscriptionId }, credentials);
  const statusOf = async (of: typeof dev) => (await api.environments.providerA.status(of)).initializationRun?.status;
  await until(
    () => statusOf(dev),
    (status) => status === "Completed",
  );
  const definition = {
    name: "shop",
    environmentId: dev,
    components: [
      {
        path: "app",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { connection: { $secret: "db" } },
      },
    ],
  };
  const { id: mutationId, livesystemId } = await api.liveSystems.create(definition);
  await until(
    () => api.liveSystems.mutations.get({ id: livesystemId, mutationId }),
    ({ status }) => status === "Succeeded",
  );

  await api.environments.providerA.authenticate(named("asking"), {});
  const { userCode } = await api.environments.providerA.authenticate(named("asked"), {});
  await devices.decide(userCode ?? "", "Completed");
  await until(
    () => api.environments.providerA.authentication(named("asked")),
    ({ status }) => status === "Completed",
  );
  await console.setFaults({ initialize: { delayMs: 600_000 } });
  await api.environments.providerA.initialize(named("stuck"), { subscriptionId }, credentials);
  return { accountId: account.id, token: tokens.accessToken, livesystemId };
}

export type Filled = Awaited<ReturnType<typeof filled>>;
