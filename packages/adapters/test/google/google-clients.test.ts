import { createRequire } from "node:module";
import { iam } from "@googleapis/iam";
import { run } from "@googleapis/run";
import { secretmanager } from "@googleapis/secretmanager";
import { serviceusage } from "@googleapis/serviceusage";
import { sqladmin } from "@googleapis/sqladmin";
import { storage } from "@googleapis/storage";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import type { Cloud, CloudCall, JsonObject, ResourceRef } from "@liveplane/core/clouds";
import { OAuth2Client } from "google-auth-library";
import { expect, onTestFinished, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { fakeGoogle } from "./fake-google.ts";
import { goodToken, pathOf } from "./google-double.ts";
import { changeable, target } from "./google-world.ts";

type Method = (request: object) => Promise<{ readonly status: number; readonly data: unknown }>;

/** The little of Compute Engine's client that is used here. Its own types are a million lines, half of the time that checking ours takes. */
interface Compute {
  readonly addresses: { readonly setLabels: Method };
  readonly disks: Readonly<Record<"delete" | "get" | "insert" | "resize" | "setLabels" | "update", Method>>;
  readonly zoneOperations: { readonly get: Method };
  readonly zones: { readonly list: Method };
}

const { compute } = createRequire(import.meta.url)("@googleapis/compute") as {
  readonly compute: (options: { readonly version: "v1"; readonly auth: never; readonly retry: boolean }) => Compute;
};

const project = "project-one";
const zone = "europe-west1-b";
const parent = `projects/${project}/locations/europe-west1`;
const judged = departures();
const call: CloudCall = { credentials: { kind: "workload", name: null, secret: null } };

/** Google's own auth client, with the addresses of services led to the double: a service lies there under its name. */
function ledTo(url: string): OAuth2Client {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: goodToken });
  const request = auth.request.bind(auth);
  auth.request = ((options: { readonly url: string | URL }) => {
    const asked = new URL(String(options.url));
    const service = asked.hostname.replace(".googleapis.com", "");
    return request({ ...options, url: `${url}/${service}${asked.pathname}${asked.search}` });
  }) as typeof auth.request;
  return auth;
}

/** Google's own clients, pointed at the double. */
function clientsOf(url: string) {
  const auth = ledTo(url);
  // The clients were published with several versions of the library of auth clients.
  const options = { auth: auth as never, retry: false };
  return {
    auth,
    compute: compute({ version: "v1", ...options }),
    iam: iam({ version: "v1", ...options }),
    run: run({ version: "v2", ...options }),
    secretmanager: secretmanager({ version: "v1", ...options }),
    serviceusage: serviceusage({ version: "v1", ...options }),
    sqladmin: sqladmin({ version: "v1", ...options }),
    storage: storage({ version: "v1", ...options }),
  };
}

type Clients = ReturnType<typeof clientsOf>;

/** A double in which a resource of this type stands, by its id; and what talks to it. */
async function opened(type: string, name: string, body?: JsonObject) {
  const google = await fakeGoogle({ judged });
  onTestFinished(() => google.close());
  const clients = clientsOf(google.url);
  const cloud = googleCloud({ urlOf: (service) => `${google.url}/${service}`, authClient: clients.auth });
  const resourceId = cloud.resourceIdFor(type, name, target) ?? "";
  if (body !== undefined) google.putAt(pathOf(type, resourceId), project, body);
  return { google, clients, cloud, ref: { type, resourceId } };
}

/** One thing that the adapter does, and the same by Google's client. Reads that come before a write are the adapter's own. */
interface Same {
  readonly type: string;
  readonly there?: boolean;
  readonly ours: (cloud: Cloud, ref: ResourceRef) => Promise<unknown>;
  readonly theirs: (clients: Clients, shown: JsonObject) => Promise<unknown>;
}

const account = "iam.v1.serviceAccount";
const labels = { team: "blue" };
const parametersOf = (type: string) => (changeable[type]?.parameters ?? {}) as JsonObject;
const bodyOf = (type: string): JsonObject =>
  type === "sqladmin.v1.instance"
    ? { ...parametersOf(type), settings: { tier: "small", userLabels: labels } }
    : { ...parametersOf(type), ...(type !== account && { labels }) };
const created =
  (type: string): Same["ours"] =>
  async (cloud, ref) =>
    cloud.create({ ...ref, name: "firstly", target, parameters: parametersOf(type), tags: labels, intent: "i" }, call);
const read: Same["ours"] = (cloud, ref) => cloud.read(ref, call);
const removed: Same["ours"] = (cloud, ref) => cloud.remove(ref, {}, call);
const changed =
  (pointer: string, value: string): Same["ours"] =>
  (cloud, ref) =>
    cloud.update(ref, { parameters: [{ pointer, value }], tags: {} }, {}, call);
const labelled: Same["ours"] = (cloud, ref) => cloud.update(ref, { parameters: [], tags: { a: "b" } }, {}, call);
const untagged: Same["ours"] = (cloud, ref) => cloud.removeTag(ref, "team", {}, call);

