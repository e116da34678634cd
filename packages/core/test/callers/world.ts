import { simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import type { Api } from "../../src/contract/api.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { TokenScope } from "../../src/contract/target.ts";
import { fromBase64Url, fromUtf8 } from "../../src/encoding.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { PasskeyVerifier } from "../../src/ports/identity.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeHasher, fakeTokens } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer, fakeSshKeys } from "../../src/testing/fake-secrets.ts";
import { identityWorld, password } from "../builders/identity.ts";

export const cloudA = { providerAClientId: "client", providerAClientSecret: "a cloud's secret" };
export const cloudB = {
  providerBServiceAccountEmail: "agent@project.example",
  providerBServiceAccountCredentials: '{"project_id":"project","private_key":"a cloud\'s key"}',
};
export const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

const permissions = ["View", "Edit", "Terminate", "Admin"] as const;
const roles = {
  cloudAgent: "CloudAgent",
  ciCd: "CiCd",
  keyVault: "BasicAuthKeyVaultOnly",
  bot: "Bot",
  custom: "Custom",
  customEdit: "Custom",
  disabled: "CiCd",
  robot: "Bot",
} as const;

/** What a token may be good for, but for what operators do. */
export const scopes = ["accounts", "environments", "livesystems", "organizations", "subscriptions"] as const;

/** Ids, names and tokens of what is in the world. */
export type Known = Record<string, string>;

/** What has become of the owner's world before anybody calls. */
export type Condition = "in order" | "plan expired" | "organization suspended";

/** The passkeys that callers send are nobody's. */
const refusesAll: PasskeyVerifier = { verifyNew: async () => null, verify: async () => null };

/** An organization with one of everything in it, and one of every kind of caller. It can be had again and again as it was. */
export async function worldOfCallers(condition: Condition = "in order") {
  const runtime = fakeRuntime();
  const cloudStore = memoryStore({ now: runtime.clock.now });
  const a = simulatedCloud({ provider: "provider-a", store: cloudStore, runtime });
  const b = simulatedCloud({ provider: "provider-b", store: cloudStore, runtime });
  const clouds = { adapters: [a, b], deviceAuthorizers: { "provider-a": a.devices } };
  const operators: string[] = [];
  const settings = { operators, plans: { discover: wide, workgroup: wide }, consoleUrl: "https://console.example/" };
  const kept = {
    ...{ runtime, clouds, sealer: fakeSealer(), sshKeys: fakeSshKeys() },
    ...{ hasher: fakeHasher(runtime), tokens: fakeTokens(runtime), passkeyVerifier: refusesAll },
  };
  const over = (store: Store, changed: object = {}) =>
    identityWorld({ ...settings, ...changed }, undefined, {
      ...{ ...kept, store },
      scheduler: intervalScheduler({ runtime }),
    });
  const store = memoryStore({ now: runtime.clock.now });
  const world = await over(store);
  const known: Known = {};
  const as = (who: string): Api => world.bearer(known[`${who}Token`] ?? "");

  async function person(name: string) {
    known[name] = (await world.host.accounts.createWithCredentials({ username: name, password })).id;
    await signIn(name);
  }
  async function signIn(name: string) {
    known[`${name}Token`] = (await world.signIn(name)).accessToken;
  }
  const until = async (look: () => Promise<boolean>) => {
    for (let turns = 0; !(await look()); turns++) {
      if (turns > 500) throw new RangeError("It never came about.");
      await runtime.advance(100);
    }
  };
  const setting = { world, known, as, person, signIn, until, runtime, operators, console: simulatedConsole(a) };
  await people(setting);
  await organization(setting, condition);
  await environment(setting);
  await serviceAccounts(setting);
  await challenges(setting);
  await turn(setting, condition);

  return {
    known,
    /** The world as it was, to do with as one likes; with other settings, if they are given. */
    async again(changed: { readonly operators?: readonly string[] } = {}) {
      const copy = store.fork();
      let changes = 0;
      const counted: Store = {
        ...copy,
        async commit(commit, options) {
          if (commit.sets?.length || commit.deletes?.length || commit.appends?.length) changes += 1;
          return copy.commit(commit, options);
        },
      };
      const { liveplane } = await over(counted, changed);
      const apis = new Map<string, Api>();
      const caller = (who: string): Api => {
        const token = known[`${who}Token`];
        const api =
          apis.get(who) ?? liveplane.as(token === undefined ? { kind: "anonymous" } : { kind: "bearer", token });
        apis.set(who, api);
        return api;
      };
      return {
        liveplane,
        as: caller,
        /** An account whose token is good for some scopes alone. */
        withScopes: (who: string, own: readonly TokenScope[]): Api =>
          liveplane.as({ kind: "account", accountId: known[who] ?? "", scopes: own }),
        /** Whether anything was written. */
        changed: () => changes > 0,
        /** What a call of an operation is refused with; `null`: it is answered. */
        refusal: (who: string, id: OperationId, args: readonly unknown[]) => refusalOf(caller(who), id, args),
      };
    },
  };
}

