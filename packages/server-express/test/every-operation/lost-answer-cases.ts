import type { Api } from "@liveplane/core";
import type { OperationId } from "@liveplane/core/routes";
import { softwareAuthenticator } from "../../../core/test/builders/authenticator.ts";
import { authenticatorApp } from "../../../core/test/builders/factors.ts";
import { outcomeOf } from "./script.ts";

const password = "correct horse battery";
/** The address of the console, as the worlds have it. */
const passkeyOrigin = "https://liveplane.example";
const other = "staple correct horse";

/** What a case is made in. */
export interface Scene {
  /** New in each case. */
  readonly name: string;
  readonly email: string;
  readonly stranger: Api;
  readonly operator: Api;
  /** Somebody who is there in all cases of one loss. */
  readonly person: Person;
  /** Whoever has a token, or a mailed challenge. */
  holder(token: string): Api;
  /** Somebody new has been at the OpenID provider: the code that a program gets, and what it is good with. */
  visit(): Promise<{ readonly code: string; readonly codeVerifier: string }>;
  /** The challenge that was mailed last, which isn't the one before. */
  mailed(before?: string): Promise<string>;
}

/** Somebody with an account, signed in. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly api: Api;
  readonly refreshToken: string;
}

/** A call whose answer is lost, and what its caller can do then. */
export interface Lost {
  make(): Promise<unknown>;
  /** Whether it was carried out, as its caller can tell; absent: it may be made again without a look. */
  look?(): Promise<boolean>;
  /** What the caller does where it was carried out. @default nothing: what was wanted is so */
  goOn?(): Promise<unknown>;
}

/** Prepares what a call needs. */
export type Case = (scene: Scene) => Promise<Lost>;

async function isFine(call: () => Promise<unknown>): Promise<boolean> {
  const outcome = await outcomeOf(call);
  return "answer" in outcome;
}

function signsIn({ stranger }: Scene, username: string, by = password): Promise<boolean> {
  return isFine(() => stranger.sessions.create({ username, password: by }));
}

/** A new account, signed in. */
export async function signedUp({ stranger, holder, name }: Omit<Scene, "person">): Promise<Person> {
  const { id } = await stranger.accounts.createWithCredentials({ username: name, password });
  return { id, username: name, ...(await signedIn({ stranger, holder }, name)) };
}

async function signedIn({ stranger, holder }: Pick<Scene, "stranger" | "holder">, username: string) {
  const { accessToken, refreshToken } = await stranger.sessions.create({ username, password });
  return { api: holder(accessToken), refreshToken };
}

async function addApp({ accounts: { factors } }: Api): Promise<void> {
  const { secret } = await factors.addTotp();
  await factors.confirmTotp({ code: await authenticatorApp(secret).codeAt(Date.now()) });
}

/** Somebody with a second factor, signed in, and in another session that waits for it. */
async function withFactor(scene: Scene) {
  const { api, username } = await signedUp(scene);
  await addApp(api);
  const { codes } = await api.accounts.factors.issueRecoveryCodes();
  const { api: waiting } = await signedIn(scene, username);
  return { api, username, codes, waiting };
}

async function registered({ stranger, email, mailed }: Scene): Promise<string> {
  await stranger.accounts.createWithEmail({ email });
  return mailed();
}

async function withEnvironment({ person: { id: ownerId, api }, name }: Scene) {
  const at = { type: "Personal", ownerId, shortName: `e${name.slice(0, 8)}` } as const;
  await api.environments.create(at, {});
  return { api, at };
}

interface Issuing {
  readonly principalId: string;
  issue(): Promise<{ readonly secret: string }>;
  alive(): Promise<readonly { readonly id: string }[]>;
  revoke(secretId: string): Promise<unknown>;
}

/** A secret that nobody has read is no use to anybody: it is ended, and another one issued. */
function issuing({ stranger }: Scene, { principalId, issue, alive, revoke }: Issuing): Lost {
  return {
    make: issue,
    look: async () => (await alive()).length > 0,
    async goOn() {
      for (const { id } of await alive()) await revoke(id);
      const { secret } = await issue();
      const client = { client_id: principalId, client_secret: secret };
      await stranger.tokens.create({ grant_type: "client_credentials", ...client });
    },
  };
}

async function accountOfServices({ person: { api } }: Scene): Promise<Issuing> {
  const { serviceAccountId } = await api.accounts.serviceAccount();
  const alive = async () => (await api.accounts.listServiceAccountSecrets()).items;
  const revoke = (secretId: string) => api.accounts.revokeServiceAccountSecret({ secretId });
  for (const { id } of await alive()) await revoke(id);
  return {
    principalId: serviceAccountId ?? "",
    issue: () => api.accounts.issueServiceAccountSecret({}),
    alive,
    revoke,
  };
}

type Hooks = Pick<Api["accounts"]["webhooks"], "list" | "create" | "issueSecret">;

