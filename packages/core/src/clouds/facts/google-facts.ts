import type { CloudTarget } from "../../ports/cloud.ts";
import { plainType, type ResourceType } from "../../ports/resource-type.ts";
import { type CloudFacts, initializationStep, type StepFacts } from "./cloud-facts.ts";
import {
  collectionOf,
  globalKinds,
  parseGoogleId,
  parseGoogleScope,
  projectKinds,
  typeParts,
  unlabelledKinds,
  zonalKinds,
} from "./google-ids.ts";

/** What is known about Google Cloud: which types carry labels, the form of IDs, and which characters a label may hold. */
export const googleFacts: CloudFacts = {
  tagParameter: "labels",
  caselessTagKeys: false,
  caselessIds: false,
  deviceAuthorization: false,
  tagRules: { most: 64, refusal: labelRefusal },
  resourceType: (type) => {
    const { service, kind } = typeParts(type);
    const known = types.get(versionless(type)) ?? (kind.endsWith("IamBinding") ? untaggable : plainType);
    return service === "compute" ? { name: label, ...known } : known;
  },
  resourceIdFor: googleResourceId,
  parseResourceId: parseGoogleId,
  parseScope: parseGoogleScope,
  typeOf: googleTypeOf,
  throttleScope: (resourceId) => /(?:^|\/)projects\/[^/]+/.exec(resourceId)?.[0].replace(/^\//, "") ?? "google",
  locations: (scope) =>
    places.map(([name, displayName, geography]) => ({
      id: `projects/${scope}/locations/${name}`,
      name,
      displayName,
      geography,
    })),
  steps: initializationSteps(),
};

const untaggable: ResourceType = { ...plainType, taggable: false };
const located: ResourceType = { ...plainType, immutable: ["location"], caseless: ["/location"] };
/** The names of Compute Engine (RFC 1035), which most services follow. */
const label = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Types by service and kind, without version; only those that differ from the defaults. */
const types: ReadonlyMap<string, ResourceType> = new Map(
  Object.entries({
    "storage.bucket": {
      ...located,
      caseless: ["/location", "/storageClass"],
      name: /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
    },
    "run.service": { ...plainType, name: /^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$/ },
    "run.job": { ...plainType, name: label },
    "artifactregistry.repository": { ...plainType, name: label },
    ...Object.fromEntries(unlabelledKinds.map((kind) => [kind, untaggable])),
    "compute.firewall": {
      ...untaggable,
      sets: words(`/allowed /denied /sourceRanges /destinationRanges /targetTags /sourceTags /targetServiceAccounts
        /sourceServiceAccounts`),
      caseless: ["/allowed/*/IPProtocol", "/denied/*/IPProtocol"],
      ranges: ["/allowed/*/ports/*", "/denied/*/ports/*"],
    },
    "compute.forwardingRule": { ...plainType, caseless: ["/IPProtocol"], ranges: ["/portRange"] },
    "compute.instance": {
      ...plainType,
      immutable: ["zone"],
      sets: ["/tags/items", "/serviceAccounts/*/scopes"],
    },
    "compute.disk": { ...plainType, immutable: ["zone"] },
    "iam.serviceAccount": { ...untaggable, name: /^[a-z][a-z0-9-]{4,28}[a-z0-9](@[a-z0-9.-]{1,128})?$/ },
    "iam.role": { ...untaggable, name: /^[A-Za-z0-9_.]{3,64}$/, sets: ["/includedPermissions"] },
    "cloudscheduler.job": untaggable,
    "vpcaccess.connector": untaggable,
    "dns.resourceRecordSet": { ...untaggable, sets: ["/rrdatas"] },
    "sqladmin.instance": { ...plainType, immutable: ["region", "databaseVersion"], writeOnly: ["rootPassword"] },
    "sqladmin.database": untaggable,
    "sqladmin.user": { ...untaggable, writeOnly: ["password"] },
    "cloudkms.keyRing": untaggable,
    "container.cluster": { ...plainType, immutable: ["location"], sensitiveOutputs: ["clientKey", "masterPassword"] },
    "redis.instance": { ...plainType, immutable: ["tier"], sensitiveOutputs: ["authString"] },
    "serviceusage.service": untaggable,
  } satisfies Record<string, ResourceType>),
);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function versionless(type: string): string {
  const { service, kind } = typeParts(type);
  return `${service}.${kind}`;
}

function labelRefusal(key: string, value: string): string | null {
  if (!/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(key)) {
    return "A label's key must have 1 to 63 lower-case letters, digits, _ or -, and begin with a letter.";
  }
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u.test(value))
    return "A label's value must have at most 63 lower-case letters, digits, _ or -.";
  return null;
}

function googleResourceId(type: string, name: string, { scope, region }: CloudTarget): string {
  const { service, kind } = typeParts(type);
  const known = `${service}.${kind}`;
  const collection = collectionOf(kind);
  if (projectKinds.has(known)) return `projects/${scope}/${collection}/${name}`;
  if (globalKinds.has(known)) return `projects/${scope}/global/${collection}/${name}`;
  if (zonalKinds.has(known)) return `projects/${scope}/zones/${region}-a/${collection}/${name}`;
  if (service === "compute") return `projects/${scope}/regions/${region}/${collection}/${name}`;
  return `projects/${scope}/locations/${region}/${service === "" ? "" : `${service}/`}${collection}/${name}`;
}

function googleTypeOf(resourceId: string): string | null {
  const [, service] = /\/locations\/[^/]+\/([^/]+)\/[^/]+\/[^/]+$/.exec(resourceId) ?? [];
  const elsewhere = [...projectKinds, ...globalKinds, ...zonalKinds, "compute.subnetwork", "compute.router"];
  const known = service === undefined ? elsewhere : [...types.keys()].filter((type) => type.startsWith(`${service}.`));
  const collection = resourceId.split("/").at(-2);
  const found = known.find((type) => collectionOf(typeParts(type).kind) === collection);
  return found?.replace(".", service === "run" ? ".v2." : ".v1.") ?? null;
}

const places = [
  ["us-central1", "Iowa", "United States"],
  ["us-east1", "South Carolina", "United States"],
  ["us-west1", "Oregon", "United States"],
  ["northamerica-northeast1", "Montréal", "Canada"],
  ["southamerica-east1", "São Paulo", "Brazil"],
  ["europe-west1", "Belgium", "Europe"],
  ["europe-west2", "London", "United Kingdom"],
  ["europe-west3", "Frankfurt", "Germany"],
  ["europe-west4", "Netherlands", "Europe"],
  ["europe-north1", "Finland", "Europe"],
  ["asia-east1", "Taiwan", "Asia Pacific"],
  ["asia-northeast1", "Tokyo", "Japan"],
  ["asia-south1", "Mumbai", "India"],
  ["australia-southeast1", "Sydney", "Australia"],
] as const;

function initializationSteps(): StepFacts[] {
  return [
    initializationStep(
      "services",
      "Enables the services that live systems need",
      "serviceusage.v1.service",
      () => "compute.googleapis.com",
    ),
    initializationStep(
      "service-account",
      "Creates the service account that workloads run as",
      "iam.v1.serviceAccount",
      (name) => name.slice(-30),
    ),
    initializationStep("key-ring", "Creates the ring for encryption keys", "cloudkms.v1.keyRing"),
    initializationStep("state-bucket", "Creates the bucket for state", "storage.v1.bucket"),
  ];
}
