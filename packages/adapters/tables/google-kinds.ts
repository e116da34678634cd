/** A service of Google's, and what of it the tables know. */
export interface GoogleService {
  readonly version: string;
  /** Collections whose resources are kinds, by how the description nests them; the kind is what a type names it. `null`: all that can be made. */
  readonly kinds: Readonly<Record<string, string>> | null;
  /** Collections that only calls are made on: operations, places, enabled services. */
  readonly others: readonly string[];
  /** Collections that are none: a second view of another's resources. */
  readonly without?: readonly string[];
  /** Collections that aren't kinds themselves but have an IAM policy, whose bindings are. */
  readonly policies?: Readonly<Record<string, string>>;
  /** Members have calls of their own: `setTarget`, `resize`. */
  readonly setters?: true;
  /** What such calls need besides the member: the nth name in the path, or a value of the resource by its pointer. */
  readonly needs?: Readonly<Record<string, string>>;
  /** What its outermost collections lie in, where the description leaves that open. */
  readonly root?: string;
}

/** The services that live systems are most often made of, and those that the adapter itself asks. */
export const googleServices: Readonly<Record<string, GoogleService>> = {
  artifactregistry: {
    version: "v1",
    kinds: { "Projects.Locations.Repositories": "repository" },
    others: ["Projects.Locations.Operations"],
  },
  bigquery: { version: "v2", kinds: { Datasets: "dataset" }, others: [] },
  cloudasset: { version: "v1", kinds: {}, others: ["Assets", "V1"], root: "projects/{}" },
  cloudfunctions: {
    version: "v2",
    kinds: { "Projects.Locations.Functions": "function" },
    others: ["Projects.Locations.Operations"],
  },
  cloudkms: {
    version: "v1",
    kinds: { "Projects.Locations.Keyrings": "keyRing", "Projects.Locations.Keyrings.Cryptokeys": "cryptoKey" },
    others: ["Projects.Locations.Operations"],
  },
  cloudresourcemanager: { version: "v3", kinds: {}, others: ["Projects"], policies: { Projects: "project" } },
  cloudscheduler: { version: "v1", kinds: { "Projects.Locations.Jobs": "job" }, others: [] },
  compute: {
    version: "v1",
    kinds: null,
    others: ["Zones", "Regions", "Zoneoperations", "Regionoperations", "Globaloperations", "Projects"],
    without: ["Globalvmextensionpolicies"],
    setters: true,
  },
  container: {
    version: "v1",
    kinds: { "Projects.Locations.Clusters": "cluster", "Projects.Locations.Clusters.Nodepools": "nodePool" },
    others: ["Projects.Locations.Operations"],
    setters: true,
    needs: { projectId: "0", zone: "1", clusterId: "2", imageType: "/config/imageType", nodeVersion: "/version" },
  },
  dns: {
    version: "v1",
    kinds: { Managedzones: "managedZone", Resourcerecordsets: "resourceRecordSet" },
    others: [],
  },
  iam: { version: "v1", kinds: { "Projects.Serviceaccounts": "serviceAccount", "Projects.Roles": "role" }, others: [] },
  logging: { version: "v2", kinds: {}, others: ["Entries"] },
  monitoring: { version: "v3", kinds: { "Projects.Alertpolicies": "alertPolicy" }, others: [] },
  pubsub: {
    version: "v1",
    kinds: { "Projects.Topics": "topic", "Projects.Subscriptions": "subscription" },
    others: [],
  },
  redis: {
    version: "v1",
    kinds: { "Projects.Locations.Instances": "instance" },
    others: ["Projects.Locations.Operations"],
  },
  run: {
    version: "v2",
    kinds: { "Projects.Locations.Services": "service", "Projects.Locations.Jobs": "job" },
    others: ["Projects.Locations.Operations"],
  },
  secretmanager: { version: "v1", kinds: { "Projects.Secrets": "secret" }, others: [] },
  serviceusage: { version: "v1", kinds: {}, others: ["Services", "Operations"], root: "projects/{}" },
  sqladmin: {
    version: "v1",
    kinds: { Instances: "instance", Databases: "database", Users: "user" },
    others: ["Operations"],
  },
  storage: { version: "v1", kinds: { Buckets: "bucket" }, others: ["Operations"] },
  vpcaccess: {
    version: "v1",
    kinds: { "Projects.Locations.Connectors": "connector" },
    others: ["Projects.Locations.Operations"],
  },
  workflows: {
    version: "v1",
    kinds: { "Projects.Locations.Workflows": "workflow" },
    others: ["Projects.Locations.Operations"],
  },
};

/** What is read, written and waited for; a collection's other methods are no business of a control plane. */
export const googleMethods: ReadonlySet<string> = new Set([
  "get",
  "list",
  "aggregatedList",
  "insert",
  "create",
  "update",
  "patch",
  "delete",
  "setLabels",
  "batchEnable",
  "batchGet",
  "getIamPolicy",
  "setIamPolicy",
  "testIamPermissions",
  "enable",
  "wait",
  "searchAllResources",
  "searchAllIamPolicies",
]);
