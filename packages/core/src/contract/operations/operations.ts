import { type OperationId, routes } from "../routes.ts";
import type { Operation } from "../row.ts";
import { accountOperations } from "./account-operations.ts";
import { environmentOperations } from "./environment-operations.ts";
import { eventOperations, liveSystemOperations, overrideOperations } from "./live-system-operations.ts";
import { nameOperations } from "./name-operations.ts";
import { organizationOperations, permissionOperations, subscriptionOperations } from "./organization-operations.ts";
import { sessionOperations, tokenOperations } from "./session-operations.ts";

/** Every operation, in the shape in which it is called. */
export const operations = {
  environments: environmentOperations,
  accounts: accountOperations,
  sessions: sessionOperations,
  tokens: tokenOperations,
  organizations: organizationOperations,
  permissions: permissionOperations,
  subscriptions: subscriptionOperations,
  liveSystems: liveSystemOperations,
  overrides: overrideOperations,
  names: nameOperations,
  events: eventOperations,
} as const;

/** Every operation by its id. */
export const operationsById: Readonly<Record<OperationId, Operation>> = Object.fromEntries(
  (Object.keys(routes) as OperationId[]).map((id) => [id, find(id)]),
) as Record<OperationId, Operation>;

function find(id: OperationId): Operation {
  let node: unknown = operations;
  for (const name of id.split(".")) node = (node as Record<string, unknown>)[name];
  return node as Operation;
}