const bucket = "storage.v1.bucket";
const disk = "compute.v1.disk";
const service = "run.v2.service";
const job = "run.v2.job";
const sql = "sqladmin.v1.instance";
const secret = "secretmanager.v1.secret";
const address = "compute.v1.address";
const inZone = { project, zone, disk: "firstly" };

const same: Readonly<Record<string, Same>> = {
  "a bucket is made": {
    type: bucket,
    ours: created(bucket),
    theirs: ({ storage: s }) => s.buckets.insert({ project, requestBody: { ...bodyOf(bucket), name: "firstly" } }),
  },
  "a bucket's label is set": {
    type: bucket,
    there: true,
    ours: labelled,
    theirs: ({ storage: s }) =>
      s.buckets.patch({ bucket: "firstly", ifMetagenerationMatch: "1", requestBody: { labels: { a: "b" } } }),
  },
  "a bucket's label is removed": {
    type: bucket,
    there: true,
    ours: untagged,
    theirs: ({ storage: s }) =>
      s.buckets.patch({
        bucket: "firstly",
        ifMetagenerationMatch: "1",
        requestBody: { labels: { team: null } } as never,
      }),
  },
  "a bucket is deleted": {
    type: bucket,
    there: true,
    ours: removed,
    theirs: ({ storage: s }) => s.buckets.delete({ bucket: "firstly" }),
  },
  "a bucket is found": {
    type: bucket,
    there: true,
    ours: read,
    theirs: ({ storage: s }) => s.buckets.list({ project, prefix: "firstly", maxResults: 1 }),
  },
  "a disk is made": {
    type: disk,
    ours: created(disk),
    theirs: ({ compute: c }) => c.disks.insert({ project, zone, requestBody: { ...bodyOf(disk), name: "firstly" } }),
  },
  "a disk is read": { type: disk, there: true, ours: read, theirs: ({ compute: c }) => c.disks.get(inZone) },
  "a disk is resized": {
    type: disk,
    there: true,
    ours: changed("/sizeGb", "20"),
    theirs: ({ compute: c }) => c.disks.resize({ ...inZone, requestBody: { sizeGb: "20" } }),
  },
  "a disk is described": {
    type: disk,
    there: true,
    ours: changed("/description", "big"),
    theirs: ({ compute: c }) =>
      c.disks.update({ ...inZone, updateMask: "description", requestBody: { description: "big" } }),
  },
  "a disk's labels are set": {
    type: disk,
    there: true,
    ours: labelled,
    theirs: ({ compute: c }, { labelFingerprint }) =>
      c.disks.setLabels({
        project,
        zone,
        resource: "firstly",
        requestBody: { labels: { ...labels, a: "b" }, labelFingerprint: String(labelFingerprint) },
      }),
  },
  "a disk is deleted": { type: disk, there: true, ours: removed, theirs: ({ compute: c }) => c.disks.delete(inZone) },
  "an address's labels are set": {
    type: address,
    there: true,
    ours: labelled,
    theirs: ({ compute: c }, { labelFingerprint }) =>
      c.addresses.setLabels({
        project,
        region: "europe-west1",
        resource: "firstly",
        requestBody: { labels: { ...labels, a: "b" }, labelFingerprint: String(labelFingerprint) },
      }),
  },
  "a service is made": {
    type: service,
    ours: created(service),
    theirs: ({ run: r }) =>
      r.projects.locations.services.create({ parent, serviceId: "firstly", requestBody: bodyOf(service) }),
  },
  "a service's labels are set": {
    type: service,
    there: true,
    ours: labelled,
    theirs: ({ run: r }, { etag }) =>
      r.projects.locations.services.patch({
        name: `${parent}/services/firstly`,
        updateMask: "labels",
        requestBody: { labels: { ...labels, a: "b" }, etag: String(etag) },
      }),
  },
  "a service is deleted": {
    type: service,
    there: true,
    ours: removed,
    theirs: ({ run: r }) => r.projects.locations.services.delete({ name: `${parent}/services/firstly` }),
  },
  "a job is made": {
    type: job,
    ours: created(job),
    theirs: ({ run: r }) => r.projects.locations.jobs.create({ parent, jobId: "firstly", requestBody: bodyOf(job) }),
  },
  "a database server is made": {
    type: sql,
    ours: created(sql),
    theirs: ({ sqladmin: s }) => s.instances.insert({ project, requestBody: { ...bodyOf(sql), name: "firstly" } }),
  },
  "a database server is changed": {
    type: sql,
    there: true,
    ours: changed("/settings/tier", "big"),
    theirs: ({ sqladmin: s }) =>
      s.instances.patch({ project, instance: "firstly", requestBody: { settings: { tier: "big" } } }),
  },
  "a database server's label is set": {
    type: sql,
    there: true,
    ours: labelled,
    theirs: ({ sqladmin: s }) =>
      s.instances.patch({ project, instance: "firstly", requestBody: { settings: { userLabels: { a: "b" } } } }),
  },
  "a secret is made": {
    type: secret,
    ours: created(secret),
    theirs: ({ secretmanager: s }) =>
      s.projects.secrets.create({ parent: `projects/${project}`, secretId: "firstly", requestBody: bodyOf(secret) }),
  },
  "a secret is changed": {
    type: secret,
    there: true,
    ours: changed("/annotations/note", "big"),
    theirs: ({ secretmanager: s }, { etag }) =>
      s.projects.secrets.patch({
        name: `projects/${project}/secrets/firstly`,
        updateMask: "annotations",
        requestBody: { annotations: { note: "big" }, etag: String(etag) },
      }),
  },
  "a service account is made": {
    type: account,
    ours: (cloud, ref) =>
      cloud.create(
        { ...ref, name: "firstly", target, parameters: { displayName: "Runs" }, tags: {}, intent: "i" },
        call,
      ),
    theirs: ({ iam: i }) =>
      i.projects.serviceAccounts.create({
        name: `projects/${project}`,
        requestBody: { accountId: "firstly", serviceAccount: { displayName: "Runs" } },
      }),
  },
  "a service account is changed": {
    type: account,
    there: true,
    ours: changed("/description", "big"),
    theirs: ({ iam: i }) =>
      i.projects.serviceAccounts.patch({
        name: `projects/${project}/serviceAccounts/firstly@${project}.iam.gserviceaccount.com`,
        requestBody: { serviceAccount: { description: "big" }, updateMask: "description" },
      }),
  },
};

