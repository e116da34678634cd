import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Cloud, type CloudCall, type CloudTarget, SecretValue } from "@liveplane/core/clouds";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { components } from "../../../core/src/override/records/component-record.ts";
import { codePoint } from "../../../core/test/builders/code-points.ts";
import { overrideWorld } from "../../../core/test/builders/override.ts";
import { sites } from "../../../core/test/builders/sites.ts";
import { ownUrl } from "../../src/cloud-http/cloud-http.ts";

interface Arrival {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
}

type Answer = { readonly status: number; readonly body?: object; readonly location?: string };

/** How Azure names the tenant of a subscription to whoever asks without a token. */
const challenge = 'Bearer authorization_uri="https://login.windows.net/72f988bf-0000-4000-8000-2d7cd011db47"';

/** One host on loopback that every name in the world leads to, so that whatever is sent anywhere arrives here. */
async function everyHost(answer: (arrival: Arrival) => Answer = () => ({ status: 404, body: {} })) {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const { origin = "", authorization } = request.headers as Record<string, string | undefined>;
    const arrival = { origin, method: request.method ?? "", path: request.url ?? "", token: authorization };
    arrivals.push(arrival);
    const { status, body, location } = answer(arrival);
    const headers = { "content-type": "application/json", "www-authenticate": challenge };
    response.writeHead(status, { ...headers, ...(location && { location }) });
    response.end(body === undefined ? undefined : JSON.stringify(body));
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const fetcher: typeof fetch = (input, init) => {
    const { origin, pathname, search } = new URL(String(input));
    const headers = { ...(init?.headers as Record<string, string>), origin };
    return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { ...init, headers });
  };
  return { fetch: fetcher, arrivals, port };
}

const token = "canary-token";
const call: CloudCall = { credentials: { kind: "delegated", name: null, secret: new SecretValue(token) } };
const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/group";
const azure = {
  cloud: (options: { readonly fetch: typeof fetch }) => azureCloud(options),
  own: /^https:\/\/management\.azure\.com$/,
  target: { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "group" },
  type: "Microsoft.Web/sites@2024-04-01",
  id: `${group}/providers/Microsoft.Web/sites/shop`,
};
const google = {
  cloud: (options: { readonly fetch: typeof fetch }) => googleCloud(options),
  own: /^https:\/\/[a-z]+\.googleapis\.com$/,
  target: { scope: "project-one", region: "europe-west1", zone: "europe-west1-b" },
  type: "run.v2.service",
  id: "projects/project-one/locations/europe-west1/run/services/shop",
};
const flavours = [
  { name: "Azure", ...azure },
  { name: "Google", ...google },
];

const hostile = (id: string) => [
  ".evil.example/steal",
  "@evil.example/steal",
  ":token@evil.example/steal",
  ":8443/steal",
  "1/steal",
  "//evil.example/steal",
  "/\\evil.example/steal",
  "https://evil.example/steal",
  "..",
  "?",
  "#",
  "",
  `${id}/../../other`,
  `${id}/./x`,
  `${id}?api-version=x`,
  `${id}#x`,
  `${id}\\..\\other`,
  `${id}%2f..`,
  `${id}/`,
  `${id} `,
  `${id}\n`,
  id.replace(/\/([^/]*)$/, "//$1"),
  id.replace(/^\/?/, "//"),
];

async function everything(cloud: Cloud, type: string, resourceId: string, target: CloudTarget) {
  const ref = { type, resourceId };
  const change = { parameters: [{ pointer: "/size", value: 2 }], tags: {} };
  const resource = { type, name: "shop", resourceId, target, parameters: {}, tags: {}, intent: "i" };
  return Promise.allSettled([
    cloud.read(ref, call),
    cloud.readMany([ref], call),
    cloud.create(resource, call),
    cloud.update(ref, change, {}, call),
    cloud.remove(ref, { etag: "1" }, call),
    cloud.removeTag(ref, "managed-by", {}, call),
  ]);
}

