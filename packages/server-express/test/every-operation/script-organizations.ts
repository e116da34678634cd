import type { OperationId } from "@liveplane/core/routes";
import { keep, listed, organization, type Step, step, type World } from "./script.ts";
import { webhooks } from "./script-webhooks.ts";

const group = (world: World) => ({ ...organization(world), shortName: "tools" });

/** Organizations, teams, groups, grants and subscriptions. */
export const organizations: readonly Step[] = [
  step("organizations.create", "ada", () => [{ name: "Works", tags: ["a"] }], keep("organization")),
  step("organizations.create", "ada", () => [{ name: "One too many" }]),
  step("organizations.update", "ada", (world) => [{ ...organization(world), description: "We work." }]),
  step("organizations.get", "ada", (world) => [organization(world)]),
  step("organizations.get", "bob", (world) => [organization(world)]),
  ...listed("organizations.list"),
  step("organizations.suspend", "operator", (world) => [organization(world)]),
  step("organizations.update", "ada", (world) => [{ ...organization(world), description: "No." }]),
  step("organizations.resume", "operator", (world) => [organization(world)]),
  step("organizations.issueServiceAccountSecret", "ada", (world) => [organization(world), {}], keep("worksSecret")),
  ...listed("organizations.listServiceAccountSecrets", (world) => [organization(world)]),
  step("organizations.revokeServiceAccountSecret", "ada", (world) => [
    { ...organization(world), secretId: world.known.worksSecret },
  ]),
  step("organizations.permissions.grant", "ada", (world) => [
    organization(world),
    { principalType: "Account", principalId: world.known.bob, permissionType: "View" },
  ]),
  step("organizations.permissions.grant", "ada", (world) => [
    organization(world),
    { principalType: "Account", principalId: null, permissionType: "View" },
  ]),
  step("organizations.get", "bob", (world) => [organization(world)]),
  step("organizations.update", "bob", (world) => [{ ...organization(world), name: "Mine now" }]),
  ...listed("organizations.members.list", (world) => [organization(world)]),
  ...listed("organizations.permissions.list", (world) => [organization(world)]),
  step("names.find", "bob", ({ known: { ada, bob } }) => [{ id: [ada, bob] }]),
  step("permissions.explain", "bob", (world) => [
    organization(world),
    { principalType: "Account", principalId: world.known.bob },
  ]),
  step("permissions.explain", "bob", (world) => [
    organization(world),
    { principalType: "Account", principalId: world.known.ada },
  ]),
  step("organizations.resourceGroups.upsert", "ada", (world) => [group(world), { displayName: "Tools" }]),
  step("organizations.resourceGroups.get", "ada", (world) => [group(world)]),
  ...listed("organizations.resourceGroups.list", (world) => [organization(world)]),
  step(
    "organizations.teams.upsert",
    "ada",
    (world) => [organization(world), { shortName: "smiths", name: "Smiths", isPrivate: true }],
    keep("team", "principalId"),
  ),
  step("organizations.teams.get", "ada", (world) => [{ ...organization(world), shortName: "smiths" }]),
  step("organizations.teams.get", "bob", (world) => [{ ...organization(world), shortName: "smiths" }]),
  ...listed("organizations.teams.list", (world) => [organization(world)]),
  ...["organizations.teams.permissions", "organizations.resourceGroups.permissions"].flatMap((area) =>
    ["grant", "revoke"].map((verb) =>
      step(`${area}.${verb}` as OperationId, "ada", (world) => [
        { ...organization(world), shortName: area.includes("teams") ? "smiths" : "tools" },
        { principalType: "Account", principalId: world.known.bob, permissionType: "Edit" },
      ]),
    ),
  ),
  ...listed("organizations.teams.permissions.list", (world) => [{ ...organization(world), shortName: "smiths" }]),
  ...listed("organizations.resourceGroups.permissions.list", (world) => [
    { ...organization(world), shortName: "tools" },
  ]),
  step("organizations.permissions.revoke", "ada", (world) => [
    organization(world),
    { principalType: "Account", principalId: world.known.ada, permissionType: "Admin" },
  ]),
  step("organizations.permissions.revoke", "ada", (world) => [
    organization(world),
    { principalType: "Account", principalId: world.known.bob, permissionType: "View" },
  ]),
  ...webhooks("organizations.webhooks", organization),
  step("organizations.resourceGroups.delete", "ada", (world) => [group(world)]),
  step("organizations.teams.delete", "ada", (world) => [{ ...organization(world), shortName: "smiths" }]),
  step("subscriptions.create", "ada", () => [{ subscriptionType: "Discover" }]),
  step(
    "subscriptions.create",
    "operator",
    ({ known }) => [
      {
        subscriptionType: "Workgroup",
        workgroupSubscriptionDetails: { multiplicator: 2, expirationDate: "2099-01-01T00:00:00Z" },
      },
      { accountId: known.ada },
    ],
    keep("subscription"),
  ),
  step("subscriptions.update", "operator", ({ known }) => [
    { subscriptionId: known.subscription },
    { subscriptionType: "Workgroup", enterpriseSubscriptionDetails: null },
  ]),
  step("subscriptions.list", "operator", () => []),
  step("subscriptions.get", "ada", ({ known }) => [{ subscriptionId: known.subscription }]),
  step("subscriptions.get", "bob", ({ known }) => [{ subscriptionId: known.subscription }]),
];
