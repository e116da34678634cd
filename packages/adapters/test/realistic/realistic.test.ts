import { describe, expect, test } from "vitest";
import { awsDeclarations } from "./aws-declarations.ts";
import { azureDeclarations } from "./azure-declarations.ts";
import { type Declaration, named } from "./declarations.ts";
import { furtherAzureDeclarations } from "./further-azure.ts";
import { furtherGoogleDeclarations } from "./further-google.ts";
import { googleDeclarations } from "./google-declarations.ts";
import { livedThrough } from "./lived-through.ts";
import type { Mischief } from "./mischief.ts";
import { deployed, mischiefFor } from "./realistic-world.ts";
import { serviceDeclarations } from "./service-declarations.ts";

const further = [...furtherAzureDeclarations, ...furtherGoogleDeclarations];
const all = new Map(
  named([...awsDeclarations, ...azureDeclarations, ...googleDeclarations, ...serviceDeclarations, ...further]),
);

/** What a failing declaration says, and why it can't come to rest today. */
interface Limit {
  readonly says: RegExp;
  readonly because: string;
}

/** The declarations that don't come to rest today. Each that does is taken out of here. */
const limits: Readonly<Record<string, Limit>> = {
  "Microsoft.KeyVault/vaults/secrets": {
    says: /^deletion: Failed/,
    because: "Azure Resource Manager has no operation that deletes a secret of a vault",
  },
  "Microsoft.DBforPostgreSQL/flexibleServers/configurations": {
    says: /^deletion: Failed/,
    because: "Azure has no operation that deletes a setting of a server",
  },
};

const seeds = Number(process.env.LIVEPLANE_REALISTIC_SEEDS ?? 1);

/** A seed takes 50 ms of processor time. On a busy machine that can be a hundred times as long. */
const timeout = seeds * 20_000;

describe("whatever its service makes of it", () => {
  test.each([...all])("%s comes to rest (I15)", { timeout }, async (name, declaration) => {
    const limit = limits[name];
    const first = [...all.keys()].indexOf(name);
    for (let seed = first; seed < first + seeds; seed++) {
      const wrong = await livedThrough(declaration, mischiefFor(declaration, seed));
      if (limit === undefined) expect(wrong, `seed ${seed}`).toEqual([]);
      else expect(wrong.join("; "), `seed ${seed}`).toMatch(limit.says);
    }
  });

  test("at least forty types of each vendor are declared", () => {
    for (const declarations of [azureDeclarations, googleDeclarations])
      expect(new Set(declarations.map(({ type }) => type)).size).toBeGreaterThanOrEqual(40);
    expect(all.size).toBeGreaterThanOrEqual(100);
    expect([...all.keys()]).toEqual(expect.arrayContaining(Object.keys(limits)));
  });
});

const faithful: Mischief = { slowness: null, lateReads: 0, done: (body) => body };
const slow: Mischief = { ...faithful, slowness: { takesMs: 30_000, retryAfterSeconds: 5 } };

function declaredAs(name: string, forms: Declaration["forms"] = {}): Declaration {
  const declaration = all.get(name);
  if (declaration === undefined) throw new RangeError(`${name} isn't declared.`);
  return { ...declaration, forms: { ...declaration.forms, ...forms } };
}

describe.each([
  ["at once", faithful],
  ["slowly", slow],
])("where writes are done %s", (_, mischief) => {
  test.each([
    ["Microsoft.Cache/redis", "/properties/minimumTlsVersion", "as:1.0"],
    ["Microsoft.Network/publicIPAddresses", "/properties/dnsSettings/domainNameLabel", "as:another"],
    ["Microsoft.Storage/storageAccounts", "/properties/accessTier", "as:Cool"],
    ["compute.v1.healthCheck", "/httpHealthCheck/requestPath", "as:/"],
    ["run.v2.service", "/ingress", "as:INGRESS_TRAFFIC_INTERNAL_ONLY"],
    ["storage.v1.bucket", "/storageClass", "as:ARCHIVE"],
    ["AWS::AutoScaling::AutoScalingGroup", "/MaxSize", "as:2"],
    ["AWS::Glue::Job", "/GlueVersion", "as:4.0"],
    ["AWS::S3::Bucket", "/VersioningConfiguration/Status", "as:Suspended"],
  ] as const)(
    "a service of %s that ignores %s is written at most twice more, and never in sync (I15, I17)",
    async (name, pointer, form) => {
      const { made, component, sweep, writes } = await deployed(declaredAs(name, { [pointer]: form }), mischief);
      expect(made).toMatchObject({ status: "Failed", error: { detail: expect.stringContaining(pointer) } });
      await sweep(10);
      expect(writes()).toBeLessThanOrEqual(1 + 2);
      expect(await component()).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
    },
  );

  test.each([
    ["Microsoft.Cache/redis", "/properties/redisVersion", "6.0.14"],
    ["Microsoft.ContainerService/managedClusters", "/properties/kubernetesVersion", "1.33.4-lts"],
    ["Microsoft.OperationalInsights/workspaces", "/properties/sku/name", "pergb2024"],
    ["compute.v1.image", "/sourceImage", "https://www.googleapis.com/compute/v1/projects/x/global/images/another"],
    ["storage.v1.bucket", "/location", "EUROPE-WEST4"],
    ["AWS::AutoScaling::AutoScalingGroup", "/MaxSize", "4"],
    ["AWS::Glue::Job", "/GlueVersion", "5.0.1"],
    ["AWS::RDS::DBInstance", "/EngineVersion", "17.3"],
  ] as const)(
    "a service of %s that shows %s in another form later is corrected, and accepted by a person (I16, I17)",
    async (name, pointer, form) => {
      const { component, sweep, writes, reform, editByHand, accept } = await deployed(declaredAs(name), mischief);
      await sweep(3);
      expect(await component()).toMatchObject({ conditions: { inSync: { value: true } } });
      const before = writes();
      reform({ [pointer]: `as:${form}` });
      editByHand(pointer, form);
      await sweep(10);
      expect(writes() - before).toBeLessThanOrEqual(2);
      const { conditions } = await component();
      if (conditions.inSync.value === false) await accept([pointer]);
      await sweep(3);
      expect(await component()).toMatchObject({ conditions: { inSync: { value: true } } });
      expect(writes() - before).toBeLessThanOrEqual(2);
    },
  );
});

test("a correction that the first read afterwards doesn't show is told by a later one", async () => {
  const declaration = declaredAs("Microsoft.Sql/servers");
  const { sweep, editByHand, told, component, shown } = await deployed(declaration, { ...faithful, lateReads: 1 });
  await sweep(2);
  editByHand("/properties/minimalTlsVersion", "1.1");
  await sweep(5);
  expect(shown("/properties/minimalTlsVersion")).toBe("1.2");
  expect(await component()).toMatchObject({ conditions: { inSync: { value: true } } });
  expect(await told("component.corrected")).toBe(true);
});

test("a write that only the resource's own state tells of is followed, and teaches what it makes of a value", async () => {
  const ownState: Mischief = { ...slow, slowness: { takesMs: 40_000, tells: "resource" } };
  // What a disk was created from can't be written again.
  expect(await livedThrough(declaredAs("Microsoft.Compute/disks"), ownState)).toEqual([]);
});
