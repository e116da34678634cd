import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { TokenScope } from "../../src/contract/target.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { calls } from "./calls.ts";
import { type Again, methodOf, refusalOf, scopes, worldOfCallers } from "./world.ts";

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
  ...["sessions.createByCode", "sessions.beginByPasskey", "sessions.createByPasskey", "sessions.methods"],
]);
/** What only an operator's session has a scope for. */
const forOperators = new Set([
  ...["accounts.list", "accounts.get", "accounts.suspend", "accounts.resume", "accounts.delete", "accounts.release"],
  ...["accounts.removeFactors", "accounts.setPassword"],
  ...["organizations.suspend", "organizations.resume", "events.log"],
  ...["subscriptions.update", "subscriptions.list"],
]);
const every = Object.keys(operationsById) as OperationId[];
const ids = every.filter((id) => !withoutToken.has(id));

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

/** Whether a person's token that is good for one scope alone is refused for it. */
function isBeyond(id: OperationId, scope: TokenScope, operates: boolean): boolean {
  if (withoutToken.has(id)) return false;
  if (forOperators.has(id)) return operates && scope !== "operator";
  const own = scopeOfArea[id.split(".")[0] ?? ""] ?? null;
  return own !== null && scope !== own;
}

test.each(every)("%s takes a person's token of its own scope alone, and no other", async (id) => {
  let again = await world.again();
  for (const who of ["owner", "operator"] as const) {
    for (const scope of [...scopes, "operator"] as const) {
      const refusal = await refusalOf(again.withScopes(who, [scope]), id, calls[id](known, who));
      const expected = { who, scope, isRefused: isBeyond(id, scope, who === "operator") };
      expect({ who, scope, isRefused: refusal?.code === "InsufficientScope" }).toEqual(expected);
      if (again.changed()) again = await world.again();
    }
  }
});

const foreseen = new Set(Object.values(known));
/** With the address of an authenticator app, which names the account. */
const secrets = /"(secret|uri|challenge)":"[^"]*"/g;
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** All that a call is answered, but the ids of what it makes. */
async function answered(api: Api, id: OperationId, args: readonly unknown[]): Promise<string> {
  try {
    const answer = JSON.stringify(await methodOf(api, id)(...args));
    return answer.replace(secrets, '"$1":""').replaceAll(uuids, (found) => (foreseen.has(found) ? found : "<made>"));
  } catch (refusal) {
    if (!(refusal instanceof LiveplaneError)) throw refusal;
    return `${refusal.code}: ${refusal.message} ${JSON.stringify(refusal.details)}`;
  }
}

const answering = [...ids, "accounts.createWithCredentials" as const].filter(
  (id) => !forOperators.has(id) && id !== "events.follow",
);

test.each(answering)(
  "%s answers an operator without the operator scope as somebody who operates nothing",
  async (id) => {
    const anew = () => Promise.all([world.again(), world.again({ operators: [] })]);
    let pair = await anew();
    for (const own of [[], ...scopes.map((scope) => [scope]), [...scopes]]) {
      const args = calls[id](known, "operator");
      const [operator, person] = pair.map((again) => answered(again.withScopes("operator", own), id, args));
      expect({ own, told: await operator }).toEqual({ own, told: await person });
      if (pair.some((again) => again.changed())) pair = await anew();
    }
  },
);

test("an operator without the operator scope follows what somebody follows who operates nothing", async () => {
  const seen = async (again: Again) => {
    const api = again.withScopes("operator", scopes);
    const { updatedAt } = await api.accounts.update({ name: "The last to happen" });
    const types: string[] = [];
    for await (const { type, subject, time } of api.events.follow({ after: 0 })) {
      types.push(`${type} ${subject}`);
      if (type === "account.updated" && subject === known.operator && time === updatedAt) break;
    }
    return types;
  };
  const own = await seen(await world.again({ operators: [] }));
  expect(own.length).toBeGreaterThan(2);
  expect(await seen(await world.again())).toEqual(own);
});
