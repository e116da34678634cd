import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { type OperationId, parseRoute } from "../../src/contract/routes.ts";
import type { LiveplaneError } from "../../src/errors.ts";
import { type Call, calls, otherCalls } from "./calls.ts";
import { type Known, methodOf, sessionOf, vnet, worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const again = await world.again();
const { known } = world;

const gone = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** The same names for things that aren't there, one kind of thing at a time: nothing of a place, or not that thing in it. */
const missing: readonly Known[] = [
  {
    ...known,
    ...{ organization: gone(1), victim: gone(2), subscription: gone(3), waiting: gone(4), robot: gone(5) },
    ...{ liveSystem: gone(6), mutation: gone(7), component: `${gone(6)}/network/vnet`, robotSecret: gone(8) },
    ...{ webhook: gone(9), delivery: gone(10) },
  },
  { ...known, mutation: gone(7), robot: gone(5), robotSecret: gone(8), component: `${known.liveSystem}/no/such` },
];
/** Names that may stand for something else, or for nothing, in the place of those that are there. */
const otherNames = { web: "none", tools: "none", smiths: "none", ci: "none", db: "none" };

/** All that a refusal says, its cause included, without the names in its path, which whoever asked knows. */
function serialised(refusal: LiveplaneError | null, [sent]: readonly unknown[]): string {
  if (refusal === null) return "answered";
  const { name, code, status, details, retryable, cause } = refusal;
  const names = Object.values(sent ?? {}).filter((value): value is string => typeof value === "string");
  const message = names
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, own) => text.replaceAll(own, "…"), refusal.message);
  return JSON.stringify({ name, code, status, message, details, retryable, cause });
}

/** How somebody is refused, serialised. */
async function refusedAs(who: string, id: OperationId, args: readonly unknown[]): Promise<string> {
  return serialised(await again.refusal(who, id, args), args);
}

const withOtherNames = (args: readonly unknown[]): readonly unknown[] =>
  JSON.parse(JSON.stringify(args), (member, value: unknown) =>
    /hortName$/.test(member) && typeof value === "string" && value in otherNames
      ? Reflect.get(otherNames, value)
      : value,
  );

const byPath = (Object.keys(operationsById) as OperationId[]).filter((id) => parseRoute(id).params.length > 0);
const bySelf = /^(accounts\.((resourceGroups|webhooks|identities|factors)\.|revokeService)|sessions\.)/;
const named: readonly (readonly [name: string, OperationId, Call])[] = [
  ...byPath.filter((id) => !bySelf.test(id)).map((id) => [id, id, calls[id]] as const),
  ...(["organizations.update", "liveSystems.create", "liveSystems.plan"] as const).map(
    (id) => [id, id, calls[id]] as const,
  ),
  ...Object.entries(otherCalls)
    .filter(([name]) => !/^(permissions\.explain of|subscriptions|accounts\.update)/.test(name))
    .map(([name, [id, call]]) => [name, id, call] as const),
];

test.each(named)(
  "%s answers a stranger the same for what is another's and for what isn't there",
  async (_, id, call) => {
    for (const who of ["stranger", "ownService", "maker"]) {
      const foreign = await again.refusal(who, id, call(known, who));
      expect(foreign?.code).toMatch(/^(NotFound|ChallengeInvalid)$/);
      const said = serialised(foreign, call(known, who));
      for (const other of missing) expect(await refusedAs(who, id, call(other, who))).toBe(said);
      expect(await refusedAs(who, id, withOtherNames(call(known, who)))).toBe(said);
    }
    expect(again.changed()).toBe(false);
  },
);

const roles = ["cloudAgent", "keyVault", "customEdit"];
const elsewhere = named.filter(([, id]) => id.startsWith("environments.") || id.startsWith("liveSystems."));

test.each(elsewhere)("%s answers a role of another environment the same, whatever is there", async (_, id, call) => {
  const other: Known = { ...known, organization: known.elsewhere ?? "", liveSystem: known.otherLiveSystem ?? "" };
  const none: Known = { ...other, organization: gone(1), liveSystem: gone(6) };
  for (const who of roles) {
    const foreign = await again.refusal(who, id, call(other, who));
    expect(foreign?.code).toBe("InsufficientScope");
    expect(await refusedAs(who, id, call(none, who))).toBe(serialised(foreign, call(other, who)));
  }
});

const tenants = named.filter(([, id]) => !/^(accounts|subscriptions)\.|^organizations\.(suspend|resume)$/.test(id));

test.each(tenants)(
  "%s answers an operator the same for what is a tenant's and for what isn't there",
  async (_, id, call) => {
    const foreign = await again.refusal("operator", id, call(known, "operator"));
    expect(foreign?.code).toBe("NotFound");
    for (const other of missing)
      expect(await refusedAs("operator", id, call(other, "operator"))).toBe(
        serialised(foreign, call(known, "operator")),
      );
  },
);