describe.each(flavours)("$name", ({ cloud: made, own, target, type, id }) => {
  test("refuses hostile ids, and sends nothing for one of them", async () => {
    const host = await everyHost();
    const cloud = made(host);
    for (const resourceId of hostile(id)) {
      expect(cloud.parseResourceId(type, resourceId, target), resourceId).toMatchObject({ refused: "resourceId" });
      expect(await cloud.read({ type, resourceId }, call), resourceId).toEqual({
        state: "unreadable",
        reason: "ForeignAddress",
      });
      await everything(cloud, type, resourceId, target);
    }
    expect(host.arrivals).toEqual([]);
  });

  test("sends its token to its own address alone, whatever text an id is", async () => {
    const host = await everyHost();
    const cloud = made(host);
    const text = fc.oneof(fc.string({ unit: codePoint, maxLength: 30 }), fc.webUrl(), fc.webPath());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("", id, `${id}/`, "/"), text, async (start, rest) => {
        const before = host.arrivals.length;
        const parsed = cloud.parseResourceId(type, start + rest, target);
        await cloud.read({ type, resourceId: start + rest }, call);
        const sent = host.arrivals.slice(before);
        for (const { origin } of sent) expect(origin).toMatch(own);
        if ("refused" in parsed) return;
        host.arrivals.length = 0;
        await cloud.read({ type, resourceId: parsed.id }, call);
        const [path = ""] = host.arrivals[0]?.path.split("?") ?? [];
        // What an empty answer says of a collection is asked once more.
        expect(host.arrivals.length).toBeLessThanOrEqual(type === google.type ? 2 : 1);
        const pathOfId = type === google.type ? `/v2/${parsed.id.replace("/run/", "/")}` : parsed.id;
        expect(decodeURIComponent(path)).toBe(pathOfId);
      }),
      { numRuns: 200, seed: 13 },
    );
  });

  test("follows no redirect, with a token or without", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const host = await everyHost(() => ({ status, location: "https://evil.example/steal" }));
      const cloud = made(host);
      expect(await cloud.read({ type, resourceId: id }, call)).toMatchObject({ state: "unreadable" });
      await everything(cloud, type, id, target);
      expect(host.arrivals.filter(({ origin }) => !own.test(origin))).toEqual([]);
      expect(host.arrivals.filter(({ path }) => path.includes("steal"))).toEqual([]);
    }
  });
});

test("the agent sends no token for a hostile id in its store", async () => {
  const host = await everyHost();
  const cloud = azureCloud({
    fetch: host.fetch,
    credential: { getToken: async () => ({ token, expiresOnTimestamp: 0 }) },
  });
  const world = overrideWorld({ clouds: ([, b]) => (b === undefined ? [cloud] : [cloud, b]), follows: false });
  const { livesystemId } = await world.create(sites({ path: "a" }));
  const hold = (id: string) =>
    world.records.change({ actor: "test", requestId: "test" }, async (change) => {
      const record = await change.get(components, [livesystemId, "a"]);
      if (record === null) throw new RangeError("There is no such component.");
      change.put(components, { ...record, provisioned: true, resource: { ...record.resource, id } });
      return record.resource.id ?? "";
    });
  const own = await hold("");
  await hold(own);
  await world.check(`${livesystemId}/a`);
  expect(host.arrivals.filter((one) => one.token !== undefined && one.path.startsWith(own))).not.toEqual([]);
  host.arrivals.length = 0;
  for (const id of hostile(own)) {
    await hold(id);
    const { component } = await world.check(`${livesystemId}/a`);
    expect(component.conditions.readable.value, id).toBe(false);
    await world.cycle();
  }
  expect(host.arrivals.filter((one) => one.token !== undefined || !azure.own.test(one.origin))).toEqual([]);
});

test("Google's operations are watched at Google's own address, whatever they are called", async () => {
  for (const name of [
    "../../../../steal",
    "https://evil.example/operations/steal",
    "operations/../steal",
    "operations/a?b",
  ]) {
    const host = await everyHost(({ method }) => ({
      status: 200,
      body:
        method === "GET"
          ? { done: true, status: "DONE" }
          : { kind: "compute#operation", name, selfLink: "https://evil.example/steal" },
    }));
    for (const type of ["compute.v1.disk", "run.v2.service"]) {
      const cloud = google.cloud(host);
      const resourceId = cloud.resourceIdFor(type, "d", google.target) ?? "";
      await everything(cloud, type, resourceId, google.target);
    }
    expect(host.arrivals.length).toBeGreaterThan(0);
    expect(host.arrivals.filter(({ origin }) => !google.own.test(origin))).toEqual([]);
    expect(host.arrivals.filter(({ path }) => /\/steal|\/b$/.test(path.split("?")[0] ?? ""))).toEqual([]);
  }
});

test("a next page or an operation is asked for at the cloud's own origin alone", () => {
  const base = "https://management.azure.com";
  expect(ownUrl(base, `${base}/next?$skiptoken=a%2Fb`).href).toBe(`${base}/next?$skiptoken=a%2Fb`);
  expect(ownUrl(`${base}/`, "/a?b=c").href).toBe(`${base}/a?b=c`);
  expect(ownUrl("http://127.0.0.1:8080/compute", "/v1/x").href).toBe("http://127.0.0.1:8080/compute/v1/x");
  for (const at of [
    ...["https://evil.example/next", "http://management.azure.com/next", "https://management.azure.com:8443/next"],
    ...["https://management.azure.com.evil.example/next", "https://management.azure.com@evil.example/next"],
    ...["https://me:secret@management.azure.com/next", "javascript:alert(1)", "", "next"],
    ...["https://management.azure.com/next#x", "/a/../b", "/a b", "/a\\b", "/a#b"],
  ])
    expect(() => ownUrl(base, at), at).toThrow(expect.objectContaining({ code: "ProviderError" }));
  // Behind an address, what begins with two slashes is a path like any other.
  expect(ownUrl(base, "//evil.example/next").origin).toBe(base);
});
