import type { OperationId } from "../contract/routes.ts";
import type { Operation } from "../contract/row.ts";

/*
 * An account's own service account is Admin of its owner's personal scope, beside what it was granted itself, and is told apart from
 * its owner by these lists alone: a token that leaks from a pipeline must not take the account away.
 */

/** What it may do in its owner's place, of all that is for accounts themselves. A row that isn't named here is for the person. */
const inItsOwnersPlace: ReadonlySet<OperationId> = new Set<OperationId>([
  "accounts.me",
  "accounts.update",
  "accounts.serviceAccount",
  "accounts.resourceGroups.list",
  "accounts.resourceGroups.upsert",
  "accounts.resourceGroups.get",
  "accounts.resourceGroups.delete",
  "accounts.resourceGroups.upsertByShortName",
  "accounts.resourceGroups.getByShortName",
  "subscriptions.create",
]);

/** What the Admin of a personal scope may do there as a person alone: it makes credentials, or shows them. */
const asThePersonAlone: ReadonlySet<OperationId> = new Set<OperationId>([
  "environments.secrets.reveal",
  "environments.serviceAccounts.assign",
  "environments.serviceAccounts.update",
  "environments.serviceAccounts.delete",
  "environments.serviceAccounts.issueSecret",
  "environments.serviceAccounts.revokeSecret",
  "environments.serviceAccounts.federatedIdentities.create",
  "environments.serviceAccounts.federatedIdentities.delete",
]);

/** Whether an account's own service account may call a row that is for accounts themselves. */
export function isInOwnersPlace({ id }: Pick<Operation, "id">): boolean {
  return inItsOwnersPlace.has(id);
}

/** Whether what a body asks for is about who the owner is: the address is how they come back. */
export function isAboutIdentity({ id }: Pick<Operation, "id">, body: unknown): boolean {
  return id === "accounts.update" && typeof body === "object" && body !== null && "email" in body;
}

/** Whether a row takes the person, where its right comes from standing in for them. */
export function takesThePerson({ id }: Pick<Operation, "id">): boolean {
  return asThePersonAlone.has(id);
}
