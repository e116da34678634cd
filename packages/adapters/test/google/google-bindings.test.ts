import { googleCloud } from "@liveplane/adapters/google-cloud";
import { expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { goodToken, googleDouble, pathOf } from "./google-double.ts";
import { target } from "./google-world.ts";

const judged = departures();
const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
const topic = "projects/project-one/topics/orders";
const publisher = "roles:pubsub.publisher";
const viewer = "roles:pubsub.viewer@until-may";
const condition = { title: "until-may", expression: "request.time < timestamp('2027-05-01T00:00:00Z')" };

/** A topic that somebody else's bindings are on already. */
function opened(type = "pubsub.v1.topicIamBinding", holder = topic, project = "project-one") {
  const google = googleDouble({ judged });
  const cloud = googleCloud({
    fetch: fetchFrom(google.answer),
    urlOf: (service) => `https://google.invalid/${service}`,
    authClient: { getAccessToken: async () => ({ token: goodToken }) },
  });
  const idOf = (name: string) => `${holder}/iamBindings/${name}`;
  const body = (name: string) => google.resourceAt(pathOf(type, idOf(name)))?.body ?? null;
  google.putAt(pathOf(type, holder), project, {});
  google.putAt(pathOf(type, idOf(viewer)), project, { members: ["user:ada@example.com"], condition });
  const binding = (name: string, members: readonly string[]) =>
    ({
      type,
      name,
      resourceId: idOf(name),
      target,
      parameters: { members: [...members] },
      tags: {},
      intent: "i",
    }) as const;
  const ref = (name: string) => ({ type, resourceId: idOf(name) });
  const members = (value: readonly string[]) => ({
    parameters: [{ pointer: "/members", value: [...value] }],
    tags: {},
  });
  return { google, cloud, binding, body, ref, idOf, members };
}

test("a binding is made, changed and removed, and all others stay as they are", async () => {
  const { google, cloud, binding, body, ref, members } = opened();
  await cloud.create(binding(publisher, ["group:shop@example.com"]), call);
  expect(await cloud.read(ref(publisher), call)).toMatchObject({
    state: "present",
    parameters: { role: "roles/pubsub.publisher", members: ["group:shop@example.com"] },
  });
  await cloud.update(ref(publisher), members(["user:bo@example.com"]), {}, call);
  expect(body(publisher)).toEqual({ members: ["user:bo@example.com"] });
  const written = google.recorded.filter(({ path }) => path.endsWith(":setIamPolicy")).map((one) => one.body);
  expect(written.at(-1)).toMatchObject({
    policy: { version: 3, etag: expect.any(String), bindings: [{ condition }, {}] },
  });
  await cloud.remove(ref(publisher), {}, call);
  expect(await cloud.read(ref(publisher), call)).toEqual({ state: "missing" });
  expect(body(viewer)).toEqual({ members: ["user:ada@example.com"], condition });
});

test("a condition tells bindings of one role apart, and is read with the version that shows it", async () => {
  const { cloud, binding, ref } = opened();
  expect(await cloud.read(ref(viewer), call)).toMatchObject({ parameters: { condition } });
  expect(await cloud.read(ref("roles:pubsub.viewer"), call)).toEqual({ state: "missing" });
  await cloud.create(binding("roles:pubsub.viewer", ["user:bo@example.com"]), call);
  expect(await cloud.read(ref(viewer), call)).toMatchObject({ parameters: { members: ["user:ada@example.com"] } });
});

test("what somebody changes in the policy between a look and a write is not undone", async () => {
  const { google, cloud, body, ref, members, idOf } = opened();
  const seen = await cloud.read(ref(viewer), call);
  const { etag = "" } = seen.state === "present" ? seen : {};
  const path = pathOf("pubsub.v1.topicIamBinding", idOf(publisher));
  google.putAt(path, "project-one", { members: ["user:eve@example.com"] });
  const late = cloud.update(ref(viewer), members(["user:bo@example.com"]), { etag }, call);
  await expect(late).rejects.toMatchObject({ code: "PreconditionFailed" });
  const fetcher = async (input: string | URL | Request, init?: RequestInit) => {
    if (String(input).endsWith(":setIamPolicy"))
      google.putAt(path, "project-one", { members: ["user:eve@example.com", "user:mal@example.com"] });
    return fetchFrom(google.answer)(input, init);
  };
  const slower = googleCloud({
    fetch: fetcher as typeof fetch,
    urlOf: (service) => `https://google.invalid/${service}`,
    authClient: { getAccessToken: async () => ({ token: goodToken }) },
  });
  const later = slower.update(ref(viewer), members(["user:bo@example.com"]), {}, call);
  await expect(later).rejects.toMatchObject({ code: "PreconditionFailed" });
  expect(body(publisher)).toEqual({ members: ["user:eve@example.com", "user:mal@example.com"] });
  expect(body(viewer)).toMatchObject({ members: ["user:ada@example.com"] });
});

test("a binding that exists isn't made again, and one of a missing resource isn't taken for missing", async () => {
  const { google, cloud, binding, ref } = opened();
  const again = cloud.create(binding(viewer, ["user:bo@example.com"]), call);
  await expect(again).rejects.toMatchObject({ code: "AlreadyExists" });
  google.remove(pathOf("pubsub.v1.topic", topic));
  expect(await cloud.read(ref(viewer), call)).toMatchObject({ state: "unreadable" });
});

test("bindings of one policy are read by one call", async () => {
  const { google, cloud, binding, ref } = opened();
  await cloud.create(binding(publisher, ["group:shop@example.com"]), call);
  google.seen.length = 0;
  const found = await cloud.readMany([ref(viewer), ref(publisher), ref("roles:pubsub.editor")], call);
  expect(found.map(({ state }) => state)).toEqual(["present", "present", "missing"]);
  expect(google.seen).toHaveLength(1);
});

test("bindings of another project's bucket are not reached by a path with the own project", async () => {
  const holder = "projects/project-one/buckets/foreign";
  const { google, cloud, ref, members, body } = opened("storage.v1.bucketIamBinding", holder, "project-two");
  expect(await cloud.read(ref(viewer), call)).toEqual({ state: "missing" });
  const written = cloud.update(ref(viewer), members([]), {}, call);
  await expect(written).rejects.toMatchObject({ code: "NotFound" });
  expect(body(viewer)).toMatchObject({ members: ["user:ada@example.com"] });
  expect(google.seen.filter((line) => line.includes("/iam"))).toEqual([]);
});

test("a binding without its role as its name is refused with an example", () => {
  const { cloud } = opened();
  const own = { ...target, region: "europe-west1" };
  const id = (name: string) => cloud.parseResourceId("pubsub.v1.topicIamBinding", `${topic}/iamBindings/${name}`, own);
  expect(id("app-1")).toMatchObject({
    refused: "type",
    detail: expect.stringContaining("shop/roles:storage.objectViewer"),
  });
  expect(id("projects:shop:roles:own")).toMatchObject({ name: "orders/projects:shop:roles:own" });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