/** A webhook whose secret nobody has read gets another one, which signs beside the first. */
function hooking(hooks: Hooks, name: string): Lost {
  const made = async () => (await hooks.list({ limit: 100 })).items.filter((hook) => hook.name === name);
  return {
    make: () => hooks.create({ name, url: "https://receiver.example/hook" }),
    look: async () => (await made()).length > 0,
    async goOn() {
      for (const { id } of await made()) await hooks.issueSecret({ webhookId: id });
    },
  };
}

/** A secret of a webhook may be issued again without a look: each signs. */
async function hookSecret(hooks: Hooks, name: string): Promise<Lost> {
  const { id: webhookId } = await hooks.create({ name, url: "https://receiver.example/hook" });
  return { make: () => hooks.issueSecret({ webhookId }) };
}

const works = new Map<Person, ReturnType<Api["organizations"]["create"]>>();

/** The one organization of somebody: their plan has no place for one in each case. */
function worksOf(person: Person): ReturnType<Api["organizations"]["create"]> {
  const known = works.get(person) ?? person.api.organizations.create({ name: "Works" });
  works.set(person, known);
  return known;
}

/** The webhooks of somebody's organization, called as an account's are. */
async function organizationsHooks({ person }: Scene): Promise<Hooks> {
  const { api } = person;
  const { id: organizationId } = await worksOf(person);
  const { webhooks } = api.organizations;
  return {
    list: Object.assign((query?: object) => webhooks.list({ organizationId }, query), {
      all: api.accounts.webhooks.list.all,
    }),
    create: (body) => webhooks.create({ organizationId }, body),
    issueSecret: ({ webhookId }) => webhooks.issueSecret({ organizationId, webhookId }),
  };
}

