import type { CloudVariation } from "@liveplane/simulator";
import type { Cast } from "./cast.ts";

/** What plays the network, the app and the rule of a simulation. */
export interface Troupe {
  readonly net: Cast;
  readonly app: Cast;
  readonly rule: Cast;
  /** Whether all writes of what carries tags are bound to what was read. */
  readonly isBound: boolean;
}

const network: Cast = {
  type: "Microsoft.Network/virtualNetworks",
  members: {
    "/location": "/location",
    "/size": "/properties/flowTimeoutInMinutes",
    "/mode/level": "text /properties/ddosProtectionPlan/id",
    "/mode/name": "/properties/privateEndpointVNetPolicies",
  },
  fixed: { location: "westeurope", properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } } },
};

const securityRule: Cast = {
  type: "Microsoft.Network/networkSecurityGroups/securityRules",
  members: { "/size": "/properties/priority", "/level": "text /properties/description" },
  fixed: { properties: { protocol: "Tcp", access: "Allow", direction: "Inbound" } },
};

/** By PATCH, which nothing binds; a whole body under an etag; by PATCH under an etag. */
const azureApps: readonly Cast[] = [
  {
    type: "Microsoft.Web/sites",
    members: {
      "/size": "/properties/siteConfig/numberOfWorkers",
      "/level": "/properties/siteConfig/minimumElasticInstanceCount",
      "/net": "/properties/virtualNetworkSubnetId",
      "/of": "/properties/siteConfig/preWarmedInstanceCount",
      "/zones": "/properties/siteConfig/defaultDocuments",
      "/scale": "/properties/siteConfig/functionAppScaleLimit",
      "/password": "/properties/siteConfig/publishingUsername",
      "/peer": "/properties/siteConfig/appCommandLine",
    },
    fixed: { location: "westeurope", properties: { httpsOnly: true } },
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    members: {
      "/size": "text /properties/kubernetesVersion",
      "/level": "text /properties/supportPlan",
      "/net": "/properties/nodeResourceGroup",
      "/of": "text /properties/networkProfile/dnsServiceIP",
      "/zones": "/properties/networkProfile/podCidrs",
      "/scale": "text /properties/autoScalerProfile/scan-interval",
      "/password": "/properties/aadProfile/serverAppID",
      "/peer": "/properties/networkProfile/outboundType",
    },
    fixed: { location: "westeurope", properties: { dnsPrefix: "shop", enableRBAC: true } },
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    members: {
      "/size": "text /properties/hardwareProfile/vmSize",
      "/level": "text /properties/licenseType",
      "/net": "/properties/diagnosticsProfile/bootDiagnostics/storageUri",
      "/of": "text /properties/priority",
      "/zones": "/zones",
      "/scale": "/properties/billingProfile/maxPrice",
      "/password": "/properties/evictionPolicy",
      "/peer": "/properties/proximityPlacementGroup/id",
    },
    fixed: { location: "westeurope" },
  },
];

const bucket: Cast = {
  type: "storage.v1.bucket",
  members: {
    "/location": "/location",
    "/size": "text /storageClass",
    "/mode/level": "text /website/mainPageSuffix",
    "/mode/name": "/website/notFoundPage",
  },
  fixed: { versioning: { enabled: true } },
};

const firewall: Cast = {
  type: "compute.v1.firewall",
  members: { "/size": "/priority", "/level": "text /description" },
  fixed: { network: "global/networks/default", direction: "INGRESS" },
};

