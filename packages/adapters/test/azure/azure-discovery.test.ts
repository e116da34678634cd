import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { azureDouble } from "./azure-double.ts";

const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3302";
const target = { scope: subscription, container: "shop", region: "westeurope" };
const group = `/subscriptions/${subscription}/resourceGroups/shop`;
const providers = `${group}/providers`;
const grantOn = (scope: string, name: string) => `${scope}/providers/Microsoft.Authorization/roleAssignments/${name}`;
const settingsOn = (id: string) => `${id}/providers/Microsoft.Insights/diagnosticSettings/all`;
const net = `${providers}/Microsoft.Network/virtualNetworks/net`;
const rules = `${providers}/Microsoft.Network/networkSecurityGroups/rules`;
const zone = `${providers}/Microsoft.Network/dnsZones/shop.example.com`;
const privateZone = `${providers}/Microsoft.Network/privateDnsZones/shop.internal`;
const bus = `${providers}/Microsoft.ServiceBus/namespaces/bus`;
const files = `${providers}/Microsoft.Storage/storageAccounts/files`;
const postgres = `${providers}/Microsoft.DBforPostgreSQL/flexibleServers/pg`;

/** What lists of all resources show. */
const plain = [net, rules, zone, privateZone, bus, files, postgres, `${providers}/Microsoft.Sql/servers/sql`];
const tracked = [...plain, `${providers}/Microsoft.Sql/servers/sql/databases/shop`];
const grants = [grantOn(group, "on-group"), grantOn(files, "on-files")];
/** What Resource Graph has of resources inside others. */
const graphed = [
  `${net}/subnets/web`,
  `${net}/virtualNetworkPeerings/hub`,
  `${rules}/securityRules/https`,
  `${zone}/A/www`,
  `${privateZone}/A/db`,
];
/** What is listed parent by parent. */
const nested = [
  `${zone}/NS/@`,
  `${bus}/topics/orders`,
  `${bus}/topics/orders/subscriptions/mail`,
  `${bus}/topics/orders/subscriptions/mail/rules/all`,
  `${files}/blobServices/default/containers/logs`,
  `${providers}/Microsoft.Sql/servers/sql/firewallRules/office`,
  `${postgres}/configurations/max_connections`,
  settingsOn(files),
];

function opened() {
  const judged = departures();
  const double = azureDouble({ judged });
  const located = { location: "westeurope", properties: {} };
  for (const id of tracked) double.make(id, located);
  for (const id of [...grants, ...graphed, ...nested]) double.make(id, { properties: {} });
  // A network also shows subnets that are elsewhere, in members of its own.
  double.make(rules, { ...located, properties: { subnets: [{ id: `${net}/subnets/web`, name: "web" }] } });
  double.make(`${postgres}/configurations/work_mem`, { properties: { source: "system-default" } });
  double.make(`${privateZone}/A/vm`, { properties: { isAutoRegistered: true } });
  double.make(`${zone}/SOA/@`, { properties: {} });
  double.make(grantOn(`/subscriptions/${subscription}`, "on-subscription"), { properties: {} });
  double.make(grantOn(group.replace("/shop", "/other"), "elsewhere"), { properties: {} });
  double.make(`${net.replace("/shop/", "/other/")}`, located);
  const cloud = azureCloud({ fetch: fetchFrom(double.answer) });
  const call = { credentials: { kind: "delegated", name: null, secret: new SecretValue("token-of-azure") } } as const;
  const list = async ({ limit = 200, ...page }: { nested?: (type: string) => boolean; limit?: number } = {}) => {
    double.seen.length = 0;
    const [items, warnings] = [[] as string[], [] as string[]];
    const managers: Record<string, string> = {};
    for (let after: string | null = null; ; ) {
      const found: Awaited<ReturnType<NonNullable<typeof cloud.discover>>> | undefined = await cloud.discover?.(
        target,
        { ...page, after, limit },
        call,
      );
      for (const { resourceId, type, managedBy } of found?.items ?? []) {
        items.push(resourceId);
        if (managedBy !== undefined) managers[resourceId] = managedBy;
        expect(cloud.typeOf?.(resourceId)).toBe(type);
        expect(cloud.parseResourceId(type, resourceId, target)).toMatchObject({ id: resourceId });
      }
      warnings.push(...(found?.warnings ?? []));
      after = found?.next ?? null;
      if (after === null) return { items: items.sort(), warnings, managers, calls: double.seen.length };
    }
  };
  return { double, judged, list };
}