/** The same live system, declared in an environment that isn't its own: alone, with one of its secrets, in one of its groups. */
const declaredElsewhere: readonly ((named: Known) => object)[] = [
  ({ organization: ownerId }) => ({
    ...ownDefinition(known),
    environmentId: { type: "Organizational", ownerId, shortName: "web" },
  }),
  ({ organization: ownerId }) => ({
    ...ownDefinition(known),
    environmentId: { type: "Organizational", ownerId, shortName: "web" },
    components: [{ ...vnet, parameters: { password: { $secret: "db" } } }],
  }),
  (named) => ({
    ...ownDefinition(known),
    environmentId: { type: "Organizational", ownerId: named.organization, shortName: "web" },
    resourceGroupId: groupOf(named),
  }),
  (named) => ({ ...ownDefinition(known), resourceGroupId: groupOf(named) }),
];

/** What is named beside the path: by the body, or by the query. */
const beside: readonly (readonly [OperationId, (named: Known) => readonly unknown[]])[] = [
  ["sessions.delete", ({ session: sessionId }) => [{ sessionId }]],
  ...(["get", "delete", "issueSecret", "test", "resume", "deliveries.list"] as const).map(
    (name) => [`accounts.webhooks.${name}`, ({ theirWebhook: webhookId }: Known) => [{ webhookId }]] as const,
  ),
  ["accounts.factors.delete", ({ session: factorId }) => [{ factorId }]],
  ["accounts.identities.delete", ({ session: identityId }) => [{ identityId }]],
  ["accounts.activateById", ({ victim: accountId }) => [{ accountId }, { password: "vK9-mQ2-xPLw-7d" }]],
  ["environments.list", ({ organization: ownerId }) => [{ type: "Organizational", ownerId }]],
  ["environments.list", ({ organization }) => [{ resourceGroup: `Organizational/${organization}/tools` }]],
  ["liveSystems.list", ({ organization }) => [{ environment: `Organizational/${organization}/web` }]],
  ["liveSystems.list", ({ organization }) => [{ resourceGroup: `Organizational/${organization}/tools` }]],
  ["liveSystems.health", ({ organization }) => [{ environment: `Organizational/${organization}/web` }]],
  ["liveSystems.health", ({ organization }) => [{ resourceGroup: `Organizational/${organization}/tools` }]],
  ["overrides.list", ({ organization }) => [{ environment: `Organizational/${organization}/web` }]],
  [
    "environments.create",
    ({ own, organization }) => [
      { type: "Organizational", ownerId: own, shortName: "new" },
      { resourceGroups: [`Organizational/${organization}/tools`] },
    ],
  ],
  [
    "environments.create",
    ({ own, organization }) => [
      { type: "Organizational", ownerId: own, shortName: "new" },
      { managementEnvironmentId: { type: "Organizational", ownerId: organization, shortName: "web" } },
    ],
  ],
  [
    "organizations.permissions.grant",
    ({ own, team }) => [{ organizationId: own }, { principalType: "Team", principalId: team, permissionType: "View" }],
  ],
  [
    "organizations.permissions.revoke",
    ({ own, victim }) => [
      { organizationId: own },
      { principalType: "Account", principalId: victim, permissionType: "View" },
    ],
  ],
  [
    "permissions.explain",
    ({ own, victim }) => [{ organizationId: own }, { principalType: "Account", principalId: victim }],
  ],
  ["subscriptions.create", ({ victim: accountId }) => [{ subscriptionType: "Discover" }, { accountId }]],
  ...(["liveSystems.create", "liveSystems.plan"] as const).map(
    (id) => [id, (named: Known) => [{ ...ownDefinition(named), resourceGroupId: groupOf(named) }]] as const,
  ),
  ...(["liveSystems.deploy", "liveSystems.planDeploy"] as const).flatMap((id) =>
    declaredElsewhere.map(
      (declared) => [id, (named: Known) => [{ id: known.otherLiveSystem }, declared(named)]] as const,
    ),
  ),
];

const groupOf = ({ organization: ownerId }: Known) => ({
  resourceGroupType: "Organizational",
  ownerId,
  shortName: "tools",
});

/** What `maker` may deploy in an environment of their own. */
function ownDefinition({ elsewhere: ownerId }: Known) {
  return { name: "other", environmentId: { type: "Organizational", ownerId, shortName: "web" }, components: [] };
}

/** Who gets as far as what is named. */
const beforeOthers: Readonly<Record<string, string>> = {
  "accounts.activateById": "challenge",
  "liveSystems.create": "maker",
  "liveSystems.plan": "maker",
  "liveSystems.deploy": "maker",
  "liveSystems.planDeploy": "maker",
};

test.each(beside)("%s says no more of what another has, where it is named beside the path (%#)", async (id, args) => {
  const fresh = await world.again();
  const who = beforeOthers[id] ?? "stranger";
  const { id: own } = await fresh.as("stranger").organizations.create({ name: "Own" });
  const ask = async (named: Known) => {
    const call = { ...named, own };
    const refusal = await fresh.refusal(who, id, args(call));
    if (refusal !== null) return serialised(refusal, args(call));
    return JSON.stringify(await methodOf(fresh.as(who), id)(...args(call)));
  };
  const foreign = await ask({
    ...known,
    session: sessionOf(known.victimToken ?? ""),
    team: known.smiths ?? "",
    theirWebhook: known.victimWebhook ?? "",
  });
  const none = await ask({ ...(missing[0] ?? {}), session: gone(9), team: gone(10), theirWebhook: gone(11) });
  expect(foreign.replaceAll(known.victim ?? "", gone(2))).toBe(none);
});
