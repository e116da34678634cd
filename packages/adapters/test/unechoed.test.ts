import type { JsonObject } from "@liveplane/core/clouds";
import { describe, expect, test } from "vitest";
import { settled } from "./settling-world.ts";

const located = { location: "westeurope" };
const pw = { $secret: "pw" };
const both = { "managed-by": "platform", platform: "reconcile" };

interface Unechoed {
  readonly type: string;
  readonly parameters: JsonObject;
  /** What is never shown, by pointer. */
  readonly unobservable: readonly string[];
  /** Of that, what counts at the creation alone. */
  readonly once?: readonly string[];
  readonly resourceId?: string;
  /** Its tags lie in its body: taking one off is one more write. */
  readonly tagsAt?: string;
  /** Its adapter never writes it without a condition: nothing of it is written at a hand-back. */
  readonly unwritten?: true;
}

const declarations: readonly Unechoed[] = [
  {
    type: "Microsoft.Compute/virtualMachineScaleSets",
    parameters: {
      ...located,
      sku: { name: "Standard_B1s", capacity: 2 },
      properties: {
        virtualMachineProfile: {
          osProfile: {
            computerNamePrefix: "shop",
            adminUsername: "ada",
            adminPassword: { $secret: "first" },
            customData: "I2Nsb3Vk",
          },
          extensionProfile: {
            extensions: [{ name: "join", properties: { publisher: "Shop", protectedSettings: { key: pw } } }],
          },
        },
      },
    },
    unobservable: [
      "/properties/virtualMachineProfile/extensionProfile/extensions/0/properties/protectedSettings",
      "/properties/virtualMachineProfile/osProfile/adminPassword",
      "/properties/virtualMachineProfile/osProfile/customData",
    ],
    // Its PATCH takes no password.
    once: ["/properties/virtualMachineProfile/osProfile/adminPassword"],
  },
  {
    type: "Microsoft.App/containerApps",
    parameters: {
      ...located,
      properties: {
        configuration: {
          secrets: [
            { name: "db", value: pw },
            { name: "queue", value: pw },
          ],
        },
        template: { containers: [{ name: "web", image: "shop/web" }] },
      },
    },
    unobservable: ["/properties/configuration/secrets/0/value", "/properties/configuration/secrets/1/value"],
  },
  {
    type: "Microsoft.DBforPostgreSQL/flexibleServers",
    parameters: {
      ...located,
      properties: {
        administratorLogin: "ada",
        administratorLoginPassword: pw,
        createMode: "Create",
        version: "16",
        storage: { storageSizeGB: 32 },
      },
    },
    unobservable: ["/properties/administratorLoginPassword", "/properties/createMode"],
    once: ["/properties/createMode"],
  },
  {
    type: "Microsoft.KeyVault/vaults",
    parameters: {
      ...located,
      properties: {
        tenantId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        sku: { family: "A", name: "standard" },
        createMode: "default",
      },
    },
    unobservable: ["/properties/createMode"],
    once: ["/properties/createMode"],
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    parameters: {
      ...located,
      properties: {
        dnsPrefix: "shop",
        servicePrincipalProfile: { clientId: "app", secret: pw },
        windowsProfile: { adminUsername: "ada", adminPassword: pw },
      },
    },
    unobservable: ["/properties/servicePrincipalProfile/secret", "/properties/windowsProfile/adminPassword"],
  },
  {
    type: "Microsoft.Network/applicationGateways",
    parameters: {
      ...located,
      properties: { sslCertificates: [{ name: "shop", properties: { data: pw, password: pw } }] },
    },
    unobservable: [
      "/properties/sslCertificates/0/properties/data",
      "/properties/sslCertificates/0/properties/password",
    ],
  },
  {
    type: "compute.v1.instance",
    resourceId: "projects/project-one/zones/europe-west1-b/instances/app",
    parameters: {
      machineType: "zones/europe-west1-b/machineTypes/e2-small",
      description: "of the shop",
      disks: [
        {
          boot: true,
          autoDelete: true,
          initializeParams: { sourceImage: "projects/debian-cloud/global/images/family/debian-12", diskSizeGb: "20" },
        },
      ],
    },
    unobservable: ["/disks/0/initializeParams"],
    once: ["/disks/0/initializeParams"],
  },
  {
    type: "compute.v1.vpnTunnel",
    parameters: { sharedSecret: pw, peerIp: "203.0.113.9", ikeVersion: 2 },
    unobservable: ["/sharedSecret"],
    unwritten: true,
  },
  {
    type: "sqladmin.v1.instance",
    parameters: {
      databaseVersion: "POSTGRES_16",
      region: "europe-west1",
      rootPassword: pw,
      settings: { tier: "db-f1-micro" },
    },
    unobservable: ["/rootPassword"],
    tagsAt: "/settings/userLabels",
  },
  {
    type: "secretmanager.v1.secret",
    parameters: { replication: { automatic: {} }, ttl: "86400s" },
    unobservable: ["/ttl"],
    tagsAt: "/labels",
  },
];

