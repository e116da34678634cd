import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Binding, type CloudCall, SecretValue } from "@liveplane/core/clouds";
import type { LiveplaneError } from "@liveplane/core/errors";
import { describe, expect, onTestFinished, test } from "vitest";
import tables from "../../tables/google.json" with { type: "json" };
import { departures } from "../descriptions/departures.ts";
import { goodToken, labelled, pathOf } from "./google-double.ts";
import { changeable, googleUnderTest, target } from "./google-world.ts";

const judged = departures();
const person: CloudCall = { credentials: { kind: "delegated", name: null, secret: new SecretValue(goodToken) } };

async function opened(
  type = "storage.v1.bucket",
  labels: Record<string, string> = { "managed-by": "platform" },
  name = "first",
) {
  const under = await googleUnderTest(type, judged);
  onTestFinished(() => under.google.close());
  const { parameters } = under;
  const known = under.cloud.resourceIdFor(type, name, target);
  const given = { type, name, resourceId: known, target, parameters, tags: labels, intent: "i" };
  const { resourceId } = await under.cloud.create(given, under.call);
  const resource = { ...given, resourceId };
  under.google.seen.length = 0;
  return { ...under, resource, ref: { type, resourceId }, path: pathOf(type, resourceId) };
}

const described = { parameters: [{ pointer: "/description", value: "big" }], tags: {} };

