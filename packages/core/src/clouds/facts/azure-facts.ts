import type { CloudLocation, CloudTarget } from "../../ports/cloud.ts";
import { plainType, type ResourceType } from "../../ports/resource-type.ts";
import { bareType, parseAzureId, parseAzureScope } from "./azure-ids.ts";
import { type CloudFacts, initializationStep, type StepFacts } from "./cloud-facts.ts";

/** What is known about Azure: which types carry tags, the form of IDs, and which characters a tag may hold. */
export const azureFacts: CloudFacts = {
  tagParameter: "tags",
  caselessTagKeys: true,
  caselessIds: true,
  deviceAuthorization: true,
  tagRules: { most: 50, refusal: tagRefusal },
  resourceType: (type) => types.get(bareType(type).toLowerCase()) ?? placedType,
  resourceIdFor: azureResourceId,
  parseResourceId: parseAzureId,
  parseScope: parseAzureScope,
  typeOf: azureTypeOf,
  throttleScope: (resourceId) => /^\/subscriptions\/[^/]+/i.exec(resourceId)?.[0].toLowerCase() ?? "azure",
  locations: (scope) =>
    places.map(([name, displayName, geography]) => azureLocation(scope, name, displayName, geography)),
  steps: initializationSteps(),
};

const placedType: ResourceType = { ...plainType, caseless: ["/location"], sets: ["/zones"] };
const fixedPlace: ResourceType = { ...placedType, immutable: ["location"] };
const untaggable: ResourceType = { ...placedType, taggable: false };
/** The records of one name and kind are in no order. Public zones spell their members in capitals. */
const record: ResourceType = {
  ...untaggable,
  name: /^[a-z0-9.-]{1,63}\/(@|\*|[a-z0-9_*][a-z0-9._-]{0,62})$/i,
  sets: within(
    "/properties",
    `ARecords AAAARecords MXRecords NSRecords PTRRecords SRVRecords TXTRecords aRecords aaaaRecords caaRecords mxRecords
     ptrRecords srvRecords txtRecords`,
  ),
};
/** Ranges of a rule, each of which it holds for. */
const ruleSets = "sourceAddressPrefixes destinationAddressPrefixes sourcePortRanges destinationPortRanges";
/** The ports of a rule, each a number or a range. */
const rulePorts = "sourcePortRange destinationPortRange sourcePortRanges/* destinationPortRanges/*";
const serverName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Types by lower-cased name without version; only those that differ from the defaults. */
const types: ReadonlyMap<string, ResourceType> = new Map(
  Object.entries({
    "Microsoft.Network/virtualNetworks": {
      ...fixedPlace,
      sets: ["/addressSpace/addressPrefixes", ...within("/properties", "addressSpace/addressPrefixes subnets")],
    },
    "Microsoft.Network/virtualNetworks/subnets": {
      ...untaggable,
      sets: within("/properties", "addressPrefixes serviceEndpoints delegations"),
    },
    "Microsoft.Network/virtualNetworks/virtualNetworkPeerings": untaggable,
    "Microsoft.Network/networkSecurityGroups": {
      ...fixedPlace,
      sets: ["/properties/securityRules", ...within("/properties/securityRules/*/properties", ruleSets)],
      ranges: within("/properties/securityRules/*/properties", rulePorts),
    },
    "Microsoft.Network/networkSecurityGroups/securityRules": {
      ...untaggable,
      sets: within("/properties", ruleSets),
      ranges: within("/properties", rulePorts),
    },
    "Microsoft.Network/routeTables": { ...fixedPlace, sets: ["/properties/routes"] },
    "Microsoft.Network/routeTables/routes": untaggable,
    "Microsoft.Network/publicIPAddresses": fixedPlace,
    "Microsoft.Network/loadBalancers/backendAddressPools": untaggable,
    ...Object.fromEntries(
      ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"].flatMap((kind) =>
        ["dnsZones", "privateDnsZones"].map((zone) => [`Microsoft.Network/${zone}/${kind}`, record]),
      ),
    ),
    "Microsoft.Resources/resourceGroups": { ...fixedPlace, name: /^[\w.()-]{0,89}[\w()-]$/ },
    "Microsoft.EventHub/namespaces/eventhubs": untaggable,
    "Microsoft.ServiceBus/namespaces/queues": untaggable,
    "Microsoft.ServiceBus/namespaces/topics": untaggable,
    "Microsoft.ServiceBus/namespaces/topics/subscriptions": untaggable,
    "Microsoft.ServiceBus/namespaces/topics/subscriptions/rules": untaggable,
    "Microsoft.Insights/diagnosticSettings": untaggable,
    "Microsoft.Authorization/roleAssignments": untaggable,
    "Microsoft.Authorization/locks": untaggable,
    "Microsoft.Storage/storageAccounts": {
      ...fixedPlace,
      name: /^[a-z0-9]{3,24}$/,
      immutable: ["location", "kind"],
      sets: within("/properties/networkAcls", "ipRules virtualNetworkRules"),
      sensitiveOutputs: ["primaryKey", "secondaryKey", "connectionString"],
    },
    "Microsoft.Storage/storageAccounts/blobServices/containers": {
      ...untaggable,
      name: /^[a-z0-9]{3,24}\/default\/(\$root|\$web|\$logs|(?=.{3,63}$)[a-z0-9](-?[a-z0-9])+)$/,
    },
    "Microsoft.KeyVault/vaults": {
      ...fixedPlace,
      name: /^(?=.{3,24}$)[a-z](-?[a-z0-9])+$/i,
      immutable: ["location", "tenantId"],
      sets: within("/properties", "accessPolicies networkAcls/ipRules networkAcls/virtualNetworkRules"),
    },
    "Microsoft.DocumentDB/databaseAccounts": { ...placedType, sets: within("/properties", "locations capabilities") },
    "Microsoft.Compute/virtualMachines": {
      ...fixedPlace,
      immutable: ["location", "adminUsername"],
      writeOnly: ["adminPassword"],
    },
    "Microsoft.Sql/servers": {
      ...fixedPlace,
      name: serverName,
      immutable: ["location", "administratorLogin"],
      writeOnly: ["administratorLoginPassword"],
    },
    "Microsoft.Sql/servers/firewallRules": untaggable,
    "Microsoft.DBforPostgreSQL/flexibleServers": {
      ...fixedPlace,
      name: serverName,
      immutable: ["location", "administratorLogin"],
      writeOnly: ["administratorLoginPassword"],
    },
    "Microsoft.DBforPostgreSQL/flexibleServers/configurations": untaggable,
    "Microsoft.DBforPostgreSQL/flexibleServers/databases": untaggable,
    "Microsoft.Cache/Redis": {
      ...fixedPlace,
      name: /^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/i,
      sensitiveOutputs: ["primaryKey", "secondaryKey"],
    },
    "Microsoft.ContainerService/managedClusters": { ...fixedPlace, immutable: ["location", "dnsPrefix"] },
    "Microsoft.ContainerService/managedClusters/agentPools": untaggable,
    "Microsoft.Web/sites/config": untaggable,
    "Microsoft.ManagedIdentity/userAssignedIdentities": fixedPlace,
    "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials": untaggable,
  } satisfies Record<string, ResourceType>).map(([type, facts]) => [type.toLowerCase(), facts]),
);