const inSync = { status: "Active", conditions: { inSync: { value: true, reason: "InSync" } } };
const immutable = { status: "Active", conditions: { inSync: { value: false, reason: "Immutable" } } };

describe.each(declarations)("$type", ({ unobservable, once = [], unwritten = false, tagsAt, ...what }) => {
  const secrets = { pw: "first-password", first: "only-password" };
  const deployed = () => settled({ ...what, forms: {}, secrets });
  const rewritten = unwritten ? [] : unobservable.filter((pointer) => !once.includes(pointer));

  test("comes to rest after its creation, and names what its cloud never shows", async () => {
    const { mutation, component, writes, judged } = await deployed();
    expect(mutation.status).toBe("Succeeded");
    expect(await component()).toMatchObject(inSync);
    expect((await component()).unobservable.toSorted()).toEqual(unobservable.toSorted());
    expect(writes()).toBe(1);
    expect(judged.list()).toEqual([]);
  });

  test("is handed back with one write of what its cloud never shows, which the plan lists", async () => {
    const { component, writes, sweep, editByHand, plan, judged } = await deployed();
    const tags = tagsAt ?? (what.type.startsWith("Microsoft.") ? "/tags" : "/labels");
    editByHand({ pointer: tags, value: {} });
    await sweep(2);
    expect(await component()).toMatchObject({ status: "ManualOverride" });
    expect((await plan()).unobservable.toSorted()).toEqual(rewritten.toSorted());
    editByHand({ pointer: tags, value: both });
    const before = writes();
    await sweep(6);
    expect(await component()).toMatchObject(inSync);
    expect(writes() - before).toBe((rewritten.length === 0 ? 0 : 1) + (tagsAt === undefined ? 0 : 1));
    expect(judged.list()).toEqual([]);
  });
});

describe.each(declarations.filter(({ parameters }) => JSON.stringify(parameters).includes("$secret")))(
  "a changed secret of $type",
  ({ unobservable: _, once: __, tagsAt: ___, unwritten = false, ...what }) => {
    test(unwritten ? "is reported, because it can't be written again" : "is written once", async () => {
      const secrets = { pw: "first-password", first: "only-password" };
      const { component, writes, sweep, secrets: kept, judged } = await settled({ ...what, forms: {}, secrets });
      kept.set("pw", "second-password");
      const before = writes();
      await sweep(4);
      expect(writes() - before).toBe(unwritten ? 0 : 1);
      expect(await component()).toMatchObject(unwritten ? immutable : inSync);
      expect(judged.list()).toEqual([]);
    });
  },
);

