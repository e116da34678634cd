import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { expect, test } from "vitest";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };

// As a deploy derives them: of a component's path, and of a digest that tells it from those of other live systems.
const derived = ["app-0123456789", "app-9876543210", "a-component-of-which-the-name-is-quite-lo-0123456789"];
const nameIn = (id: string | null) => id?.split("/").at(-1) ?? "";

interface AzureName {
  readonly pattern?: string;
  readonly least?: number;
  readonly most?: number;
}

test.each(Object.entries(azureTables))("a derived name is one that Azure takes: %s", (type, { name }) => {
  const { pattern, least = 1, most = 90 } = name as AzureName;
  const cloud = azureCloud();
  const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "shop" };
  const names = derived.map((one) => nameIn(cloud.resourceIdFor(type, one, target)));
  for (const one of names) {
    expect(one.length).toBeLessThanOrEqual(most);
    expect(one.length).toBeGreaterThanOrEqual(least);
    if (pattern !== undefined) expect(one).toMatch(new RegExp(pattern));
  }
  expect(new Set(names).size).toBe(names.length);
});

const limits: Readonly<Record<string, RegExp>> = {
  "iam.serviceAccount": /^[a-z][a-z0-9-]{4,28}[a-z0-9]@project-one\.iam\.gserviceaccount\.com$/,
  "iam.role": /^[A-Za-z0-9_.]{3,64}$/,
  "run.service": /^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$/,
};

/** A resource inside another has both names, and a binding that of its role, so none is derived for them. */
const inAnother = new Set([
  "cloudkms.cryptoKey",
  "compute.resizeRequest",
  "compute.wireGroup",
  "container.nodePool",
  "dns.resourceRecordSet",
  "sqladmin.database",
  "sqladmin.user",
]);
const google = Object.entries(googleTables).filter(
  ([kind, { create }]) => !inAnother.has(kind) && !kind.endsWith("IamBinding") && create?.name !== "chosen",
);

test.each(google)("a derived name is one that Google takes: %s", (kind, { version }) => {
  const cloud = googleCloud();
  const target = { scope: "project-one", region: "europe-west1", zone: "europe-west1-b" };
  const type = kind.replace(".", `.${version}.`);
  const names = derived.map((one) => nameIn(cloud.resourceIdFor(type, one, target)));
  for (const one of names) expect(one).toMatch(limits[kind] ?? /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
  expect(new Set(names).size).toBe(names.length);
});