function within(pointer: string, names: string): string[] {
  return names.split(/\s+/).map((name) => `${pointer}/${name}`);
}

function tagRefusal(key: string, value: string): string | null {
  if (key.length === 0 || key.length > 512) return "A tag's key must have 1 to 512 characters.";
  if (value.length > 256) return "A tag's value must have at most 256 characters.";
  if (/[<>%&\\?/\p{Cc}]/u.test(key)) return "A tag's key must not contain < > % & \\ ? / or control characters.";
  if (/^(microsoft|azure|windows)/i.test(key))
    return "The prefixes microsoft, azure and windows are reserved in tag keys.";
  return null;
}

/** Kinds with exactly one resource in each parent, and its name. */
const only: ReadonlyMap<string, string> = new Map([["blobservices", "default"]]);

/** Missing parents take the child's own name: `subnets` named `a` is in the network `a`. Write `net/a` to name the parent. */
function azureResourceId(type: string, name: string, { scope, container }: CloudTarget): string {
  const [namespace = "", ...kinds] = bareType(type).split("/");
  if (bareType(type).toLowerCase() === "microsoft.resources/resourcegroups")
    return `/subscriptions/${scope}/resourceGroups/${name}`;
  const named = name.split("/");
  const own = named.at(-1) ?? name;
  const missing = Math.max(0, kinds.length - named.length);
  const names = [
    ...Array.from({ length: missing }, (_, at) => only.get(kinds[at]?.toLowerCase() ?? "") ?? named[0] ?? own),
    ...named,
  ];
  const path = kinds
    .map((kind, at) => `${kind}/${at === kinds.length - 1 ? names.slice(at).join("/") : names[at]}`)
    .join("/");
  return `/subscriptions/${scope}/resourceGroups/${container ?? "liveplane"}/providers/${namespace}/${path}`;
}

