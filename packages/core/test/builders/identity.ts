import type { Api } from "../../src/contract/api.ts";
import type { Account, TokenSet } from "../../src/contract/schemas/account-schemas.ts";
import type { Actor } from "../../src/contract/target.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { createLiveplane } from "../../src/liveplane.ts";
import type {
  ExternalVerifier,
  PasskeyVerifier,
  PasswordHasher,
  PipelineIssuer,
  SignInIssuer,
  TokenSigner,
} from "../../src/ports/identity.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Logger, Runtime } from "../../src/ports/runtime.ts";
import type { Scheduler, ShardedTask } from "../../src/ports/scheduler.ts";
import type { Sealer, SshKeys } from "../../src/ports/secrets.ts";
import type { Json, Store } from "../../src/ports/store.ts";
import type { WebhookSender } from "../../src/ports/webhook-sender.ts";
import type { Clouds, Settings } from "../../src/settings.ts";
import { fakeHasher, fakeMailer, fakeTokens } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer, fakeSshKeys } from "../../src/testing/fake-secrets.ts";

export const password = "vK9-mQ2-xPLw-7d";
export const otherPassword = "Zr4_tB8_qHNs_1f";

/** The store's roots that anything is kept under. */
const roots = ["record", "index", "unique", "event", "events", "installation"];

/** What a world may be made of instead of what is fake and in memory. */
export interface RealParts {
  readonly runtime?: Runtime;
  readonly store?: Store;
  readonly hasher?: PasswordHasher;
  readonly tokens?: TokenSigner;
  readonly sealer?: Sealer;
  readonly sshKeys?: SshKeys;
  readonly clouds?: Clouds;
  readonly scheduler?: Scheduler;
  readonly pipelineIssuers?: readonly PipelineIssuer[];
  /** @default one whose receivers take everything */
  readonly webhookSender?: WebhookSender;
  readonly signInIssuer?: SignInIssuer;
  readonly passkeyVerifier?: PasskeyVerifier;
}

const takesAll: WebhookSender = {
  refusalOf: () => null,
  send: async () => ({ kind: "answered", status: 204 }),
};

/** A whole control plane in memory, entered only through its operations. */
export async function identityWorld(
  settings: Partial<Settings> = {},
  verifier?: ExternalVerifier,
  real: RealParts = {},
) {
  const fake = fakeRuntime();
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const runtime = { ...(real.runtime ?? fake), logger };
  const store = real.store ?? memoryStore({ now: fake.clock.now });
  const hasher = fakeHasher(runtime);
  const mailer = fakeMailer();
  const operators: string[] = [];
  const tasks: ShardedTask[] = [];
  const liveplane = createLiveplane({
    store,
    mailer,
    runtime,
    hasher: real.hasher ?? hasher,
    tokens: real.tokens ?? fakeTokens(runtime),
    sealer: real.sealer ?? fakeSealer(),
    sshKeys: real.sshKeys ?? fakeSshKeys(),
    clouds: real.clouds ?? { adapters: [] },
    scheduler: real.scheduler ?? {
      async start(task) {
        tasks.push(task);
        return { request: async () => {}, stop: async () => {} };
      },
      enqueue: async () => {},
    },
    webhookSender: real.webhookSender ?? takesAll,
    pipelineIssuers: real.pipelineIssuers ?? [],
    settings: { validateAnswers: true, operators, ...settings },
    ...(verifier && { externalVerifier: verifier }),
    ...(real.passkeyVerifier && { passkeyVerifier: real.passkeyVerifier }),
    ...(real.signInIssuer && { signInIssuer: real.signInIssuer }),
  });
  const system: Actor = { kind: "system", name: "host" };
  const nobody = liveplane.as({ kind: "anonymous" });
  const host = liveplane.as(system);
  const bearer = (token: string): Api => liveplane.as({ kind: "bearer", token });
  const signIn = (username: string, secret = password): Promise<TokenSet> =>
    nobody.sessions.create({ username, password: secret });

  /** The records of a collection, as they lie in the store. */
  const kept = async (collection: string) =>
    (await store.list({ prefix: ["record", collection], limit: 10_000 })).map(({ value }) => value);

  return {
    ...{ liveplane, store, hasher, mailer, runtime, lines, nobody, host, bearer, signIn, kept },
    settle: fake.settle,
    advance: fake.advance,
    during: fake.during,
    /** Makes an account with a user name, as the host, and signs in. */
    async person(username: string) {
      const account = await host.accounts.createWithCredentials({ username, password });
      const tokens = await signIn(username);
      return { account, tokens, api: bearer(tokens.accessToken) };
    },
    async operator(username = "operator") {
      const account = await host.accounts.createWithCredentials({ username, password });
      operators.push(account.id);
      const tokens = await signIn(username);
      return { account, tokens, api: bearer(tokens.accessToken) };
    },
    /** Registers an address and reads the mail. */
    async registered(email: string): Promise<{ account: Account; challenge: string }> {
      const account = await nobody.accounts.createWithEmail({ email });
      // A mail goes out behind the answer; over a real database that takes real time.
      const until = performance.now() + 5000;
      while (!mailer.mails.some(({ to }) => to === email) && performance.now() < until) await fake.settle();
      return { account, challenge: mailer.last(email).challenge ?? "" };
    },
    /** One round of what comes back now and then. */
    async housekeep() {
      if (tasks.length === 0) await liveplane.start();
      const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
      for (const { name, run } of tasks) if (name === "housekeeping") await run("all", lease);
    },
    /** Everything that is stored, logged or queued, as text. */
    async everything() {
      const entries = await Promise.all(roots.map((root) => store.list({ prefix: [root], limit: 10_000 })));
      return JSON.stringify(entries) + lines.join("\n");
    },
    async events(type?: string) {
      await liveplane.log.sequence();
      const read = await liveplane.log.read(0, 1000);
      const found = read.map(
        (event) => event as { id: string; type: string; subject: string; data: Readonly<Record<string, Json>> },
      );
      return type === undefined ? found : found.filter((event) => event.type === type);
    },
  };
}

/** What a call is refused with: its code, status and the first place at fault. */
export async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => new LiveplaneError("InternalError", "It was not refused."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LiveplaneError)) throw error;
  const [first] = error.details.errors ?? [];
  const { error: word } = error.details;
  return {
    code: error.code,
    status: error.status,
    ...(first?.pointer && { at: first.pointer }),
    ...(word && { error: word }),
  };
}