export type WorldOfCallers = Awaited<ReturnType<typeof worldOfCallers>>;
export type Again = Awaited<ReturnType<WorldOfCallers["again"]>>;

/** The method of an operation, by its id. */
export function methodOf(api: Api, id: OperationId): (...args: readonly unknown[]) => unknown {
  const found = id.split(".").reduce<unknown>((node, name) => Reflect.get(Object(node), name), api);
  return found as (...args: readonly unknown[]) => unknown;
}

/** What a call of an operation is refused with; `null`: it is answered. */
export async function refusalOf(api: Api, id: OperationId, args: readonly unknown[]): Promise<LiveplaneError | null> {
  try {
    const answer = methodOf(api, id)(...args);
    if (id !== "events.follow") await answer;
    else for await (const _ of answer as AsyncIterable<unknown>) break;
    return null;
  } catch (error) {
    if (error instanceof LiveplaneError) return error;
    throw error;
  }
}

const wide = { accounts: 1000, organizations: 1000 };

interface Setting {
  readonly world: Awaited<ReturnType<typeof identityWorld>>;
  readonly known: Known;
  readonly runtime: ReturnType<typeof fakeRuntime>;
  readonly operators: string[];
  readonly console: ReturnType<typeof simulatedConsole>;
  as(who: string): Api;
  person(name: string): Promise<void>;
  signIn(name: string): Promise<void>;
  until(look: () => Promise<boolean>): Promise<void>;
}

const grades = (where: string) => permissions.map((permission) => [`${where}${permission}`, permission] as const);

async function people({ known, as, person, signIn, operators, world }: Setting) {
  for (const name of ["owner", "stranger", "victim", "suspended", "maker", "operator", "deputy"]) await person(name);
  for (const where of ["org", "group", "team"]) for (const [name] of grades(where)) await person(name);
  known.victimRefresh = (await world.signIn("victim")).refreshToken ?? "";
  operators.push(known.operator ?? "", known.deputy ?? "");
  await signIn("operator");
  const made = await as("operator").accounts.createWithCredentials({ username: "must-change", password });
  known.mustChange = made.id;
  known.mustChangeToken = (await world.signIn("must-change")).accessToken;
}

