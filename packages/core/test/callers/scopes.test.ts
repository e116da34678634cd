import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import { calls } from "./calls.ts";
import { scopes, worldOfCallers } from "./world.ts";

/** The scope that each area's operations take, written out by hand; `null`: none. */
const scopeOfArea: Readonly<Record<string, (typeof scopes)[number] | null>> = {
  accounts: "accounts",
  sessions: "accounts",
  organizations: "organizations",
  permissions: "organizations",
  subscriptions: "subscriptions",
  environments: "environments",
  liveSystems: "livesystems",
  overrides: "livesystems",
  events: null,
};

/** What no token is needed for, and what takes the challenge that was mailed. */
const withoutToken = new Set([
  ...["accounts.createWithCredentials", "accounts.createWithEmail", "accounts.resendChallenge"],
  ...["accounts.requestPasswordReset", "accounts.activate", "accounts.activateById", "accounts.resetPassword"],
  ...["sessions.create", "tokens.create", "tokens.revoke", "tokens.keys"],
]);
/** What only an operator's session has a scope for. */
const forOperators = new Set([
  ...["accounts.list", "accounts.suspend", "accounts.resume", "accounts.delete"],
  ...["organizations.suspend", "organizations.resume", "subscriptions.update"],
]);
const ids = (Object.keys(operationsById) as OperationId[]).filter((id) => !withoutToken.has(id));

const world = await worldOfCallers();
const { known } = world;

test.each(ids)("%s takes a token with its own scope, and asks for no other", async (id) => {
  const own = scopeOfArea[id.split(".")[0] ?? ""];
  const again = await world.again();
  for (const missing of scopes) {
    const who = `without-${missing}`;
    const refusal = await again.refusal(who, id, calls[id](known, who));
    const isMissing = missing === own && !forOperators.has(id);
    expect({ missing, isRefused: refusal?.code === "InsufficientScope" }).toEqual({ missing, isRefused: isMissing });
    if (isMissing) expect(refusal?.details).toEqual({ scope: own });
  }
});