const sorted = (...ids: readonly string[][]) => ids.flat().sort();
const anything = () => true;

test("role assignments, subnets, peerings, rules and DNS records are listed in bulk", async () => {
  const { list, judged } = opened();
  const { items, warnings, calls } = await list();
  expect(items).toEqual(sorted(tracked, grants, graphed));
  expect(warnings).toEqual([]);
  // The three tables, each with the stacks, and the rights.
  expect(calls).toBe(7);
  expect((await list({ limit: 1 })).items).toEqual(items);
  expect(judged.list()).toEqual([]);
});

test("other resources inside these are listed on request, with a call for each list", async () => {
  const { list, judged } = opened();
  const { items, warnings } = await list({ nested: anything });
  expect(items).toEqual(sorted(tracked, grants, graphed, nested));
  expect(warnings).toEqual([]);
  const rulesOnly = await list({
    nested: (type) => type === "Microsoft.ServiceBus/namespaces/topics/subscriptions/rules",
  });
  expect(rulesOnly.items).toContain(`${bus}/topics/orders/subscriptions/mail/rules/all`);
  // Beside these seven: the parents with the stacks, and the lists of topics, subscriptions and rules.
  expect(rulesOnly.calls).toBe(12);
  expect(judged.list()).toEqual([]);
});

test("where Resource Graph is forbidden, the plain lists show the same, but resources inside others only on request", async () => {
  const { double, list, judged } = opened();
  double.state.refusal = { path: /ResourceGraph/, status: 403, code: "AuthorizationFailed" };
  const { items, warnings } = await list();
  expect(items).toEqual(sorted(tracked, grants));
  expect(warnings).toEqual([
    expect.stringContaining("Resource Graph can't be used"),
    expect.stringContaining("They are listed with nested."),
  ]);
  expect((await list({ limit: 2 })).items).toEqual(items);
  const all = await list({ nested: anything });
  expect(all.items).toEqual(sorted(tracked, grants, graphed, nested));
  expect(all.warnings).toEqual(warnings.slice(0, 1));
  expect(judged.list()).toEqual([]);
});

test("what a deployment stack manages is listed with the stack, on any page, and what it let go of without it", async () => {
  const { double, list, judged } = opened();
  const stack = `/subscriptions/${subscription}/providers/Microsoft.Resources/deploymentStacks/shop`;
  const resources = [
    { id: files.toUpperCase(), status: "managed" },
    { id: `${net}/subnets/web`, status: "managed" },
    { id: bus, status: "removeDenyFailed" },
  ];
  double.state.stacks = [{ id: stack, properties: { resources } }];
  const expected = { [files]: stack, [`${net}/subnets/web`]: stack };
  expect((await list()).managers).toEqual(expected);
  expect((await list({ limit: 1 })).managers).toEqual(expected);
  expect(judged.list()).toEqual([]);
});

test("a list that is refused is said, and the others are shown", async () => {
  const { double, list } = opened();
  double.state.refusal = { path: /\/topics$|diagnosticSettings$/, status: 403, code: "AuthorizationFailed" };
  const { items, warnings } = await list({ nested: anything });
  expect(warnings).toEqual([expect.stringContaining("refuses to list Microsoft.ServiceBus/namespaces/topics")]);
  const left = nested.filter((id) => !/topics|diagnosticSettings/.test(id));
  expect(items).toEqual(sorted(tracked, grants, graphed, left));
});

test("a list of more than twenty pages says that there are more", async () => {
  const { double, list } = opened();
  for (let at = 0; at < 2_001; at++) double.make(`${bus}/topics/topic-${at}`, { properties: {} });
  const { items, warnings } = await list({ nested: (type) => type === "Microsoft.ServiceBus/namespaces/topics" });
  expect(warnings).toEqual([`${bus} has more of Microsoft.ServiceBus/namespaces/topics than were listed.`]);
  expect(items.filter((id) => id.includes("/topics/"))).toHaveLength(2_000);
});

test("a failure that may pass ends the list, and nothing is taken for complete", async () => {
  const { double, list } = opened();
  double.state.refusal = { path: /\/containers$/, status: 503, code: "ServiceUnavailable" };
  await expect(list({ nested: anything })).rejects.toMatchObject({ code: "ProviderError", retryable: true });
});
