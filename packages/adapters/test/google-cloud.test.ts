import { generateKeyPairSync } from "node:crypto";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import { type CloudUnderTest, cloudConformance } from "@liveplane/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { departures, expectKnown } from "./descriptions/departures.ts";
import { fakeGoogle, serviceAccount } from "./fake-google.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = JSON.stringify({
  type: "service_account",
  project_id: "project-one",
  private_key_id: "canary-key-id",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  client_email: serviceAccount,
  token_uri: "http://attacker.invalid/token",
});
const target = { scope: "project-one", region: "europe-west1" };
const parameters = { size: "small", count: 3, nested: { list: [1, "zwei", null], "odd/~name": true } };

const judged = departures(["size", "count", "nested"]);

async function googleUnderTest(type: string) {
  const google = await fakeGoogle(privateKey, judged);
  const made = googleCloud({
    urlOf: (service) => `${google.url}/${service}`,
    tokenUrl: `${google.url}/token`,
    sleep: async () => {},
  });
  // Nothing of Compute Engine's is deleted under a condition: held to the laws of a cloud without conditional writes.
  const conditionalWrites = !type.startsWith("compute.");
  const cloud = { ...made, capabilities: { ...made.capabilities, conditionalWrites } };
  const credentials = (secret: string) =>
    ({ kind: "serviceAccountKey", name: serviceAccount, secret: new SecretValue(secret) }) as const;
  const under: CloudUnderTest = {
    cloud,
    call: { credentials: credentials(key) },
    rejected: { credentials: credentials("reject") },
    target,
    otherTarget: { ...target, scope: "project-two" },
    type,
    parameters,
    byHand: {
      setTags: async (id, labels) => google.byHand(id, (body) => ({ ...body, labels })),
      remove: async (id) => google.remove(id),
    },
    break: async (kind, fault) => void (fault === null ? google.faults.clear() : google.faults.set(kind, fault)),
    close: () => google.close(),
  };
  return { ...under, google };
}

describe.each(["storage.v1.bucket", "compute.v1.disk", "run.v2.service"])("Google on loopback, %s", (type) =>
  cloudConformance(test, () => googleUnderTest(type)),
);

async function opened(type = "storage.v1.bucket", labels: Record<string, string> = { "managed-by": "platform" }) {
  const under = await googleUnderTest(type);
  onTestFinished(() => under.google.close());
  const resourceId = under.cloud.resourceIdFor(type, "first", target) ?? "";
  const resource = { type, name: "first", resourceId, target, parameters, tags: labels, intent: "i" };
  await under.cloud.create(resource, under.call);
  under.google.seen.length = 0;
  return { ...under, resource, ref: { type, resourceId } };
}

