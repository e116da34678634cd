import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { type JsonObject, SecretValue } from "@liveplane/core/clouds";
import type { CloudUnderTest } from "@liveplane/core/testing";
import { type Departures, departures } from "../descriptions/departures.ts";
import { type AzureDoubleOptions, azureDouble, type DoubleSlowness } from "./azure-double.ts";

const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const target = { scope: subscription, region: "westeurope", container: "group" };
const otherTarget = { ...target, scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302" };

/** A type to hold the laws to: what it is made of, and a text in it that may be any other. */
export interface TypeUnderTest {
  readonly type: string;
  readonly parameters: JsonObject;
  readonly changing: string;
  /** Whether its changes and deletions can take their time. */
  readonly isSlow: boolean;
}

/** One type for each way in which Azure binds writes. */
export const typesUnderTest: readonly TypeUnderTest[] = [
  {
    type: "Microsoft.Cache/redis",
    parameters: {
      location: "westeurope",
      properties: {
        sku: { name: "Basic", family: "C", capacity: 1 },
        minimumTlsVersion: "1.2",
        redisConfiguration: { "odd/~name": "x" },
      },
    },
    changing: "/properties/minimumTlsVersion",
    isSlow: true,
  },
  {
    type: "Microsoft.Network/virtualNetworks",
    parameters: {
      location: "westeurope",
      properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] }, privateEndpointVNetPolicies: "Disabled" },
    },
    changing: "/properties/privateEndpointVNetPolicies",
    isSlow: true,
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    parameters: {
      location: "westeurope",
      properties: { hardwareProfile: { vmSize: "Standard_B1s" }, licenseType: "None" },
    },
    changing: "/properties/licenseType",
    isSlow: true,
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    parameters: { location: "westeurope", properties: { dnsPrefix: "shop", kubernetesVersion: "1.34" } },
    changing: "/properties/kubernetesVersion",
    isSlow: true,
  },
  {
    type: "Microsoft.Web/sites",
    parameters: {
      location: "westeurope",
      properties: { clientCertMode: "Required", clientAffinityEnabled: false },
    },
    changing: "/properties/clientCertMode",
    isSlow: false,
  },
  {
    type: "Microsoft.Logic/workflows",
    parameters: { location: "westeurope", properties: { state: "Enabled" } },
    changing: "/properties/state",
    isSlow: false,
  },
];

interface UnderTestOptions extends AzureDoubleOptions {
  readonly judged?: Departures;
  /** How what takes its time is told of. */
  readonly told?: Pick<DoubleSlowness, "tells" | "hides">;
}

/** Azure's double with the adapter before it, as the laws want them. */
export async function azureUnderTest(
  { type, parameters, changing, isSlow }: TypeUnderTest,
  { judged = departures(), told = {}, ...options }: UnderTestOptions = {},
) {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const azure = azureDouble({ now, judged, ...options });
  azure.state.offered = [{ type: "Microsoft.Monitor/accounts", versions: ["2023-04-03"], taggable: true }];
  const open = () => azureCloud({ fetch: azure.fetch, now });
  const credentials = (secret: string) =>
    ({ kind: "servicePrincipal", name: "client", secret: new SecretValue(secret) }) as const;
  const under: CloudUnderTest = {
    cloud: open(),
    call: { credentials: credentials("canary-client-secret") },
    rejected: { credentials: credentials("reject") },
    target,
    otherTarget,
    type,
    parameters,
    changing,
    lacking: {
      made: "Microsoft.Monitor/accounts@2023-04-03",
      taggable: true,
      refused: "Microsoft.Monitor/acounts@2023-04-03",
      near: "Microsoft.Monitor/accounts",
    },
    byHand: {
      setTags: async (id, tags) => azure.setTags(id, tags),
      remove: async (id) => azure.remove(id),
    },
    beforeAnswer(deed) {
      azure.state.beforeAnswer = deed;
    },
    async break(kind, fault) {
      if (fault === null) azure.faults.clear();
      else azure.faults.set(kind, fault);
    },
    ...(isSlow && {
      slow: {
        async begin(fails) {
          azure.state.slowness = { takesMs: 600_000, ...told, ...(fails && { fails }) };
        },
        async finish() {
          azure.state.slowness = null;
          aheadMs += 600_000;
        },
        elsewhere: open,
      },
    }),
  };
  const ahead = (ms: number) => {
    aheadMs += ms;
  };
  return { ...under, azure, ahead, now };
}