function azureTypeOf(resourceId: string): string | null {
  if (/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i.test(resourceId)) return "Microsoft.Resources/resourceGroups";
  const tail = /.*\/providers\/([^/]+)\/(.+)$/i.exec(resourceId);
  if (tail === null) return null;
  const kinds = (tail[2] ?? "").split("/").filter((_, at) => at % 2 === 0);
  return [tail[1], ...kinds].join("/");
}

function azureLocation(scope: string, name: string, displayName: string, geography: string): CloudLocation {
  return { id: `/subscriptions/${scope}/locations/${name}`, name, displayName, geography };
}

const places = [
  ["eastus", "East US", "United States"],
  ["eastus2", "East US 2", "United States"],
  ["westus2", "West US 2", "United States"],
  ["westus3", "West US 3", "United States"],
  ["centralus", "Central US", "United States"],
  ["canadacentral", "Canada Central", "Canada"],
  ["brazilsouth", "Brazil South", "Brazil"],
  ["northeurope", "North Europe", "Europe"],
  ["westeurope", "West Europe", "Europe"],
  ["uksouth", "UK South", "United Kingdom"],
  ["francecentral", "France Central", "France"],
  ["germanywestcentral", "Germany West Central", "Germany"],
  ["switzerlandnorth", "Switzerland North", "Switzerland"],
  ["swedencentral", "Sweden Central", "Sweden"],
  ["southeastasia", "Southeast Asia", "Asia Pacific"],
  ["japaneast", "Japan East", "Japan"],
  ["australiaeast", "Australia East", "Australia"],
  ["centralindia", "Central India", "India"],
] as const;

function initializationSteps(): StepFacts[] {
  return [
    initializationStep(
      "resource-group",
      "Creates the resource group that holds the environment",
      "Microsoft.Resources/resourceGroups",
    ),
    initializationStep(
      "identity",
      "Creates the identity that workloads run as",
      "Microsoft.ManagedIdentity/userAssignedIdentities",
    ),
    initializationStep(
      "key-vault",
      "Creates the vault for keys and certificates",
      "Microsoft.KeyVault/vaults",
      (name) => shortened(name, 24),
    ),
    initializationStep(
      "storage-account",
      "Creates the storage account for state",
      "Microsoft.Storage/storageAccounts",
      (name) => shortened(name.replaceAll("-", ""), 24),
    ),
  ];
}

/** Environments differ at the end of the name, so a shortened name ends in a digest. */
function shortened(name: string, most: number): string {
  return name.length <= most ? name : name.slice(name.length - most).replace(/^[^a-z]+/, "");
}