test("patches a bucket by what changes alone, under the metageneration that was read", async () => {
  const { cloud, call, ref, google } = await opened();
  const change = {
    parameters: [
      { pointer: "/nested/list/1", value: "two" },
      { pointer: "/nested/odd~1~0name", value: null },
      { pointer: "/labels/team", value: "blue" },
    ],
    tags: {},
  };
  await cloud.update(ref, change, {}, call);
  expect(google.seen).toEqual([
    "GET /storage/storage/v1/b?project=project-one&prefix=first&maxResults=1",
    "PATCH /storage/storage/v1/b/first?ifMetagenerationMatch=1",
  ]);
  expect(await cloud.read(ref, call)).toMatchObject({
    parameters: { size: "small", nested: { list: [1, "two", null] } },
    tags: { "managed-by": "platform", team: "blue" },
    etag: "2",
  });
  await cloud.update(ref, change, {}, call);
  expect(google.seen.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
});

test.each(["storage.v1.bucket", "compute.v1.disk", "run.v2.service"])(
  "tells a race over a %s that Google refuses as a resource that has changed",
  async (type) => {
    const { ref, google } = await opened(type);
    // The other's write comes between the adapter's look and its own.
    const late = async (input: string | URL | Request, init?: RequestInit) => {
      if (init?.method === "PATCH" || init?.method === "POST")
        google.byHand(ref.resourceId, (body) => ({ ...body, labels: { by: "hand" } }));
      return fetch(input, init);
    };
    const cloud = googleCloud({
      urlOf: (service) => `${google.url}/${service}`,
      workloadToken: async () => "token-of-google",
      fetch: late as typeof fetch,
    });
    const workload = { credentials: { kind: "workload", name: null, secret: null } } as const;
    const update = cloud.update(ref, { parameters: [], tags: { a: "b" } }, {}, workload);
    await expect(update).rejects.toMatchObject({ code: "PreconditionFailed" });
    expect(await cloud.read(ref, workload)).toMatchObject({ tags: { by: "hand" } });
  },
);

test("sets the labels of Compute Engine by their own call, under their fingerprint", async () => {
  const { cloud, call, ref, google } = await opened("compute.v1.disk");
  const path = "/compute/compute/v1/projects/project-one/zones/europe-west1-a/disks/first";
  await cloud.update(ref, { parameters: [{ pointer: "/size", value: "big" }], tags: { team: "blue" } }, {}, call);
  expect(google.seen.filter((line) => !line.includes("/operations/"))).toEqual([
    `GET ${path}`,
    `PATCH ${path}?updateMask=size`,
    `POST ${path}/setLabels`,
  ]);
});

test("updates an instance of Compute Engine whole", async () => {
  const { cloud, call, ref, google } = await opened("compute.v1.instance");
  await cloud.update(ref, { parameters: [{ pointer: "/size", value: "big" }], tags: {} }, {}, call);
  expect(google.seen[1]).toMatch(/^PUT .*\/instances\/first$/);
  expect(await cloud.read(ref, call)).toMatchObject({ parameters: { ...parameters, size: "big" } });
});

test("sees, changes and deletes no bucket of another project, whose names are the whole world's", async () => {
  const { cloud, call, resource, google } = await opened();
  const theirs = { type: resource.type, resourceId: "projects/project-two/buckets/first" };
  await cloud.create({ ...resource, name: "first-2", resourceId: `${resource.resourceId}-2` }, call);
  google.seen.length = 0;
  expect(await cloud.read(theirs, call)).toEqual({ state: "missing" });
  expect(await cloud.readMany([theirs, { ...theirs, resourceId: `${theirs.resourceId}-2` }], call)).toEqual([
    { state: "missing" },
    { state: "missing" },
  ]);
  const gone = { code: "NotFound" };
  await expect(cloud.update(theirs, { parameters: [], tags: { a: "b" } }, {}, call)).rejects.toMatchObject(gone);
  await expect(cloud.removeTag(theirs, "managed-by", {}, call)).rejects.toMatchObject(gone);
  await cloud.remove(theirs, {}, call);
  const target = { ...resource.target, scope: "project-two" };
  await expect(cloud.create({ ...resource, ...theirs, target }, call)).rejects.toMatchObject({ code: "AlreadyExists" });
  expect(google.seen.filter((line) => /^(PATCH|DELETE|PUT)/.test(line))).toEqual([]);
  expect(await cloud.read({ ...theirs, resourceId: resource.resourceId }, call)).toMatchObject({
    tags: { "managed-by": "platform" },
  });
});

test("a project that isn't there says nothing of a bucket", async () => {
  const google = googleCloud({ fetch: async () => Response.json({ error: { code: 404 } }, { status: 404 }) });
  const call = { credentials: { kind: "delegated", name: null, secret: new SecretValue("token") } } as const;
  const ref = { type: "storage.v1.bucket", resourceId: "projects/project-one/buckets/first" };
  expect(await google.read(ref, call)).toEqual({ state: "unreadable", reason: "ProviderError" });
});

test("names in the mask what it changes", async () => {
  const { cloud, call, ref, google } = await opened("run.v2.service");
  await cloud.update(ref, { parameters: [{ pointer: "/nested/new", value: 1 }], tags: { a: "b" } }, {}, call);
  expect(google.seen[1]).toBe(
    "PATCH /run/v2/projects/project-one/locations/europe-west1/services/first?updateMask=nested%2Clabels",
  );
});

test("gives no labels to what can't carry any", async () => {
  const { cloud, call, ref } = await opened("compute.v1.firewall", {});
  expect(await cloud.read(ref, call)).toMatchObject({ state: "present", tags: {}, parameters });
});

test("watches an operation to its end, and no longer than it may", async () => {
  const { cloud, call, google, resource } = await opened("run.v2.service");
  google.slow(4);
  const second = { ...resource, name: "second", resourceId: resource.resourceId.replace("first", "second") };
  await cloud.create(second, call);
  expect(google.seen.filter((line) => line.includes("/operations/"))).toHaveLength(4);

  google.slow(Number.POSITIVE_INFINITY);
  let now = 0;
  const impatient = googleCloud({
    urlOf: (service) => `${google.url}/${service}`,
    tokenUrl: `${google.url}/token`,
    workloadToken: async () => "token-of-google",
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  });
  const workload = { credentials: { kind: "workload", name: null, secret: null } } as const;
  await expect(
    impatient.remove({ type: second.type, resourceId: second.resourceId }, {}, workload),
  ).rejects.toMatchObject({
    code: "ProviderTimeout",
    details: { outcome: "unknown" },
  });
});

test.each([
  ["compute.v1.disk", { errors: [{ code: "QUOTA_EXCEEDED" }] }, "ProviderError", "QUOTA_EXCEEDED"],
  ["compute.v1.disk", { errors: [{ code: "RESOURCE_ALREADY_EXISTS" }] }, "AlreadyExists", "RESOURCE_ALREADY_EXISTS"],
  ["run.v2.service", { code: 6, message: "canary" }, "AlreadyExists", "6"],
  ["run.v2.service", { code: 8, message: "canary" }, "RateLimited", "8"],
  ["run.v2.service", { code: 13, message: "canary" }, "ProviderError", "13"],
])("throws what an operation of %s ends in: %j", async (type, error, code, reason) => {
  const { cloud, call, google, resource } = await opened(type);
  google.failing(error);
  const second = { ...resource, name: "second", resourceId: resource.resourceId.replace("first", "second") };
  const thrown = await cloud.create(second, call).catch((caught: unknown) => caught);
  expect(thrown).toMatchObject({ code, details: { reason } });
  expect(JSON.stringify(thrown) + String((thrown as Error).stack)).not.toContain("canary");
});

test("doesn't know the outcome of an operation that it can't watch", async () => {
  const { cloud, call, google, ref } = await opened("compute.v1.disk");
  google.faults.set("operation", "fail");
  await expect(cloud.remove(ref, {}, call)).rejects.toMatchObject({ details: { outcome: "unknown" }, retryable: true });
});

test("reads many by pages of their collection, and what lies alone directly", async () => {
  const { cloud, call, google, resource } = await opened();
  const ids = Array.from({ length: 5 }, (_, at) => resource.resourceId.replace("first", `b${at}`));
  for (const [at, resourceId] of ids.entries()) await cloud.create({ ...resource, name: `b${at}`, resourceId }, call);
  const disk = { type: "compute.v1.disk", resourceId: cloud.resourceIdFor("compute.v1.disk", "d", target) ?? "" };
  google.seen.length = 0;
  const refs = [...ids, resource.resourceId.replace("first", "never")].map((resourceId) => ({
    type: resource.type,
    resourceId,
  }));
  const readings = await cloud.readMany([...refs, disk], call);
  expect(readings.map(({ state }) => state)).toEqual([...ids.map(() => "present"), "missing", "missing"]);
  expect(google.seen.filter((line) => line.startsWith("GET /storage/storage/v1/b?project=project-one"))).toHaveLength(
    3,
  );
  expect(google.seen).toHaveLength(4);
});

test("takes a part of Google that can't be reached for unreadable or reads it directly, never for missing", async () => {
  const { cloud, call, google, ref, resource } = await opened("run.v2.service");
  const refs = [ref, { type: ref.type, resourceId: resource.resourceId.replace("first", "second") }];
  const partial = async (input: string | URL | Request, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (!String(input).includes("pageSize")) return answer;
    return Response.json({ services: [], unreachable: ["projects/project-one/locations/europe-west1"] });
  };
  const other = googleCloud({
    urlOf: (service) => `${google.url}/${service}`,
    tokenUrl: `${google.url}/token`,
    fetch: partial as typeof fetch,
  });
  expect((await other.readMany(refs, call)).map(({ state }) => state)).toEqual(["present", "missing"]);
  google.faults.set("read", "fail");
  expect((await other.readMany(refs, call)).map(({ state }) => state)).toEqual(["unreadable", "unreadable"]);
  expect(cloud.capabilities.bulkReadSize).toBe(500);
});

test("is working while Google works on a resource", async () => {
  for (const [type, change] of [
    ["run.v2.service", { reconciling: true }],
    ["compute.v1.disk", { status: "CREATING" }],
    ["redis.v1.instance", { state: "UPDATING" }],
  ] as const) {
    const { cloud, call, ref, google } = await opened(type === "redis.v1.instance" ? "run.v2.service" : type);
    google.byHand(ref.resourceId, (body) => ({ ...body, ...change }));
    expect(await cloud.read(ref, call)).toMatchObject({
      state: "working",
      resource: { tags: { "managed-by": "platform" } },
    });
  }
});

test("refuses types that it doesn't know, and ids that lead elsewhere", async () => {
  const { cloud, call, resource, google } = await opened();
  const unknown = { type: "sqladmin.v1.instance", resourceId: "projects/project-one/instances/db" };
  expect(await cloud.read(unknown, call)).toEqual({ state: "unreadable", reason: "UnknownType" });
  await expect(cloud.create({ ...resource, ...unknown }, call)).rejects.toMatchObject({
    code: "ProviderError",
    retryable: false,
  });
  const type = "run.v2.service";
  for (const resourceId of ["projects/p/../../x", "projects/p//services/x", "projects/p/locations/./x"])
    expect(await cloud.read({ type, resourceId }, call)).toEqual({ state: "unreadable", reason: "ForeignAddress" });
  expect(google.seen).toEqual([]);
});

test("takes Google's quota for a request to slow down, though it comes as 403", async () => {
  const { cloud, call, ref, google } = await opened();
  google.faults.set("read", "quota");
  expect(await cloud.read(ref, call)).toEqual({ state: "unreadable", reason: "RateLimited", retryAfterMs: 10_000 });
});

test("turns a key into a token once, at its own address alone", async () => {
  const { cloud, call, ref, google } = await opened();
  await Promise.all(Array.from({ length: 5 }, () => cloud.read(ref, call)));
  expect(google.tokens()).toBe(1);
  expect((await cloud.read(ref, { credentials: { ...call.credentials, name: "another@x.y" } })).state).toBe(
    "unreadable",
  );
});

test("rejects what is no key, and quotes nothing of it", async () => {
  const { cloud, ref, target: to } = await opened();
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  for (const secret of [
    "",
    "canary",
    '"canary"',
    '{"client_email":"a@b.c"}',
    '{"client_email":"a@b.c","private_key":"canary"}',
    key.replace("MII", "NII"),
    JSON.stringify({ ...JSON.parse(key), private_key: other.export({ type: "pkcs8", format: "pem" }) }),
  ]) {
    const credentials = { kind: "serviceAccountKey", name: serviceAccount, secret: new SecretValue(secret) } as const;
    const error = await cloud.locations(to.scope, null, { credentials }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "ProviderCredentialsRejected" });
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      expect(JSON.stringify(at) + at.message + at.stack).not.toMatch(/canary|PRIVATE KEY/);
    expect(await cloud.read(ref, { credentials })).toMatchObject({ state: "unreadable" });
  }
});