/** Under an etag; by a merge patch, which nothing binds; a whole body under a fingerprint, with labels by a call under another. */
const googleApps: readonly (Cast & { readonly isBound: boolean })[] = [
  {
    type: "run.v2.service",
    isBound: true,
    members: {
      "/size": "/template/scaling/minInstanceCount",
      "/level": "/template/maxInstanceRequestConcurrency",
      "/net": "/description",
      "/of": "text /template/timeout",
      "/zones": "/customAudiences",
      "/scale": "/template/scaling/maxInstanceCount",
      "/password": "/template/serviceAccount",
      "/peer": "/clientVersion",
    },
    fixed: { template: { containers: [{ image: "shop/web" }] } },
  },
  {
    type: "sqladmin.v1.instance",
    isBound: false,
    members: {
      "/size": "text /settings/tier",
      "/level": "text /settings/edition",
      "/net": "/settings/collation",
      "/of": "text /settings/dataDiskType",
      "/zones": "/settings/authorizedGaeApplications",
      "/scale": "text /settings/pricingPlan",
      "/password": "/settings/timeZone",
      "/peer": "/settings/ipConfiguration/privateNetwork",
    },
    fixed: { region: "europe-west1", databaseVersion: "POSTGRES_17" },
  },
  {
    type: "compute.v1.instance",
    isBound: true,
    members: {
      "/size": "text /machineType",
      "/level": "text /minCpuPlatform",
      "/net": "/description",
      "/of": "text /privateIpv6GoogleAccess",
      "/zones": "/resourcePolicies",
      "/scale": "text /hostname",
      "/password": "/keyRevocationActionType",
      "/peer": "/sourceMachineImage",
    },
    fixed: { disks: [{ boot: true, deviceName: "first" }] },
  },
];

const logGroup: Cast = {
  type: "AWS::Logs::LogGroup",
  members: {
    "/location": "/LogGroupClass",
    "/size": "/RetentionInDays",
    "/mode/level": "text /KmsKeyId",
    "/mode/name": "/DataProtectionPolicy",
  },
  fixed: { DeletionProtectionEnabled: false },
};

const configRule: Cast = {
  type: "AWS::Config::ConfigRule",
  members: { "/size": "text /MaximumExecutionFrequency", "/level": "text /Description" },
  fixed: { Source: { Owner: "AWS" } },
};

/** With tags as a list, as a map, and as Auto Scaling has them. */
const awsApps: readonly Cast[] = [
  {
    type: "AWS::RDS::DBInstance",
    members: {
      "/size": "text /DBInstanceClass",
      "/level": "/Iops",
      "/net": "/DBParameterGroupName",
      "/of": "text /PreferredBackupWindow",
      "/zones": "/VPCSecurityGroups",
      "/scale": "/MonitoringInterval",
      "/password": "/OptionGroupName",
      "/peer": "/Domain",
    },
    fixed: { Engine: "postgres" },
  },
  {
    type: "AWS::Glue::Job",
    members: {
      "/size": "/NumberOfWorkers",
      "/level": "/Timeout",
      "/net": "/SecurityConfiguration",
      "/of": "text /WorkerType",
      "/zones": "/Connections/Connections",
      "/scale": "/MaxRetries",
      "/password": "/LogUri",
      "/peer": "/Description",
    },
    fixed: { Role: "worker", Command: { Name: "glueetl" } },
  },
  {
    type: "AWS::AutoScaling::AutoScalingGroup",
    members: {
      "/size": "text /DesiredCapacity",
      "/level": "/HealthCheckGracePeriod",
      "/net": "/PlacementGroup",
      "/of": "text /Cooldown",
      "/zones": "/TargetGroupARNs",
      "/scale": "/MaxInstanceLifetime",
      "/password": "/Context",
      "/peer": "/LaunchConfigurationName",
    },
    fixed: { MinSize: "1", MaxSize: "2" },
  },
];

/** What is drawn for simulated clouds picks who plays in a vendor's: an adapter chooses no ids, and its types have identities or not. */
export function pickOf({ identities, choosesIds, lagMs }: CloudVariation): number {
  return Number(identities) + Number(choosesIds) + (lagMs > 5_000 ? 1 : 0) + (lagMs > 0 ? 1 : 0);
}

/** Who plays in Azure, in this world. */
export function azureTroupe(pick: number): Troupe {
  const app = azureApps[pick % azureApps.length] as Cast;
  // Tags go by an operation of their own, which nothing binds.
  return { net: network, app, rule: securityRule, isBound: false };
}

/** Who plays in Google Cloud. */
export function googleTroupe(pick: number): Troupe {
  const { isBound, ...app } = googleApps[pick % googleApps.length] as Cast & { readonly isBound: boolean };
  return { net: bucket, app, rule: firewall, isBound };
}

/** Who plays in AWS. Updates test the tag; deletions test nothing. */
export function awsTroupe(pick: number): Troupe {
  return { net: logGroup, app: awsApps[pick % awsApps.length] as Cast, rule: configRule, isBound: false };
}