describe.each(["Microsoft.Web/sites", "Microsoft.Web/sites/slots"])("app settings of %s", (type) => {
  const settings = [
    { name: "MODE", value: "shop" },
    { name: "DB", value: pw },
  ];
  const siteConfig = {
    appSettings: settings,
    connectionStrings: [{ name: "orders", connectionString: pw, type: "SQLAzure" }],
    azureStorageAccounts: { files: { type: "AzureFiles", accountName: "shop", shareName: "files", accessKey: pw } },
    minTlsVersion: "1.2",
  };
  const at = "/properties/siteConfig/appSettings";
  const parameters = { ...located, properties: { serverFarmId: "plan", siteConfig } };
  const deployed = () => settled({ type, parameters, forms: {}, secrets: { pw: "first-password" } });

  test("are read by their own call, and are no drift", async () => {
    const { mutation, component, writes, judged } = await deployed();
    expect(mutation.status).toBe("Succeeded");
    expect(await component()).toMatchObject({ ...inSync, unobservable: [] });
    expect(writes()).toBe(1);
    expect(judged.list()).toEqual([]);
  });

  test("that somebody changes, adds or takes off are drift and are corrected, and their values are in no answer", async () => {
    const edits: readonly (readonly [value: JsonObject[], places: readonly string[]])[] = [
      [
        [
          { name: "MODE", value: "changed-by-hand" },
          { name: "DB", value: "first-password" },
        ],
        ["name=MODE/value"],
      ],
      [
        [
          ...settings.map(({ name }) => ({ name, value: "first-password" })),
          { name: "MORE", value: "changed-by-hand" },
        ],
        ["name=MODE/value", "name=MORE"],
      ],
      [[{ name: "MODE", value: "shop" }], ["name=DB"]],
    ];
    const { component, writes, sweep, editByHand, shown, plan, judged } = await deployed();
    for (const [value, places] of edits) {
      const before = writes();
      editByHand({ pointer: "/tags", value: {} });
      editByHand({ pointer: at, value });
      await sweep(1);
      expect(await component()).toMatchObject({ status: "ManualOverride" });
      expect((await plan()).changes.map(({ pointer }) => pointer)).toEqual(places.map((place) => `${at}/${place}`));
      const told = JSON.stringify([(await component()).outputFields, await plan()]);
      for (const hidden of ["changed-by-hand", "first-password"]) expect(told).not.toContain(hidden);
      editByHand({ pointer: "/tags", value: both });
      await sweep(4);
      expect(await component()).toMatchObject(inSync);
      expect(writes() - before).toBe(1);
      expect(shown(at)).toEqual([
        { name: "MODE", value: "shop" },
        { name: "DB", value: "first-password" },
      ]);
    }
    expect(judged.list()).toEqual([]);
  });

  test("are written once where a secret in them changes", async () => {
    const { component, writes, sweep, secrets, shown } = await deployed();
    secrets.set("pw", "second-password");
    const before = writes();
    await sweep(4);
    expect(writes() - before).toBe(1);
    expect(shown(at)).toContainEqual({ name: "DB", value: "second-password" });
    expect(await component()).toMatchObject(inSync);
  });
});

describe("what their cloud never shows is kept where something else is corrected by a whole body", () => {
  const gateway = {
    ...located,
    properties: {
      enableHttp2: true,
      sslCertificates: [{ name: "shop", properties: { data: pw, password: pw } }],
      backendAddressPools: [{ name: "web", properties: { backendAddresses: [{ fqdn: "web.shop.example" }] } }],
    },
  };
  const cluster = {
    ...located,
    properties: { dnsPrefix: "shop", enableRBAC: true, windowsProfile: { adminUsername: "ada", adminPassword: pw } },
  };
  const job = {
    template: {
      template: {
        containers: [
          { image: "shop/job", sourceCode: { inlinedSource: { sources: [{ filename: "a", content: "x" }] } } },
        ],
      },
    },
    launchStage: "GA",
  };

  test.each([
    ["Microsoft.Network/applicationGateways", gateway, "/properties/enableHttp2", "/properties/sslCertificates"],
    ["Microsoft.ContainerService/managedClusters", cluster, "/properties/enableRBAC", "/properties/windowsProfile"],
    ["run.v2.job", job, "/launchStage", "/template/template/containers"],
  ])("%s", async (type, parameters, edited, hidden) => {
    const secrets = { pw: "first-password" };
    const { mutation, component, shown, editByHand, sweep, writes, judged } = await settled({
      type,
      parameters,
      forms: {},
      secrets,
    });
    expect(mutation).toMatchObject({ status: "Succeeded" });
    const [before, kept] = [shown(edited), shown(hidden)];
    const made = writes();
    editByHand({ pointer: edited, value: typeof before === "boolean" ? !before : "BETA" });
    await sweep(3);
    expect(before).toBeDefined();
    expect(shown(edited)).toEqual(before);
    expect(shown(hidden)).toEqual(kept);
    expect(await component()).toMatchObject(inSync);
    expect(writes() - made).toBe(1);
    expect(judged.list()).toEqual([]);
  });

  test("and the members of items that only Azure sets are in no body", async () => {
    const type = "Microsoft.Network/applicationGateways";
    const secrets = { pw: "first-password" };
    const { shown, editByHand, sweep } = await settled({ type, parameters: gateway, forms: {}, secrets });
    const pools = "/properties/backendAddressPools";
    const [pool] = shown(pools) as readonly JsonObject[];
    const state = {
      etag: "W/one",
      properties: { ...(pool?.properties as JsonObject), provisioningState: "Succeeded" },
    };
    editByHand({ pointer: pools, value: [{ ...pool, ...state }] });
    editByHand({ pointer: "/properties/enableHttp2", value: false });
    await sweep(3);
    expect(shown(pools)).toEqual([pool]);
  });
});