test("lists the regions that are up, with what is known of them", async () => {
  const { cloud, call } = await opened();
  expect(await cloud.locations("project-one", null, call)).toEqual([
    {
      id: "projects/project-one/locations/europe-west1",
      name: "europe-west1",
      displayName: "Belgium",
      geography: "Europe",
    },
    {
      id: "projects/project-one/locations/us-central1",
      name: "us-central1",
      displayName: "Iowa",
      geography: "United States",
    },
    {
      id: "projects/project-one/locations/mars-north1",
      name: "mars-north1",
      displayName: "mars-north1",
      geography: null,
    },
  ]);
});

describe("an initialization", () => {
  const request = { name: "lp-env-0123456789", target, tags: { by: "liveplane" }, outputs: {} };

  test("makes each thing once, and answers the ids and what workloads need", async () => {
    const { cloud, call, google } = await opened();
    const outputs: unknown[] = [];
    for (const { name } of cloud.initializationSteps(target, request.name))
      outputs.push(await cloud.runStep(name, request, call));
    expect(outputs).toEqual([
      { id: "projects/project-one/services/compute.googleapis.com", name: "compute.googleapis.com" },
      {
        id: "projects/project-one/serviceAccounts/lp-env-0123456789",
        name: "lp-env-0123456789",
        email: "lp-env-0123456789@project-one.iam.gserviceaccount.com",
      },
      {
        id: "projects/project-one/locations/europe-west1/cloudkms/keyRings/lp-env-0123456789",
        name: "lp-env-0123456789",
      },
      { id: "projects/project-one/buckets/lp-env-0123456789", name: "lp-env-0123456789" },
    ]);
    expect(google.names().filter((name) => name.includes("lp-env"))).toHaveLength(3);
  });

  test("doesn't take somebody else's bucket for its own", async () => {
    const { cloud, call, google } = await opened();
    google.putAt("/storage/storage/v1/b/lp-env-0123456789", "project-two", {});
    await expect(cloud.runStep("state-bucket", request, call)).rejects.toMatchObject({
      code: "ProviderError",
      retryable: false,
    });
  });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs from what Google publishes in what is known, and in nothing else", () => expectKnown(judged, "google"));