/** What is sent once: that takes no key, or may end the credential that it is sent with. */
export const sentOnce: Partial<Record<OperationId, Case>> = {
  "accounts.createWithCredentials": async (scene) => ({
    make: () => scene.stranger.accounts.createWithCredentials({ username: scene.name, password }),
    look: () => signsIn(scene, scene.name),
  }),
  "accounts.createWithEmail": async ({ stranger, email, mailed }) => ({
    make: () => stranger.accounts.createWithEmail({ email }),
    goOn: mailed,
  }),
  "accounts.activate": async (scene) => {
    const api = scene.holder(await registered(scene));
    return {
      make: () => api.accounts.activate({ name: "Eve", surname: "Moor", password }),
      look: () => signsIn(scene, scene.email),
    };
  },
  "accounts.activateById": async (scene) => {
    const api = scene.holder(await registered(scene));
    const { items } = await scene.operator.accounts.list({ email: scene.email });
    const accountId = items[0]?.id ?? "";
    return {
      make: () => api.accounts.activateById({ accountId }, { name: "Eve", surname: "Moor", password }),
      look: () => signsIn(scene, scene.email),
    };
  },
  "accounts.resendChallenge": async (scene) => {
    const { stranger, email, mailed } = scene;
    const first = await registered(scene);
    return { make: () => stranger.accounts.resendChallenge({ email }), goOn: () => mailed(first) };
  },
  "accounts.requestPasswordReset": async ({ stranger, email }) => ({
    make: () => stranger.accounts.requestPasswordReset({ email }),
  }),
  "accounts.resetPassword": async (scene) => {
    const { stranger, email, holder, mailed } = scene;
    const first = await registered(scene);
    await holder(first).accounts.activate({ name: "Eve", surname: "Moor", password });
    await stranger.accounts.requestPasswordReset({ email });
    const api = holder(await mailed(first));
    return {
      make: () => api.accounts.resetPassword({ newPassword: other }),
      look: () => signsIn(scene, email, other),
    };
  },
  "accounts.webhooks.create": async ({ person: { api }, name }) => hooking(api.accounts.webhooks, name),
  "accounts.webhooks.issueSecret": ({ person: { api }, name }) => hookSecret(api.accounts.webhooks, name),
  "organizations.webhooks.create": async (scene) => hooking(await organizationsHooks(scene), scene.name),
  "organizations.webhooks.issueSecret": async (scene) => hookSecret(await organizationsHooks(scene), scene.name),
  "accounts.issueServiceAccountSecret": async (scene) => issuing(scene, await accountOfServices(scene)),
  "organizations.issueServiceAccountSecret": async (scene) => {
    const { api } = scene.person;
    const { id: organizationId, serviceAccountId } = await worksOf(scene.person);
    return issuing(scene, {
      principalId: serviceAccountId ?? "",
      issue: () => api.organizations.issueServiceAccountSecret({ organizationId }, {}),
      alive: async () => (await api.organizations.listServiceAccountSecrets({ organizationId })).items,
      revoke: (secretId) => api.organizations.revokeServiceAccountSecret({ organizationId, secretId }),
    });
  },
  "environments.serviceAccounts.issueSecret": async (scene) => {
    const { api, at } = await withEnvironment(scene);
    const account = { ...at, principalId: scene.name };
    await api.environments.serviceAccounts.assign(account, { serviceAccountRole: "Bot" });
    return issuing(scene, {
      principalId: scene.name,
      issue: () => api.environments.serviceAccounts.issueSecret(account, {}),
      alive: async () => (await api.environments.serviceAccounts.get(account)).secrets,
      revoke: (secretId) => api.environments.serviceAccounts.revokeSecret({ ...account, secretId }),
    });
  },
  "environments.secrets.reveal": async (scene) => {
    const { api, at } = await withEnvironment(scene);
    await api.environments.secrets.create(at, { shortName: "db", value: "kept" });
    return { make: () => api.environments.secrets.reveal({ ...at, secretShortName: "db" }, {}) };
  },
  "sessions.delete": async (scene) => {
    const { api } = await signedIn(scene, scene.person.username);
    const { items } = await api.sessions.list();
    const sessionId = items.find(({ current }) => current)?.id ?? "";
    return {
      make: () => api.sessions.delete({ sessionId }),
      look: async () => !(await isFine(() => api.accounts.me())),
    };
  },
  "sessions.createByCode": async ({ stranger, holder, visit }) => {
    const signIn = async () => stranger.sessions.createByCode(await visit());
    const { sessions } = holder((await signIn()).accessToken);
    const count = async () => (await sessions.list()).items.length;
    const [before, code] = [await count(), await visit()];
    return {
      make: () => stranger.sessions.createByCode(code),
      look: async () => (await count()) > before,
      // The code is spent, and the tokens that it gave are nobody's.
      goOn: signIn,
    };
  },
  "sessions.authorize": async (scene) => {
    const { api } = await signedUp(scene);
    const codeChallenge = "c".repeat(43);
    // Nobody can spend a code that nobody has read.
    return {
      make: () => api.sessions.authorize({ codeChallenge }),
      goOn: () => api.sessions.authorize({ codeChallenge }),
    };
  },
  "sessions.createByFactor": async (scene) => {
    const { username, codes, waiting } = await withFactor(scene);
    const [code = "", another = ""] = codes;
    return {
      make: () => waiting.sessions.createByFactor({ code }),
      // The session that waited has ended, and the code is used: a new sign-in takes another one.
      look: async () => !(await isFine(() => waiting.accounts.factors.list())),
      async goOn() {
        const { api } = await signedIn(scene, username);
        await api.sessions.createByFactor({ code: another });
      },
    };
  },
  "accounts.factors.addTotp": async (scene) => {
    const { api } = await signedUp(scene);
    // A secret that nobody has read is replaced by the next one.
    return { make: () => api.accounts.factors.addTotp(), goOn: () => addApp(api) };
  },
  "sessions.createByPasskey": async (scene) => {
    const { api } = await signedUp(scene);
    const device = softwareAuthenticator(passkeyOrigin);
    await api.accounts.factors.addPasskey({
      credential: await device.create(await api.accounts.factors.beginPasskey()),
    });
    const count = async () => (await api.sessions.list()).items.length;
    const { sessions } = scene.stranger;
    const signed = async () => device.sign(await sessions.beginByPasskey());
    const [before, credential] = [await count(), await signed()];
    return {
      make: () => sessions.createByPasskey({ credential }),
      look: async () => (await count()) > before,
      // The challenge is spent, and the tokens that it gave are nobody's.
      goOn: async () => sessions.createByPasskey({ credential: await signed() }),
    };
  },
  "accounts.factors.issueRecoveryCodes": async (scene) => {
    const { api } = await withFactor(scene);
    return {
      make: () => api.accounts.factors.issueRecoveryCodes(),
      goOn: () => api.accounts.factors.issueRecoveryCodes(),
    };
  },
  "accounts.deleteMe": async (scene) => {
    const { api } = await signedUp(scene);
    return { make: () => api.accounts.deleteMe(), look: async () => !(await isFine(() => api.accounts.me())) };
  },
  "accounts.delete": async (scene) => {
    await registered(scene);
    const { items } = await scene.operator.accounts.list({ email: scene.email });
    const accountId = items[0]?.id ?? "";
    return {
      make: () => scene.operator.accounts.delete({ accountId }),
      look: async () => (await scene.operator.accounts.get({ accountId })).status === "Deleted",
    };
  },
};

/** What the client sends once more by itself where the network broke: done twice, it does no harm. */
export const sentAgain: Partial<Record<OperationId, Case>> = {
  "sessions.beginByPasskey": async ({ stranger }) => ({ make: () => stranger.sessions.beginByPasskey() }),
  "sessions.create": async ({ stranger, person: { username, api } }) => {
    const before = (await api.sessions.list()).items.length;
    return {
      make: () => stranger.sessions.create({ username, password }),
      look: async () => (await api.sessions.list()).items.length > before,
    };
  },
  "tokens.create": async (scene) => {
    const { principalId, issue } = await accountOfServices(scene);
    const client = { client_id: principalId, client_secret: (await issue()).secret };
    return { make: () => scene.stranger.tokens.create({ grant_type: "client_credentials", ...client }) };
  },
  "tokens.revoke": async (scene) => {
    const { api, refreshToken } = await signedIn(scene, scene.person.username);
    return {
      make: () => scene.stranger.tokens.revoke({ token: refreshToken }),
      look: async () => !(await isFine(() => api.accounts.me())),
    };
  },
};