async function organization({ known, as, runtime }: Setting, condition: Condition) {
  const api = as("owner");
  if (condition === "plan expired") {
    const expirationDate = new Date(runtime.clock.now() + 3_600_000).toISOString();
    await as("operator").subscriptions.create(
      {
        subscriptionType: "Enterprise",
        enterpriseSubscriptionDetails: { maxNumberOfAccounts: 500, maxNumberOfOrganizations: 500, expirationDate },
      },
      { accountId: known.owner ?? "" },
    );
  }
  known.subscription = (await api.accounts.me()).subscriptionId ?? "";
  const { id: organizationId } = await api.organizations.create({ name: "Works" });
  known.organization = organizationId;
  const to = (name: string, permissionType: "View" | "Edit" | "Terminate" | "Admin") =>
    ({ principalType: "Account", principalId: known[name] ?? "", permissionType }) as const;
  const group = { organizationId, shortName: "tools" };
  const team = { organizationId, shortName: "smiths" };
  await api.organizations.resourceGroups.upsert(group, {});
  known.smiths = (await api.organizations.teams.upsert({ organizationId }, { shortName: "smiths" })).principalId;
  known.elsewhere = (await as("maker").organizations.create({ name: "Elsewhere" })).id;
  for (const [name, permission] of grades("org"))
    await api.organizations.permissions.grant({ organizationId }, to(name, permission));
  for (const [name, permission] of grades("group"))
    await api.organizations.resourceGroups.permissions.grant(group, to(name, permission));
  for (const [name, permission] of grades("team"))
    await api.organizations.teams.permissions.grant(team, to(name, permission));
  for (const name of ["suspended", "mustChange"])
    await api.organizations.permissions.grant({ organizationId }, to(name, "Admin"));
  for (const name of Object.keys(known).filter((one) => known[`${one}Token`] && one !== "mustChange")) {
    await as(name).accounts.resourceGroups.upsert({ shortName: "mine" }, {});
    await as(name).accounts.serviceAccount();
  }
  await webhooks(known, as);
}

/** One of the organization, and one of everybody's own; each has been asked for a test. */
async function webhooks(known: Known, as: Setting["as"]) {
  const { organizations } = as("owner");
  const organizationId = known.organization ?? "";
  const made = await organizations.webhooks.create(
    { organizationId },
    { name: "Works", url: "https://works.example/" },
  );
  known.webhook = made.id;
  known.delivery = (await organizations.webhooks.test({ organizationId, webhookId: made.id })).id;
  for (const name of Object.keys(known).filter((one) => known[`${one}Token`] && one !== "mustChange")) {
    const own = as(name).accounts.webhooks;
    const { id: webhookId } = await own.create({ name, url: "https://receiver.example/" });
    known[`${name}Webhook`] = webhookId;
    known[`${name}Delivery`] = (await own.test({ webhookId })).id;
  }
}

/** An environment in the group, initialized in A and under way in B; in it a live system whose one component is overridden. */
async function environment({ known, as, until, world, console }: Setting) {
  const api = as("owner");
  const ownerId = known.organization ?? "";
  const web = { type: "Organizational", ownerId, shortName: "web" } as const;
  await api.environments.create(web, { resourceGroups: [`Organizational/${ownerId}/tools`] });
  await api.environments.ciCdProfiles.create(web, { shortName: "ci", sshPrivateKeyData: "fake-key:one" });
  await api.environments.secrets.create(web, { shortName: "db", value: "päss" });
  await api.environments.providerA.initialize(web, { subscriptionId }, cloudA);
  await world.liveplane.start();
  await until(async () => {
    const { initializationRun } = await api.environments.providerA.status(web);
    return initializationRun.status !== "InProgress";
  });
  const made = await api.liveSystems.create({ name: "shop", environmentId: web, components: [vnet] });
  known.liveSystem = made.livesystemId;
  known.mutation = made.id;
  known.component = `${made.livesystemId}/network/vnet`;
  const at = { id: made.livesystemId, componentId: known.component };
  await until(async () => {
    const { status } = await api.liveSystems.mutations.get({ id: made.livesystemId, mutationId: made.id });
    return status === "Succeeded";
  });
  const { resourceId } = await api.liveSystems.components.get(at);
  await console.putTags(resourceId ?? "", {});
  await console.patchParameters(resourceId ?? "", { addressSpace: "10.1.0.0/16" });
  await api.liveSystems.components.check(at);
  await world.liveplane.drain();
  const elsewhere = { ...web, ownerId: known.elsewhere ?? "" };
  await as("maker").environments.create(elsewhere, {});
  known.otherLiveSystem = (
    await as("maker").liveSystems.create({ name: "other", environmentId: elsewhere, components: [] })
  ).livesystemId;
  await api.environments.providerA.authenticate(web);
  await api.environments.providerB.initialize(web, { projectId: "project" }, cloudB);
}

