import { generateKeyPairSync } from "node:crypto";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import type { CloudUnderTest } from "@liveplane/core/testing";
import type { Departures } from "../descriptions/departures.ts";
import { fakeGoogle } from "./fake-google.ts";
import { type GoogleFault, labelled, pathOf, serviceAccount } from "./google-double.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The JSON that Google gives out as a key; the double grants tokens for it. */
export const serviceAccountKey = JSON.stringify({
  type: "service_account",
  project_id: "project-one",
  private_key_id: "canary-key-id",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  client_email: serviceAccount,
  token_uri: "http://attacker.invalid/token",
});

/** Where new resources go. */
export const target = { scope: "project-one", region: "europe-west1", zone: "europe-west1-b" };

const diskLink = "https://www.googleapis.com/compute/v1/projects/project-one/zones/europe-west1-b/disks/first";

/** A text that may be any other, and parameters with it, by type. */
export const changeable: Readonly<Record<string, { readonly changing: string; readonly parameters: object }>> = {
  "storage.v1.bucket": {
    changing: "/website/mainPageSuffix",
    parameters: { location: "EU", website: { mainPageSuffix: "small" }, versioning: { enabled: true } },
  },
  "compute.v1.disk": {
    changing: "/description",
    parameters: { description: "small", sizeGb: "10", guestOsFeatures: [{ type: "GVNIC" }] },
  },
  "compute.v1.instance": {
    changing: "/description",
    parameters: { description: "small", disks: [{ boot: true, source: diskLink }] },
  },
  "compute.v1.address": { changing: "/description", parameters: { description: "small" } },
  "compute.v1.forwardingRule": { changing: "/description", parameters: { description: "small", portRange: "80-80" } },
  "run.v2.service": {
    changing: "/description",
    parameters: { description: "small", template: { containers: [{ image: "shop/web" }] } },
  },
  "run.v2.job": {
    changing: "/launchStage",
    parameters: { launchStage: "small", template: { template: { containers: [{ image: "shop/job" }] } } },
  },
  "sqladmin.v1.instance": {
    changing: "/settings/tier",
    parameters: { region: "europe-west1", databaseVersion: "POSTGRES_17", settings: { tier: "small" } },
  },
  "pubsub.v1.topic": {
    changing: "/messageRetentionDuration",
    parameters: { messageRetentionDuration: "small" },
  },
  "secretmanager.v1.secret": {
    changing: "/annotations/note",
    parameters: { annotations: { note: "small" }, replication: { automatic: {} } },
  },
  "container.v1.cluster": {
    changing: "/loggingService",
    parameters: { loggingService: "small", releaseChannel: { channel: "REGULAR" }, autopilot: { enabled: true } },
  },
  "redis.v1.instance": {
    changing: "/displayName",
    parameters: { displayName: "small", tier: "BASIC", memorySizeGb: 1 },
  },
  "pubsub.v1.subscription": {
    changing: "/messageRetentionDuration",
    parameters: { topic: "projects/project-one/topics/orders", messageRetentionDuration: "small" },
  },
  "monitoring.v3.alertPolicy": {
    changing: "/displayName",
    parameters: { displayName: "small", combiner: "OR", conditions: [{ displayName: "late" }] },
  },
  "workflows.v1.workflow": { changing: "/description", parameters: { description: "small" } },
  "artifactregistry.v1.repository": {
    changing: "/description",
    parameters: { description: "small", format: "DOCKER" },
  },
};

/** Bindings of IAM policies, and the resource that has the policy; those of buckets are apart, because a bucket's name is in one project alone. */
export const bindings: Readonly<Record<string, string>> = {
  "compute.v1.diskIamBinding": "projects/project-one/zones/europe-west1-b/disks/holder",
  "pubsub.v1.topicIamBinding": "projects/project-one/topics/holder",
  "run.v2.serviceIamBinding": "projects/project-one/locations/europe-west1/run/services/holder",
};