test("patches a bucket by what changes alone, under the metageneration that was read", async () => {
  const { cloud, call, ref, google } = await opened();
  const change = {
    parameters: [
      { pointer: "/website/mainPageSuffix", value: "two" },
      { pointer: "/versioning", value: null },
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
    parameters: { location: "EU", website: { mainPageSuffix: "two" } },
    tags: { "managed-by": "platform", team: "blue" },
    etag: "2",
  });
  await cloud.update(ref, change, {}, call);
  expect(google.seen.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
});

/** All kinds of the table whose labels can be changed. */
const labelledTypes = Object.entries(tables).flatMap(([kind, { version, labels }]) =>
  labels === "call" || labels === "body" ? [kind.replace(".", `.${version}.`)] : [],
);

test("every kind whose parameters are named here carries labels", () => {
  expect(Object.keys(changeable).filter((type) => !labelledTypes.includes(type))).toEqual([]);
});

describe("a person takes the management tag off between a look and a write", () => {
  test.each(labelledTypes)("%s", async (type) => {
    const {
      cloud,
      call,
      ref,
      google,
      path,
      changing,
      target: _,
    } = await opened(
      type,
      { "managed-by": "platform", a: "b" },
      type === "cloudkms.v1.cryptoKey" ? "ring/first" : "first",
    );
    const { properties, tags } = cloud.resourceType(type).boundBy ?? {};
    // The person's write comes between the adapter's look and its own.
    const late = async (input: string | URL | Request, init?: RequestInit) => {
      const isWrite = init?.method !== "GET" && init?.method !== undefined;
      if (isWrite && !String(input).includes("/token")) google.byHand(path, (body) => labelled(type, body, { a: "b" }));
      return fetch(input, init);
    };
    const slower = googleCloud({ urlOf: (service) => `${google.url}/${service}`, fetch: late as typeof fetch });
    const change = { parameters: [{ pointer: changing, value: "changed" }], tags: {} };
    const outcome = await slower.update(ref, change, {}, person).then(
      () => "written",
      ({ code, details }: LiveplaneError) => (code === "ProviderError" ? details.reason : code),
    );
    if (outcome === "NotCorrectable") google.byHand(path, (body) => labelled(type, body, { a: "b" }));
    const left = await cloud.read(ref, call);
    expect(left).toMatchObject({ tags: { a: "b" } });
    expect(JSON.stringify(left)).not.toContain("managed-by");
    const expected: Partial<Record<Binding, string>> = {
      etag: "PreconditionFailed",
      fingerprint: "written",
      mask: "written",
      none: "NotCorrectable",
    };
    // An instance's fingerprint is of all of it.
    const isWhole = type === "compute.v1.instance";
    expect(outcome).toBe(isWhole ? "PreconditionFailed" : expected[properties ?? "none"]);
    if (tags !== "etag" && tags !== "fingerprint") return;
    google.byHand(path, (body) => labelled(type, body, { a: "b", "managed-by": "platform" }));
    await expect(slower.update(ref, { parameters: [], tags: { c: "d" } }, {}, person)).rejects.toMatchObject({
      code: "PreconditionFailed",
    });
    expect(JSON.stringify(await cloud.read(ref, call))).not.toContain("managed-by");
  });
});

test("resizes a disk and sets its labels by their own calls, the labels under their fingerprint", async () => {
  const { cloud, call, ref, google, path } = await opened("compute.v1.disk");
  const change = {
    parameters: [
      { pointer: "/sizeGb", value: "20" },
      { pointer: "/description", value: "big" },
    ],
    tags: { team: "blue" },
  };
  await cloud.update(ref, change, {}, call);
  expect(google.seen).toEqual([
    `GET ${path}`,
    `POST ${path}/resize`,
    `PATCH ${path}?updateMask=description`,
    `POST ${path}/setLabels`,
  ]);
  expect(await cloud.read(ref, call)).toMatchObject({
    parameters: { sizeGb: "20", description: "big" },
    tags: { team: "blue", "managed-by": "platform" },
  });
});

test("goes no further than the first write that takes its time: what is left is found again", async () => {
  const { cloud, call, ref, google } = await opened("compute.v1.disk");
  google.slow({ takesMs: "until finished" });
  const change = { parameters: [{ pointer: "/sizeGb", value: "20" }], tags: { team: "blue" } };
  const { operation } = await cloud.update(ref, change, {}, call);
  expect(operation?.address).toMatch(
    /^compute \/compute\/v1\/projects\/project-one\/zones\/europe-west1-b\/operations\//,
  );
  expect(google.seen).toHaveLength(2);
  google.finish();
  expect(await cloud.read(ref, call)).toMatchObject({
    parameters: { sizeGb: "20" },
    tags: { "managed-by": "platform" },
  });
});

test("updates an instance whole, under its fingerprint, without what is Google's own in it", async () => {
  const { cloud, call, ref, google } = await opened("compute.v1.instance");
  await cloud.update(ref, described, {}, call);
  expect(google.seen[1]).toMatch(/^PUT .*\/instances\/first$/);
  expect(await cloud.read(ref, call)).toMatchObject({
    parameters: { description: "big" },
    tags: { "managed-by": "platform" },
  });
});

test("says what Google has no call for", async () => {
  const { cloud, call, ref, google, path } = await opened("compute.v1.address");
  expect(cloud.resourceType(ref.type).boundBy).toEqual({ create: "etag", properties: "none", tags: "fingerprint" });
  await expect(cloud.update(ref, described, {}, call)).rejects.toMatchObject({
    code: "ProviderError",
    retryable: false,
    details: { reason: "NotCorrectable" },
  });
  await cloud.update(ref, { parameters: [], tags: { team: "blue" } }, {}, call);
  expect(google.seen.at(-1)).toBe(`POST ${path}/setLabels`);
});

test("changes what lies in a project's own collection, or in another resource", async () => {
  for (const [type, name, parameters] of [
    ["cloudkms.v1.cryptoKey", "ring/key", { purpose: "ENCRYPT_DECRYPT" }],
    ["sqladmin.v1.database", "db/orders", { charset: "UTF8" }],
    ["compute.v1.autoscaler", "scaler", { description: "small" }],
    ["iam.v1.serviceAccount", "runner", { description: "small" }],
    ["iam.v1.role", "reader", { description: "small", includedPermissions: [] }],
  ] as const) {
    const { cloud, call } = await opened();
    const resourceId = cloud.resourceIdFor(type, name, target) ?? "";
    expect(cloud.parseResourceId(type, resourceId, target)).toEqual({ id: resourceId, name });
    await cloud.create({ type, name, resourceId, target, parameters, tags: {}, intent: "i" }, call);
    const ref = { type, resourceId };
    expect(await cloud.read(ref, call), type).toMatchObject({ state: "present", parameters });
    if ("description" in parameters) {
      await cloud.update(ref, described, {}, call);
      expect(await cloud.read(ref, call), type).toMatchObject({ parameters: { description: "big" } });
    }
    await cloud.remove(ref, {}, call);
    expect(await cloud.read(ref, call), type).toEqual({ state: "missing" });
  }
});

test.each(["compute.v1.disk", "run.v2.service", "sqladmin.v1.instance"])(
  "tells in Google's words what an operation of %s ended in",
  async (type) => {
    const { cloud, call, google, resource } = await opened(type);
    const fails = { code: "QUOTA_EXCEEDED", message: "Quota 'CPUS' exceeded." };
    google.slow({ takesMs: "until finished", fails });
    const resourceId = cloud.resourceIdFor(type, "second", target) ?? "";
    const { operation } = await cloud.create({ ...resource, name: "second", resourceId }, call);
    const ref = { type, resourceId };
    const address = operation?.address ?? "";
    expect(await cloud.follow?.(ref, { address }, call)).toMatchObject({ state: "working", pollAfterMs: 2000 });
    google.finish();
    expect(await cloud.follow?.(ref, { address }, call)).toMatchObject({ state: "failed", ...fails });
    const elsewhere = { type, resourceId: resourceId.replace("project-one", "project-two") };
    expect(await cloud.follow?.(elsewhere, { address }, call)).toEqual({
      state: "unreadable",
      reason: "ForeignAddress",
    });
  },
);

test("what a service couldn't do is asked for once more as it is, where it has a call for that", async () => {
  const fails = { code: "QUOTA_EXCEEDED", message: "Quota 'CPUS' exceeded." };
  const nothing = { parameters: [], tags: {} };
  const service = await opened("run.v2.service");
  service.google.slow({ takesMs: "until finished", fails, marks: true });
  await service.cloud.update(service.ref, described, {}, service.call);
  service.google.finish();
  service.google.slow(null);
  const failed = await service.cloud.read(service.ref, service.call);
  expect(failed).toMatchObject({ state: "failed", message: fails.message });
  expect(failed).not.toHaveProperty("isFinal");
  await service.cloud.update(service.ref, nothing, {}, service.call);
  expect(service.google.seen.at(-1)).toMatch(/^PATCH .*updateMask=template$/);
  expect(await service.cloud.read(service.ref, service.call)).toMatchObject({ state: "present" });

  const { cloud, call, google, resource } = await opened("sqladmin.v1.instance");
  google.slow({ takesMs: "until finished", fails, marks: true });
  const ref = { type: resource.type, resourceId: cloud.resourceIdFor(resource.type, "second", target) ?? "" };
  await cloud.create({ ...resource, name: "second", resourceId: ref.resourceId }, call);
  google.finish();
  expect(await cloud.read(ref, call)).toMatchObject({ state: "failed", isFinal: true });
  google.seen.length = 0;
  expect(await cloud.update(ref, nothing, {}, call)).toEqual({});
  expect(google.seen.filter((line) => !line.startsWith("GET"))).toEqual([]);
});

test("reads many by pages of their collection, and what lies alone directly", async () => {
  const { cloud, call, google, resource } = await opened();
  google.pages(2);
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

test("lists a collection once for a sweep, anew for the next one, and for whoever else asks", async () => {
  const { cloud, call, google, ref, resource } = await opened();
  const others = ["b1", "b2", "b3"].map((name) => ({ ...ref, resourceId: ref.resourceId.replace("first", name) }));
  for (const { resourceId } of others)
    await cloud.create({ ...resource, name: resourceId.slice(-2), resourceId }, call);
  google.seen.length = 0;
  const [first, second, third] = others;
  if (first === undefined || second === undefined || third === undefined) throw new RangeError();
  await cloud.readMany([ref, first], call);
  await cloud.readMany([second, third], call);
  expect(google.seen).toHaveLength(1);
  await cloud.readMany([ref, first], call);
  expect(google.seen).toHaveLength(2);
  await cloud.readMany([second, third], person);
  expect(google.seen).toHaveLength(3);
  // What was written is looked at anew.
  await cloud.removeTag(second, "managed-by", {}, call);
  google.seen.length = 0;
  const [reading] = await cloud.readMany([second, third], call);
  expect(reading).toMatchObject({ tags: {} });
  expect(google.seen).toHaveLength(1);
});

test("takes a part of Google that can't be reached for unreadable or reads it directly, never for missing", async () => {
  const { call, google, ref, resource } = await opened("run.v2.service");
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
  const again = await other.readMany([...refs].reverse(), call);
  expect(again.map(({ state }) => state)).toEqual(["unreadable", "unreadable"]);
});

test("refuses types that it doesn't know by name, with what is near, and ids that lead elsewhere", async () => {
  const { cloud, call, resource, google } = await opened();
  for (const [type, near] of [
    ["compute.v1.disks", "compute.v1.disk"],
    ["run.v1.service", "run.v2.service"],
    ["storage.bucket", "storage.v1.bucket"],
    ["compute.v1.globalVmExtensionPolicy", ""],
    ["sqladmin.v1.users", "sqladmin.v1.user"],
    ["", ""],
  ] as const) {
    expect(cloud.parseResourceId(type, "", target), type).toMatchObject({
      refused: "type",
      detail: expect.stringContaining(near),
    });
    const unknown = { type, resourceId: "projects/project-one/instances/db" };
    expect(await cloud.read(unknown, call)).toEqual({ state: "unreadable", reason: "UnknownType" });
    await expect(cloud.create({ ...resource, ...unknown }, call)).rejects.toMatchObject({ retryable: false });
  }
  const type = "run.v2.service";
  for (const resourceId of ["projects/p/../../x", "projects/p//services/x", "projects/p/locations/./x"])
    expect(await cloud.read({ type, resourceId }, call)).toEqual({ state: "unreadable", reason: "ForeignAddress" });
  expect(google.seen).toEqual([]);
});

test("guesses no zone: without one a zonal type is refused, and an id that names one is taken", async () => {
  const { cloud } = await opened();
  const { zone: _, ...noZone } = target;
  expect(cloud.resourceIdFor("compute.v1.disk", "d", noZone)).toBeNull();
  expect(cloud.parseResourceId("compute.v1.disk", "", noZone)).toMatchObject({ refused: "type" });
  const id = "projects/project-one/zones/europe-west1-c/disks/d";
  expect(cloud.parseResourceId("compute.v1.disk", id, noZone)).toEqual({ id, name: "d" });
});

describe("what Google refuses is told as what it is", () => {
  test("a quota of calls, though it comes as 403, is a request to slow down", async () => {
    const { cloud, call, ref, google } = await opened();
    google.faults.set("read", "quota");
    expect(await cloud.read(ref, call)).toEqual({ state: "unreadable", reason: "RateLimited", retryAfterMs: 10_000 });
  });

  test.each(["compute.v1.disk", "pubsub.v1.topic", "run.v2.service"])(
    "a project that can't be seen has no missing %s",
    async (type) => {
      const { cloud, call } = await opened(type);
      const elsewhere = { ...target, scope: "project-nine" };
      const resourceId = cloud.resourceIdFor(type, "first", elsewhere) ?? "";
      expect(await cloud.read({ type, resourceId }, call)).toMatchObject({ state: "unreadable" });
      expect((await cloud.readMany([{ type, resourceId }], call))[0]).toMatchObject({ state: "unreadable" });
      await expect(cloud.remove({ type, resourceId }, {}, call)).rejects.toMatchObject({ code: expect.any(String) });
    },
  );

  test("a bucket that isn't empty", async () => {
    const { cloud, call, ref, google, path } = await opened();
    google.fill(path);
    await expect(cloud.remove(ref, {}, call)).rejects.toMatchObject({
      code: "ProviderError",
      retryable: false,
      details: { reason: "NotEmpty", providerMessage: "It is not empty." },
    });
  });

  test.each([
    [
      412,
      { reason: "conditionNotMet", message: "Constraint constraints/gcp.resourceLocations violated." },
      "PolicyRefused",
    ],
    [403, { reason: "quotaExceeded", message: "Quota 'DISKS' exceeded." }, "QuotaExceeded"],
    [403, { reason: "accountDisabled", message: "The billing account is disabled." }, "BillingDisabled"],
    [
      400,
      { reason: "badRequest", message: "Service account run@p.iam.gserviceaccount.com does not exist." },
      "NotYetKnown",
    ],
    [
      403,
      {
        reason: "forbidden",
        message: "Permission 'iam.serviceaccounts.actAs' denied on service account a (or it may not exist).",
      },
      "NotYetKnown",
    ],
    [404, { reason: "notFound", message: "The resource 'a@p' of type 'serviceAccount' was not found." }, "NotYetKnown"],
  ])("%i %j", async (status, { reason, message }, told) => {
    const { google, ref } = await opened("compute.v1.disk");
    const refusing = async (input: string | URL | Request, init?: RequestInit) =>
      init?.method === "GET"
        ? fetch(input, init)
        : Response.json({ error: { code: status, message, errors: [{ reason, message }] } }, { status });
    const cloud = googleCloud({ urlOf: (service) => `${google.url}/${service}`, fetch: refusing as typeof fetch });
    const refused = cloud.update(ref, { parameters: [], tags: { a: "b" } }, {}, person);
    await expect(refused).rejects.toMatchObject({
      code: "ProviderError",
      // A service account that was just made is known everywhere a minute later.
      retryable: told === "NotYetKnown",
      details: { reason: told, providerCode: reason, providerMessage: message },
    });
  });

  test("a service that is switched off is switched on by a deploy, which is tried again", async () => {
    const { cloud, call, google, resource } = await opened("redis.v1.instance");
    google.switchOff("project-one", "redis");
    const resourceId = cloud.resourceIdFor(resource.type, "second", target) ?? "";
    const second = { ...resource, name: "second", resourceId };
    expect(await cloud.read({ type: resource.type, resourceId }, call)).toMatchObject({ state: "unreadable" });
    await expect(cloud.create(second, call)).rejects.toMatchObject({
      retryable: true,
      details: { reason: "ServiceEnabling", retryAfterSeconds: 20 },
    });
    expect(google.seen.at(-1)).toContain("/services/redis.googleapis.com:enable");
    await cloud.create(second, call);
  });
});

test("gets another token when the one that it remembers is rejected, once", async () => {
  const { cloud, call, ref, google } = await opened();
  expect(google.tokens()).toBe(1);
  google.revoke();
  expect(await cloud.read(ref, call)).toMatchObject({ state: "present" });
  expect(google.tokens()).toBe(2);
  google.revoke();
  expect(await cloud.read(ref, person)).toEqual({ state: "unreadable", reason: "ProviderCredentialsRejected" });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