export const vnet = {
  path: "network/vnet",
  provider: "provider-a",
  type: "Microsoft.Network/virtualNetworks@2024-05-01",
  parameters: { addressSpace: "10.0.0.0/16" },
};

async function serviceAccounts({ known, as, world, runtime }: Setting) {
  const web = { type: "Organizational", ownerId: known.organization ?? "", shortName: "web" } as const;
  const { serviceAccounts: area } = as("owner").environments;
  const organizationId = web.ownerId;
  const token = async (client_id: string, client_secret: string, scope?: string) => {
    const request = { grant_type: "client_credentials", client_id, client_secret } as const;
    return (await world.nobody.tokens.create({ ...request, ...(scope && { scope }) })).access_token;
  };
  for (const [name, serviceAccountRole] of Object.entries(roles)) {
    const principalId = runtime.newId();
    known[name] = principalId;
    await area.assign({ ...web, principalId }, { serviceAccountRole });
    const { id, secret } = await area.issueSecret({ ...web, principalId }, {});
    known[`${name}Secret`] = id;
    known[`${name}Token`] = await token(principalId, secret);
  }
  await area.update({ ...web, principalId: known.disabled ?? "" }, { active: false });
  for (const [name, owner] of Object.entries({ ownService: "orgAdmin", grantedService: "maker" })) {
    const { serviceAccountId } = await as(owner).accounts.serviceAccount();
    const { secret } = await as(owner).accounts.issueServiceAccountSecret({});
    known[name] = serviceAccountId ?? "";
    known[`${name}Token`] = await token(known[name] ?? "", secret);
    if (name !== "grantedService") continue;
    for (const missing of scopes) {
      const fewer = scopes.filter((scope) => scope !== missing).join(" ");
      known[`without-${missing}Token`] = await token(known[name] ?? "", secret, fewer);
    }
  }
  for (const name of ["customEdit", "grantedService"])
    await as("owner").organizations.permissions.grant(
      { organizationId },
      { principalType: "Account", principalId: known[name] ?? "", permissionType: "Edit" },
    );
}

async function challenges({ known, world, until }: Setting) {
  const mailed = async (to: string, count: number) => {
    const all = () => world.mailer.mails.filter((mail) => mail.to === to && mail.challenge);
    await until(async () => all().length >= count);
    return all().at(-1)?.challenge ?? "";
  };
  known.waiting = (await world.nobody.accounts.createWithEmail({ email: "waiting@example.com" })).id;
  await world.nobody.accounts.createWithEmail({ email: "forgetful@example.com" });
  const first = await mailed("forgetful@example.com", 1);
  await world.bearer(first).accounts.activate({ password });
  await world.nobody.accounts.requestPasswordReset({ email: "forgetful@example.com" });
  known.resetToken = await mailed("forgetful@example.com", 2);
  known.challengeToken = await mailed("waiting@example.com", 1);
  known.waiting = known.challengeToken.length > 0 ? await idOf(world, "waiting@example.com") : "";
}

async function idOf(world: Setting["world"], email: string): Promise<string> {
  const { items } = await world.host.accounts.list({ limit: 200 });
  return items.find((account) => account.email === email)?.id ?? "";
}

/** What happens last: the suspended account is suspended, plans expire, the organization is suspended. */
async function turn({ known, as, runtime, signIn }: Setting, condition: Condition) {
  await signIn("operator");
  await as("operator").accounts.suspend({ accountId: known.suspended ?? "" });
  if (condition === "plan expired") await runtime.advance(3_600_000);
  await signIn("operator");
  if (condition === "organization suspended")
    await as("operator").organizations.suspend({ organizationId: known.organization ?? "" });
  await signIn("owner");
}

/** The id of the session that a token of the fake signer names. */
export function sessionOf(token: string): string {
  const [, body = ""] = token.split(".");
  const claims = JSON.parse(fromUtf8(fromBase64Url(body) ?? new Uint8Array()));
  return claims.sid;
}
