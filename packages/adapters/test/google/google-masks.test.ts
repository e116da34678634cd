import type { JsonObject } from "@liveplane/core/clouds";
import { describe, expect, onTestFinished, test } from "vitest";
import { placed } from "../../src/google/google-ids.ts";
import { changeRequests } from "../../src/google/google-requests.ts";
import { departures } from "../descriptions/departures.ts";
import { pathOf } from "./google-double.ts";
import { googleUnderTest, target } from "./google-world.ts";

const service = { type: "run.v2.service", resourceId: "projects/p/locations/europe-west1/services/web" };
const job = { type: "cloudscheduler.v1.job", resourceId: "projects/p/locations/europe-west1/jobs/tidy" };
const containers = [{ image: "shop/web" }];
const annotations = { a: "1", b: "2" };
const httpTarget = { uri: "https://shop.example", httpMethod: "GET", headers: { a: "1" } };

interface Masked {
  readonly what: string;
  readonly ref: typeof service;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly mask: string;
  readonly sent: JsonObject;
}

const changes: readonly Masked[] = [
  {
    what: "a member",
    ref: service,
    before: { template: { containers, scaling: { maxInstanceCount: 2, minInstanceCount: 1 } } },
    after: { template: { containers, scaling: { maxInstanceCount: 3, minInstanceCount: 1 } } },
    mask: "template.scaling.maxInstanceCount",
    sent: { template: { scaling: { maxInstanceCount: 3 } } },
  },
  {
    what: "two members",
    ref: service,
    before: { ingress: "INGRESS_TRAFFIC_ALL", template: { containers, timeout: "9s" } },
    after: { ingress: "INGRESS_TRAFFIC_INTERNAL_ONLY", template: { containers, timeout: "8s" } },
    mask: "ingress,template.timeout",
    sent: { ingress: "INGRESS_TRAFFIC_INTERNAL_ONLY", template: { timeout: "8s" } },
  },
  {
    what: "a new message",
    ref: service,
    before: { template: { containers } },
    after: { template: { containers, scaling: { maxInstanceCount: 3 } } },
    mask: "template.scaling",
    sent: { template: { scaling: { maxInstanceCount: 3 } } },
  },
  {
    what: "a whole list",
    ref: service,
    before: { template: { containers, timeout: "9s" } },
    after: { template: { containers: [{ image: "shop/next" }], timeout: "9s" } },
    mask: "template.containers",
    sent: { template: { containers: [{ image: "shop/next" }] } },
  },
  {
    what: "a whole map",
    ref: service,
    before: { template: { containers, annotations } },
    after: { template: { containers, annotations: { ...annotations, a: "3" } } },
    mask: "template.annotations",
    sent: { template: { annotations: { a: "3", b: "2" } } },
  },
  {
    what: "what is cleared",
    ref: service,
    before: { template: { containers, timeout: "9s" } },
    after: { template: { containers } },
    mask: "template.timeout",
    sent: { template: {} },
  },
  {
    what: "a member, with what its message requires",
    ref: job,
    before: { schedule: "0 9 * * 1", httpTarget },
    after: { schedule: "0 9 * * 1", httpTarget: { ...httpTarget, httpMethod: "POST" } },
    mask: "httpTarget.httpMethod",
    sent: { httpTarget: { uri: "https://shop.example", httpMethod: "POST" } },
  },
];

describe("a mask names what differs, and the request contains it", () => {
  test.each(changes)("$what", ({ ref, before, after, mask, sent }) => {
    const [request, ...others] = changeRequests(placed(ref), before, after);
    expect(others).toEqual([]);
    expect(new URLSearchParams(request?.path.split("?")[1]).get("updateMask")).toBe(mask);
    expect(request?.body).toEqual(sent);
  });

  test("so that a neighbour that Google never shows stays", async () => {
    const judged = departures();
    const type = "secretmanager.v1.secret";
    const { cloud, call, google } = await googleUnderTest(type, judged);
    onTestFinished(() => google.close());
    const resourceId = cloud.resourceIdFor(type, "first", target) ?? "";
    const rotation = { rotationPeriod: "7776000s", nextRotationTime: "2030-01-01T00:00:00Z" };
    const parameters = { replication: { automatic: {} }, rotation };
    await cloud.create({ type, name: "first", resourceId, target, parameters, tags: {}, intent: "i" }, call);
    const edit = { pointer: "/rotation/nextRotationTime", value: "2031-01-01T00:00:00Z" };
    await cloud.update({ type, resourceId }, { parameters: [edit], tags: {} }, {}, call);
    let kept: unknown;
    google.byHand(pathOf(type, resourceId), (body) => {
      kept = body;
      return body;
    });
    expect(kept).toMatchObject({ rotation: { rotationPeriod: "7776000s", nextRotationTime: edit.value } });
    expect(judged.list()).toEqual([]);
  });
});