/** What the laws do to a binding: they grant it beneath a resource that is there, and somebody else grants another one. */
function withPolicy(type: string, { google, target }: BindingWorld) {
  const holder = bindings[type];
  if (holder === undefined) return {};
  const inProject = (project: string) => holder.replace("project-one", project);
  const kind = type.replace("IamBinding", "");
  for (const project of ["project-one", "project-two"]) google.putAt(pathOf(kind, inProject(project)), project, {});
  const byHand = (id: string, tags: unknown) => {
    const other = id.replace(/\/[^/]+$/, "/roles:others");
    google.putAt(pathOf(type, other), target.scope, { members: [`user:${JSON.stringify(tags)}`] });
  };
  return {
    changing: "/members/0",
    parameters: { members: ["user:ada@example.com"] },
    nameOf: (name: string) => `holder/roles:shop.${name.replaceAll("-", ".")}`,
    around: [holder],
    // A policy is read whole, by one or by many.
    break: async (kind: "read" | "bulk" | "write", fault: GoogleFault | null) => {
      if (fault === null) return google.faults.clear();
      for (const one of kind === "bulk" ? (["read", "bulk"] as const) : [kind]) google.faults.set(one, fault);
    },
    byHand: {
      setTags: async (id: string, tags: unknown) => byHand(id, tags),
      remove: async (id: string) => google.remove(pathOf(type, id)),
    },
  };
}

interface BindingWorld {
  readonly google: Awaited<ReturnType<typeof fakeGoogle>>;
  readonly target: { readonly scope: string };
}

/** What lies in another resource, and is called by both. */
const inAnother: typeof changeable = {
  "cloudkms.v1.cryptoKey": {
    changing: "/rotationPeriod",
    parameters: { purpose: "ENCRYPT_DECRYPT", rotationPeriod: "small" },
  },
};

/** The adapter over its double, as the laws of clouds want it. */
export async function googleUnderTest(type: string, judged?: Departures) {
  const google = await fakeGoogle({ privateKey, ...(judged && { judged }) });
  const cloudOf = () =>
    googleCloud({ urlOf: (service) => `${google.url}/${service}`, tokenUrl: `${google.url}/token` });
  const credentials = (secret: string) =>
    ({ kind: "serviceAccountKey", name: serviceAccount, secret: new SecretValue(secret) }) as const;
  const { changing, parameters } = changeable[type] ??
    inAnother[type] ?? {
      changing: "/description",
      parameters: { description: "small" },
    };
  const cloud = cloudOf();
  const under = {
    cloud,
    call: { credentials: credentials(serviceAccountKey) },
    rejected: { credentials: credentials("reject") },
    target,
    neverMade: `projects/project-one/${type === "monitoring.v3.alertPolicy" ? "alertPolicies" : "things"}/never-made`,
    otherTarget: { ...target, scope: "project-two" },
    type,
    changing,
    parameters: parameters as CloudUnderTest["parameters"],
    byHand: {
      setTags: async (id, labels) => google.byHand(pathOf(type, id), (body) => labelled(type, body, labels)),
      remove: async (id) => google.remove(pathOf(type, id)),
    },
    beforeAnswer: (deed) => google.beforeAnswer(() => void deed()),
    break: async (kind, fault) => void (fault === null ? google.faults.clear() : google.faults.set(kind, fault)),
    settle: async () => google.lag(false),
    close: () => google.close(),
    ...withPolicy(type, { google, target }),
  } satisfies CloudUnderTest;
  const isSlow = bindings[type] === undefined && !synchronous.has(type.split(".")[0] ?? "");
  const slow: CloudUnderTest["slow"] = {
    begin: async (fails) => google.slow({ takesMs: "until finished", ...(fails && { fails }) }),
    finish: async () => google.finish(),
    elsewhere: cloudOf,
  };
  return { ...under, ...(isSlow && { slow }), google };
}

/** Services whose changes are done when they answer. */
const synchronous = new Set([
  "artifactregistry",
  "cloudkms",
  "iam",
  "monitoring",
  "pubsub",
  "secretmanager",
  "storage",
]);
