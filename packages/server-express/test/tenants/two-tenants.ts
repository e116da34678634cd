import { nodeCrypto } from "@liveplane/adapters/node-crypto";
import { passkeyVerifier } from "@liveplane/adapters/passkey-verifier";
import {
  type Api,
  createLiveplane,
  type EnvironmentRef,
  intervalScheduler,
  type Liveplane,
  type PipelineIssuer,
  type WebhookSender,
  webRuntime,
} from "@liveplane/core";
import { simulatedCloud, simulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { exportStore, importStore, type Store } from "@liveplane/core/store";
import {
  fakeHasher,
  fakeMailer,
  fakeRuntime,
  fakeSealer,
  fakeSshKeys,
  fakeTokens,
  memoryStore,
} from "@liveplane/core/testing";
import { softwareAuthenticator } from "../../../core/test/builders/authenticator.ts";
import { withApp } from "../../../core/test/builders/factors.ts";
import { identityWorld, password } from "../../../core/test/builders/identity.ts";

/** What everything is called that a tenant has: ids, and names of their own making. */
export interface Names {
  readonly organization: string;
  readonly owner: string;
  readonly waiting: string;
  readonly subscription: string;
  readonly session: string;
  readonly factor: string;
  /** Somebody with a passkey, and its ID. */
  readonly guarded: string;
  readonly passkey: string;
  /** What anybody is given to sign in by a passkey. */
  readonly passkeyChallenge: string;
  readonly environment: string;
  readonly home: string;
  readonly group: string;
  readonly mine: string;
  readonly team: string;
  readonly teamId: string;
  readonly profile: string;
  readonly secret: string;
  readonly robot: string;
  readonly robotSecret: string;
  readonly robotIdentity: string;
  readonly service: string;
  readonly liveSystem: string;
  readonly mutation: string;
  readonly component: string;
  readonly resource: string;
  readonly username: string;
  readonly email: string;
  readonly cursor: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly ownWebhook: string;
  readonly ownDelivery: string;
}

/** Two tenants that have everything, everybody who may call in the first of them, and what it takes to serve them. */
export interface TwoTenants {
  readonly own: Names;
  readonly foreign: Names;
  /** Names that nobody has, each as long as the foreign one. */
  readonly absent: Names;
  /** The bearer of everybody who calls; `null`: they send none. */
  readonly callers: Readonly<Record<string, string | null>>;
  /** The control plane over a store that is filled with all of this. */
  over(store: Store): Promise<Liveplane>;
}

const consoleOrigin = "https://console.example";
const wide = { accounts: 1000, organizations: 1000 };
/** What proves who acts in a cloud: a simulated one takes anything. */
export const cloudA = { providerAClientId: "client", providerAClientSecret: "a cloud's secret" };
export const cloudB = {
  providerBServiceAccountEmail: "agent@project.example",
  providerBServiceAccountCredentials: '{"project_id":"project","private_key":"a cloud\'s key"}',
};
const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** Builds both tenants in memory. */
export async function twoTenants(): Promise<TwoTenants> {
  // Stores go by the real time in what expires.
  const runtime = fakeRuntime({ now: Date.now() });
  const clouds = memoryStore({ now: runtime.clock.now });
  const [a, b] = (["provider-a", "provider-b"] as const).map((provider) =>
    simulatedCloud({ provider, store: clouds, runtime }),
  ) as [ReturnType<typeof simulatedCloud>, ReturnType<typeof simulatedCloud>];
  const operators: string[] = [];
  const plans = { discover: wide, workgroup: wide };
  const settings = { operators, plans, openRegistration: true, consoleUrl: `${consoleOrigin}/` };
  const parts = {
    ...{ runtime, sealer: fakeSealer(), sshKeys: fakeSshKeys() },
    ...{ hasher: fakeHasher(runtime), tokens: fakeTokens(runtime) },
    clouds: { adapters: [a, b], deviceAuthorizers: { "provider-a": a.devices } },
    webhookSender: takesAll,
    passkeyVerifier: await passkeyVerifier(),
    pipelineIssuers: [ci],
  };
  const store = memoryStore({ now: runtime.clock.now });
  const world = await identityWorld(settings, undefined, {
    ...parts,
    store,
    scheduler: intervalScheduler({ runtime }),
  });
  const setting: Setting = {
    world,
    runtime,
    console: simulatedConsole(a),
    async until(look) {
      for (let turns = 0; !(await look()); turns++) {
        if (turns > 500) throw new RangeError("It never came about.");
        await runtime.advance(100);
      }
    },
  };
  const names = [await beginTenant(setting, ownNames), await beginTenant(setting, foreignNames)] as const;
  await world.liveplane.start();
  const ended = [await endTenant(setting, names[0]), await endTenant(setting, names[1])] as const;
  await world.liveplane.drain();
  const callers = await everybody(setting, ended[0], operators);
  const passkeyChallenge = (await world.nobody.sessions.beginByPasskey()).publicKey.challenge;
  const [own, foreign] = [
    { ...ended[0], passkeyChallenge },
    { ...ended[1], passkeyChallenge },
  ];
  const lines: string[] = [];
  for await (const line of exportStore(store, { atRest: true })) lines.push(line);
  return {
    own,
    foreign,
    absent: absentLike(foreign),
    callers,
    async over(filled) {
      await importStore(filled, lines);
      // Time stands still, but for who waits a moment to try again.
      const clock = { ...runtime.clock, sleep: webRuntime().clock.sleep };
      const served = { ...runtime, clock, crypto: { ...nodeCrypto, random: runtime.crypto.random } };
      const scheduler = intervalScheduler({ runtime: served });
      const own = { runtime: served, tokens: fakeTokens(served), store: filled, mailer: fakeMailer(), scheduler };
      return createLiveplane({ ...parts, ...own, settings });
    },
  };
}

/** An issuer by whose word pipelines may be bound; none of them comes. */
const ci: PipelineIssuer = {
  issuer: "https://ci.example",
  verify: () => Promise.reject(new LiveplaneError("Unauthenticated")),
};

const takesAll: WebhookSender = { refusalOf: () => null, send: async () => ({ kind: "answered", status: 204 }) };

interface Setting {
  readonly world: Awaited<ReturnType<typeof identityWorld>>;
  readonly runtime: ReturnType<typeof fakeRuntime>;
  readonly console: ReturnType<typeof simulatedConsole>;
  until(look: () => Promise<boolean>): Promise<void>;
}

/** Names that may be given: as long as those of the other tenant, and other ones. */
const ownNames = namesLike("o");
const foreignNames = namesLike("f");

function namesLike(letter: "o" | "f") {
  // As no text of an answer has them: what the caller named is taken out before answers are compared.
  const named = (rest: string) => `${letter}xq${rest}`;
  return {
    ...{ environment: named("web"), home: named("home"), group: named("tools"), mine: named("mine") },
    ...{ team: named("smiths"), profile: named("ci"), secret: named("db"), path: `network/${named("vnet")}` },
    ...{ username: named("owner"), email: named("waits@example.com") },
  };
}

type Given = ReturnType<typeof namesLike>;

/** Begins a tenant: all that needs no agent. */
async function beginTenant({ world }: Setting, given: Given) {
  const { account, api } = await world.person(given.username);
  const { id: organizationId } = await api.organizations.create({ name: "Works" });
  const group = { organizationId, shortName: given.group };
  await api.organizations.resourceGroups.upsert(group, {});
  const team = await api.organizations.teams.upsert({ organizationId }, { shortName: given.team, isPrivate: true });
  await api.accounts.resourceGroups.upsert({ shortName: given.mine }, {});
  await api.environments.create({ type: "Personal", ownerId: account.id, shortName: given.home }, {});
  const environment = { type: "Organizational", ownerId: organizationId, shortName: given.environment } as const;
  await api.environments.create(environment, { resourceGroups: [`Organizational/${organizationId}/${given.group}`] });
  await api.environments.ciCdProfiles.create(environment, {
    shortName: given.profile,
    sshPrivateKeyData: "fake-key:one",
  });
  await api.environments.secrets.create(environment, { shortName: given.secret, value: "päss" });
  const { serviceAccountId } = await api.accounts.serviceAccount();
  await api.organizations.permissions.grant(
    { organizationId },
    { principalType: "Account", principalId: serviceAccountId ?? "", permissionType: "Edit" },
  );
  const { challenge } = await world.registered(given.email);
  return {
    given,
    account,
    api,
    organizationId,
    environment,
    teamId: team.principalId,
    service: serviceAccountId ?? "",
    challenge,
  };
}

type Ended = Omit<Names, "passkeyChallenge"> & { readonly challenge: string };

type Begun = Awaited<ReturnType<typeof beginTenant>>;

/** Ends it: an initialized environment with a role in it, and a live system whose one component a person has. */
async function endTenant(setting: Setting, begun: Begun): Promise<Ended> {
  const { world, until, console, runtime } = setting;
  const { given, account, api, organizationId, environment, teamId, service, challenge } = begun;
  await api.environments.providerA.initialize(environment, { subscriptionId }, cloudA);
  await until(async () => {
    const { initializationRun } = await api.environments.providerA.status(environment);
    return initializationRun.status !== "InProgress";
  });
  const { livesystemId, id: mutation } = await api.liveSystems.create(definition(environment, given));
  await until(async () => {
    const { status } = await api.liveSystems.mutations.get({ id: livesystemId, mutationId: mutation });
    return status === "Succeeded";
  });
  const at = { id: livesystemId, componentId: `${livesystemId}/${given.path}` };
  const { resourceId } = await api.liveSystems.components.get(at);
  await console.putTags(resourceId ?? "", {});
  await console.patchParameters(resourceId ?? "", { addressSpace: "10.1.0.0/16" });
  await api.liveSystems.components.check(at);
  await api.environments.providerA.authenticate(environment);
  await api.environments.providerB.initialize(environment, { projectId: "project" }, cloudB);
  const robot = runtime.newId();
  await api.environments.serviceAccounts.assign({ ...environment, principalId: robot }, { serviceAccountRole: "Bot" });
  const { id: robotSecret } = await api.environments.serviceAccounts.issueSecret(
    { ...environment, principalId: robot },
    {},
  );
  const { id: robotIdentity } = await api.environments.serviceAccounts.federatedIdentities.create(
    { ...environment, principalId: robot },
    { issuer: ci.issuer, subject: "repo:acme/shop:ref:refs/heads/main" },
  );
  const guarded = await world.person(`${given.username}-guarded`);
  const { factor } = await withApp(guarded.api, runtime.clock);
  const { factors } = guarded.api.accounts;
  const credential = await softwareAuthenticator(consoleOrigin).create(await factors.beginPasskey());
  await factors.addPasskey({ credential });
  const { items: sessions } = await api.accounts.me().then(() => api.sessions.list());
  const { items: waiting } = await world.host.accounts.list({ limit: 200 });
  const { nextCursor } = await api.organizations.permissions.list({ organizationId }, { limit: 1 });
  const hooks = api.organizations.webhooks;
  const made = await hooks.create({ organizationId }, { name: "Chat", url: "https://receiver.example/" });
  const { id: delivery } = await hooks.test({ organizationId, webhookId: made.id });
  const { id: ownWebhook } = await api.accounts.webhooks.create({ name: "Own", url: "https://receiver.example/" });
  const { id: ownDelivery } = await api.accounts.webhooks.test({ webhookId: ownWebhook });
  return {
    ...given,
    ...{ webhook: made.id, delivery, ownWebhook, ownDelivery },
    ...{
      organization: organizationId,
      owner: account.id,
      teamId,
      service,
      challenge,
      robot,
      robotSecret,
      robotIdentity,
      mutation,
    },
    waiting: waiting.find(({ email }) => email === given.email)?.id ?? "",
    subscription: (await api.accounts.me()).subscriptionId ?? "",
    session: sessions[0]?.id ?? "",
    ...{ factor: factor.id, guarded: guarded.account.id, passkey: credential.id },
    ...{ liveSystem: livesystemId, component: at.componentId, resource: resourceId ?? "" },
    cursor: nextCursor ?? "",
  };
}

/** A live system of one component. */
export function definition(environmentId: EnvironmentRef, { path }: { readonly path: string }) {
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const component = { path, provider: "provider-a", type, parameters: { addressSpace: "10.0.0.0/16" } };
  return { name: "shop", environmentId, components: [component] };
}

const grades = ["View", "Edit", "Terminate", "Admin"] as const;
const roles = {
  cloudAgent: "CloudAgent",
  ciCd: "CiCd",
  keyVault: "BasicAuthKeyVaultOnly",
  bot: "Bot",
  custom: "Custom",
} as const;

/** One of every kind of caller. Nobody has anything of the other tenant's. */
async function everybody(
  { world, runtime }: Setting,
  own: Ended,
  operators: string[],
): Promise<Record<string, string | null>> {
  const callers: Record<string, string | null> = { nobody: null, nonsense: "nonsense", challenge: own.challenge };
  const expired = await world.person("expired");
  await runtime.advance(601_000);
  callers.expired = expired.tokens.accessToken;
  const owner = world.bearer((await world.signIn(own.username)).accessToken);
  const { organization: organizationId } = own;
  const grant = (
    api: Api["organizations"]["permissions"],
    principalId: string,
    permissionType: (typeof grades)[number],
  ) => api.grant({ organizationId }, { principalType: "Account", principalId, permissionType });
  const group = { organizationId, shortName: own.group };
  const person = async (name: string) => {
    const { account, tokens, api } = await world.person(name);
    callers[name] = tokens.accessToken;
    return { id: account.id, api };
  };
  for (const grade of grades) await grant(owner.organizations.permissions, (await person(`member${grade}`)).id, grade);
  for (const grade of ["View", "Admin"] as const) {
    const { id: principalId } = await person(`guest${grade}`);
    await owner.organizations.resourceGroups.permissions.grant(group, {
      ...{ principalType: "Account", principalId },
      permissionType: grade,
    });
  }
  await person("stranger");
  for (const name of ["expired", "suspended"]) {
    const { id } = name === "expired" ? expired.account : await person(name);
    await grant(owner.organizations.permissions, id, "Admin");
  }
  callers.owner = (await world.signIn(own.username)).accessToken;
  const revoked = await person("revoked");
  await grant(owner.organizations.permissions, revoked.id, "Admin");
  const [session] = (await revoked.api.sessions.list()).items;
  await revoked.api.sessions.delete({ sessionId: session?.id ?? "" });
  await services(world, { own, owner, callers });
  // Signed in before there was more to be good for: the account operates, and the token doesn't say so.
  operators.push((await person("operatorWithoutScope")).id);
  const operator = await world.host.accounts.createWithCredentials({ username: "operator", password });
  operators.push(operator.id);
  callers.operator = (await world.signIn("operator")).accessToken;
  const byOperator = world.bearer(callers.operator);
  const made = await byOperator.accounts.createWithCredentials({ username: "must-change", password });
  await grant(owner.organizations.permissions, made.id, "Admin");
  callers.mustChange = (await world.signIn("must-change")).accessToken;
  const { items } = await byOperator.accounts.list({ limit: 200 });
  const suspended = items.find(({ username }) => username === "suspended")?.id ?? "";
  await byOperator.accounts.suspend({ accountId: suspended });
  return callers;
}

interface Serving {
  readonly own: Ended;
  readonly owner: Api;
  readonly callers: Record<string, string | null>;
}

/** The service accounts of a person, of the organization, with a role in the environment, and with a token that is good for little. */
async function services(world: Setting["world"], { own, owner, callers }: Serving): Promise<void> {
  const { organization: organizationId, environment: shortName } = own;
  const token = async (client_id: string, client_secret: string, scope?: string) => {
    const request = { grant_type: "client_credentials", client_id, client_secret } as const;
    return (await world.nobody.tokens.create({ ...request, ...(scope && { scope }) })).access_token;
  };
  const personal = await owner.accounts.issueServiceAccountSecret({});
  callers.service = await token(own.service, personal.secret);
  const { serviceAccountId: organizational } = await owner.organizations.get({ organizationId });
  const { secret } = await owner.organizations.issueServiceAccountSecret({ organizationId }, {});
  for (const principalId of [own.service, organizational ?? ""])
    await owner.organizations.permissions.grant(
      { organizationId },
      { principalType: "Account", principalId, permissionType: "Edit" },
    );
  callers.organizationService = await token(organizational ?? "", secret);
  callers.narrow = await token(organizational ?? "", secret, "environments");
  for (const [name, serviceAccountRole] of Object.entries(roles)) {
    const at = {
      type: "Organizational",
      ownerId: organizationId,
      shortName,
      principalId: world.runtime.newId(),
    } as const;
    await owner.environments.serviceAccounts.assign(at, { serviceAccountRole });
    callers[name] = await token(at.principalId, (await owner.environments.serviceAccounts.issueSecret(at, {})).secret);
  }
}

/** Each name put out by one of the same form and length that nobody has. */
function absentLike(names: Names): Names {
  const uuid = /^[0-9a-f]{8}-/;
  const other = (name: string, value: string) => {
    if (uuid.test(value)) return `${gone}${value.slice(gone.length)}`.replace("/fxq", "/zxq");
    if (name === "cursor" || name === "passkey") return [...value].reverse().join("");
    return name === "resource"
      ? value.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
      : value.replace(/^fxq/, "zxq");
  };
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => [name, other(name, value)]),
  ) as unknown as Names;
}

const gone = "00000000-0000-4000-8000";
