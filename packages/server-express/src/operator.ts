import { randomBytes } from "node:crypto";
import { createLiveplane, type LiveplaneOptions } from "@liveplane/core";
import { isLiveplaneError } from "@liveplane/core/errors";

/** The operator's account, and its one-time password if it was just set. */
export interface Operator {
  readonly accountId: string;
  /** `null`: it was already used, or the host set the password. */
  readonly oneTimePassword: string | null;
  /** Whether this start created it: the installation is new. */
  readonly isNew: boolean;
}

const username = "operator";
/** Where the store keeps the operator's account ID. */
const place = ["server", "operator"];

/** Finds the installation's operator, or creates the account at the first start. */
export async function ensureOperator(options: LiveplaneOptions, password: string | null): Promise<Operator> {
  const { store } = options;
  await createLiveplane(options).requireKeys();
  const [entry] = await store.get([place]);
  if (typeof entry?.value === "string") {
    const accountId = entry.value;
    const oneTimePassword = password === null ? await renewUnused(options, accountId) : null;
    return { accountId, oneTimePassword, isNew: false };
  }
  const oneTimePassword = password === null ? generatedPassword() : null;
  const accountId = await register(options);
  const { administration } = createLiveplane(options);
  await administration.setPassword(accountId, password ?? oneTimePassword ?? "", { oneTime: password === null });
  await store.commit({ sets: [{ key: place, value: accountId }] });
  return { accountId, oneTimePassword, isNew: true };
}

/** The account, with a password that nobody knows. After an interrupted start it is the one created then. */
async function register(options: LiveplaneOptions): Promise<string> {
  const api = createLiveplane(options).as({ kind: "system", name: "server" });
  try {
    return (await api.accounts.createWithCredentials({ username, password: generatedPassword() })).id;
  } catch (error) {
    if (!isLiveplaneError(error, "AlreadyExists")) throw error;
    for await (const account of api.accounts.list.all()) if (account.username === username) return account.id;
    throw error;
  }
}

/** Sets a new one-time password for the operator, and ends its sessions. */
export async function resetOperator(options: LiveplaneOptions): Promise<string> {
  const { accountId } = await ensureOperator(options, null);
  return renew(options, accountId);
}

/** Nobody may have seen an unused one-time password, because its start may have failed. */
async function renewUnused(options: LiveplaneOptions, accountId: string): Promise<string | null> {
  const { forcePasswordChange } = await createLiveplane(options).as({ kind: "account", accountId }).accounts.me();
  return forcePasswordChange ? renew(options, accountId) : null;
}

async function renew(options: LiveplaneOptions, accountId: string): Promise<string> {
  const password = generatedPassword();
  await createLiveplane(options).administration.setPassword(accountId, password, { oneTime: true });
  return password;
}

function generatedPassword(): string {
  return randomBytes(18).toString("base64url");
}