test.each(Object.entries(same))("%s as Google's own client does it", async (_, { type, there, ours, theirs }) => {
  const body = there ? bodyOf(type) : undefined;
  const sides = [await opened(type, "firstly", body), await opened(type, "firstly", body)] as const;
  const [mine, vendors] = sides;
  const shown = there ? await shownIn(mine.google.url, pathOf(type, mine.ref.resourceId)) : {};
  for (const { google } of sides) google.recorded.length = 0;
  await ours(mine.cloud, mine.ref);
  await theirs(vendors.clients, shown);
  expect(vendors.google.recorded).toHaveLength(1);
  // Before a write the adapter looks, and what it sends last is the write.
  expect(mine.google.recorded.at(-1)).toEqual(vendors.google.recorded[0]);
});

async function shownIn(url: string, path: string): Promise<JsonObject> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${goodToken}` } });
  return (await answer.json()) as JsonObject;
}

test.each([
  [disk, ({ compute: c }: Clients, operation: string) => c.zoneOperations.get({ project, zone, operation })],
  [
    service,
    ({ run: r }: Clients, operation: string) =>
      r.projects.locations.operations.get({ name: `${parent}/operations/${operation}` }),
  ],
  [sql, ({ sqladmin: s }: Clients, operation: string) => s.operations.get({ project, operation })],
])("an operation of %s is followed as Google's own client follows it", async (type, theirs) => {
  const { google, clients, cloud, ref } = await opened(type, "firstly");
  google.slow({ takesMs: "until finished" });
  const resource = { ...ref, name: "firstly", target, parameters: parametersOf(type), tags: labels, intent: "i" };
  const { operation } = await cloud.create(resource, call);
  google.recorded.length = 0;
  expect(await cloud.follow?.(ref, operation ?? { address: "" }, call)).toMatchObject({ state: "working" });
  const answer = await theirs(clients, operation?.address.split("/").at(-1) ?? "");
  expect(answer.status).toBe(200);
  expect(google.recorded[0]).toEqual(google.recorded[1]);
  google.finish();
  expect(await cloud.follow?.(ref, operation ?? { address: "" }, call)).toMatchObject({ state: "done" });
});

test("an initialization asks for services and zones as Google's own clients do", async () => {
  const { google, clients, cloud } = await opened(bucket, "firstly");
  google.switchOff(project, "cloudkms");
  await cloud.runStep("services", { name: "lp-env-1", target, tags: {}, outputs: {} }, call);
  const ours = google.recorded.splice(0);
  const services = ["compute", "storage", "iam", "cloudkms", "run", "artifactregistry"];
  const names = services.map((name) => `projects/${project}/services/${name}.googleapis.com`);
  google.switchOff(project, "cloudkms");
  await clients.serviceusage.services.batchGet({ parent: `projects/${project}`, names });
  await clients.serviceusage.services.batchEnable({
    parent: `projects/${project}`,
    requestBody: { serviceIds: ["cloudkms.googleapis.com"] },
  });
  await clients.compute.zones.list({ project, maxResults: 500 });
  expect(ours).toEqual(google.recorded);
});

test("a token of Google's own library is sent, and what it throws stays inside", async () => {
  const { google } = await opened(bucket, "firstly");
  const broken = {
    getAccessToken: async (): Promise<never> => {
      throw new Error("canary: a key may stand here");
    },
  };
  const cloud = googleCloud({ urlOf: (name) => `${google.url}/${name}`, authClient: broken });
  const error = await cloud.locations(project, null, call).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "ProviderCredentialsRejected" });
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    expect(JSON.stringify(at) + at.message + at.stack).not.toContain("canary");
});

// Stands last: what both sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
