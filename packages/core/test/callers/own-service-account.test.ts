import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import { idsByArea } from "../builders/ids-by-area.ts";
import { calls } from "./calls.ts";
import { type Again, type Known, worldOfCallers } from "./world.ts";

/* `ownService` is the service account of `orgAdmin`, with no grant of its own. */
const world = await worldOfCallers();
const ownerId = world.known.orgAdmin ?? "";
const web = { type: "Personal", ownerId, shortName: "web" } as const;
const robot = { ...web, principalId: "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5a" };

/** What elsewhere lies in the organization lies in the personal scope of the service account's owner, and the calls go there. */
async function personalScope(): Promise<{ readonly again: Again; readonly known: Known }> {
  const again = await world.again();
  const { environments, liveSystems, accounts } = again.as("orgAdmin");
  await environments.create(web, { resourceGroups: [`Personal/${ownerId}/mine`] });
  await environments.secrets.create(web, { shortName: "db", value: "päss" });
  await environments.ciCdProfiles.create(web, { shortName: "ci", sshPrivateKeyData: "fake-key:one" });
  await environments.serviceAccounts.assign(robot, { serviceAccountRole: "Bot" });
  const { id: robotSecret } = await environments.serviceAccounts.issueSecret(robot, {});
  const made = await liveSystems.create({ name: "own", environmentId: web, components: [] });
  const there = { liveSystem: made.livesystemId, mutation: made.id, robot: robot.principalId, robotSecret };
  const { subscriptionId } = await accounts.me();
  const owner = { organization: ownerId, victim: ownerId, subscription: subscriptionId ?? "" };
  return { again, known: { ...world.known, ...there, ...owner } };
}

const personal = (args: readonly unknown[]): readonly unknown[] =>
  JSON.parse(JSON.stringify(args).replaceAll('"Organizational"', '"Personal"'));

/** What makes credentials or shows them, and what is about who the owner is. */
const forThePerson: readonly OperationId[] = [
  ...idsByArea(`
    environments.secrets         reveal
    environments.serviceAccounts assign update delete issueSecret revokeSecret
    environments.serviceAccounts.federatedIdentities create delete
    accounts                     changePassword deleteMe delete
    accounts                     issueServiceAccountSecret listServiceAccountSecrets revokeServiceAccountSecret
    accounts.factors             list addTotp confirmTotp beginPasskey addPasskey issueRecoveryCodes delete
    accounts.identities          list authorize link delete
    sessions                     authorize createByFactor list delete
    organizations                create
  `),
  ...(Object.keys(operationsById) as OperationId[]).filter((id) => id.startsWith("accounts.webhooks.")),
];

/** What isn't its owner's either, or isn't there: no organization has the owner's id, and nothing was initialized. */
const others: Readonly<Record<string, readonly OperationId[]>> = {
  PermissionDenied: [
    "accounts.createWithCredentials",
    "accounts.list",
    "events.log",
    "subscriptions.list",
    "subscriptions.update",
  ],
  NotFound: idsByArea(`
    accounts               get setPassword suspend resume release removeFactors
    permissions            explain
    environments.providerA authentication status cancel
    environments.providerB status cancel
  `),
  EnvironmentNotEmpty: ["environments.delete"],
  SignInInvalid: ["sessions.createByCode"],
  InvalidCredentials: ["sessions.createByPasskey"],
  InvalidState: idsByArea(`
    environments.resources list
    liveSystems            create plan deploy planDeploy
  `),
};
const challenged = new Set<OperationId>(["accounts.activate", "accounts.activateById", "accounts.resetPassword"]);

function promised(id: OperationId): string {
  if (forThePerson.includes(id)) return "PermissionDenied";
  if (challenged.has(id)) return "ChallengeInvalid";
  const isElsewhere = id.startsWith("organizations.") && id !== "organizations.list";
  const [other] = Object.entries(others).find(([, ids]) => ids.includes(id)) ?? [];
  return other ?? (isElsewhere || id.startsWith("liveSystems.components.") ? "NotFound" : "ok");
}

test.each(Object.keys(operationsById) as OperationId[])(
  "%s by an account's own service account, in its owner's scope, is answered as it is promised",
  async (id) => {
    const { again, known } = await personalScope();
    const args = calls[id](known, "ownService");
    const refusal = await again.refusal("ownService", id, id === "events.follow" ? args : personal(args));
    expect(refusal?.code ?? "ok").toBe(id === "liveSystems.components.list" ? "ok" : promised(id));
  },
);

test("it may change the names of its owner, and not the address", async () => {
  const { again } = await personalScope();
  const { accounts } = again.as("ownService");
  for (const email of ["elsewhere@example.com", null])
    await expect(accounts.update({ name: "x", email })).rejects.toMatchObject({ code: "PermissionDenied" });
  expect(await accounts.update({ name: "Renamed" })).toMatchObject({ id: ownerId, name: "Renamed" });
});

test("it finds its owner's environments and live systems in lists, and no others", async () => {
  const { again, known } = await personalScope();
  const service = again.as("ownService");
  const environments = (await service.environments.list()).items.map(({ id }) => id);
  expect(environments).toEqual([web]);
  expect((await service.liveSystems.list()).items.map(({ id }) => id)).toEqual([known.liveSystem]);
});

test("it follows what happens in its owner's scope, and not what happens to the account", async () => {
  const { again } = await personalScope();
  const owner = again.as("orgAdmin");
  await owner.accounts.update({ name: "Renamed" });
  await owner.environments.update(web, { name: "The last to happen" });
  const seen: string[][] = [];
  for await (const { type, subject } of again.as("ownService").events.follow({ after: 0 })) {
    seen.push([type, subject]);
    if (type === "environment.updated") break;
  }
  const types = seen.map(([type]) => type);
  expect(types).toContain("secret.created");
  expect(types.filter((type) => /^(account|session)\./.test(type ?? ""))).toEqual([]);
});
