import { readFileSync } from "node:fs";
import { join } from "node:path";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Cloud, SecretValue } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import type { AzureKind } from "../../tables/azure-tables.ts";
import type { Vendor } from "./descriptions.ts";
import { judgeRequest } from "./judge.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../tables", name), "utf8"));
const call = { credentials: { kind: "delegated", name: null, secret: new SecretValue("token") } } as const;
const tags = { "managed-by": "platform" };

/** Which members a creation needs is its declaration's matter; which ones change here is this test's. */
const isImagined = /^\/\S+ is missing$|\bdescription\b/;

/** Does with a resource of this type all that the agent does, against a cloud that agrees to everything; gives what was wrong in it. */
async function departuresOf(
  vendor: Vendor,
  type: string,
  shown: object,
  { name = "first", collection = "" } = {},
): Promise<string[]> {
  const wrong = new Set<string>();
  let isThere = false;
  const fetcher = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input));
    const service = vendor === "google" ? `/${url.hostname.split(".")[0]}` : "";
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : null;
    const headers = Object.fromEntries(new Headers(init.headers));
    const request = {
      vendor,
      method: init.method ?? "GET",
      url: `${service}${url.pathname}${url.search}`,
      headers,
      body,
    };
    for (const { where, detail } of judgeRequest(request).problems) {
      const told = `${where === "path" ? pathOf(request.url) : where} ${detail}`;
      if (!isImagined.test(told)) wrong.add(`${type} ${request.method}: ${told}`);
    }
    return answered(vendor, url, request.method, { shown, isThere });
  };
  const sends = { fetch: fetcher as typeof fetch };
  const cloud: Cloud = vendor === "azure" ? azureCloud(sends) : googleCloud(sends);
  const region = vendor === "azure" ? "westeurope" : "europe-west1";
  const target = {
    scope: vendor === "azure" ? "3f2504e0-4f89-41d3-9a0c-0305e82c3301" : "project-one",
    region,
    container: "shop",
    zone: "europe-west1-b",
  };
  const known = cloud.resourceIdFor(type, name, target);
  const ref = { type, resourceId: known ?? `projects/project-one/${collection}/first` };
  // Of what carries no tags the agent writes none.
  const { taggable } = cloud.resourceType(type);
  const carried = taggable ? tags : {};
  const parameters = type === "compute.v1.nodeGroup" ? { initialNodeCount: 1 } : {};
  const resource = { type, resourceId: known, name, target, parameters, tags: { ...carried }, intent: "i" };
  const attempts = [
    () => cloud.create(resource, call),
    () => cloud.read(ref, call),
    () => cloud.update(ref, { parameters: [{ pointer: "/description", value: "x" }], tags: {} }, {}, call),
    ...(taggable ? [() => cloud.update(ref, { parameters: [], tags: { team: "blue" } }, {}, call)] : []),
    ...(taggable ? [() => cloud.removeTag(ref, "managed-by", {}, call)] : []),
    () => cloud.remove(ref, {}, call),
  ];
  for (const attempt of attempts) {
    // What a cloud would say of it is told by its judge.
    await Promise.resolve()
      .then<unknown>(attempt)
      .catch(() => null);
    isThere = true;
  }
  return [...wrong];
}

function isNested([path = ""]: readonly string[]): boolean {
  return /\/\w+\/\{\}\/\w+\/\{\}$/.test(
    path.replace(/^.*\/projects\/\{\}(\/(zones|regions|locations)\/\{\}|\/global)?/, ""),
  );
}

function pathOf(url: string): string {
  return new URL(url, "http://cloud.invalid").pathname.replace(/^.*\/resourceGroups\/shop/, "");
}

function answered(vendor: Vendor, url: URL, method: string, { shown, isThere }: { shown: object; isThere: boolean }) {
  if (vendor === "azure" && method === "GET" && !isThere)
    return Response.json({ error: { code: "ResourceNotFound", message: "It is not there." } }, { status: 404 });
  if (/[/:][gs]etIamPolicy$|\/iam$/.test(url.pathname)) return Response.json({ etag: "1" });
  if (vendor === "google" && method !== "GET")
    return Response.json({ kind: "compute#operation", name: "operations/op-1", done: true, status: "DONE" });
  return Response.json(url.pathname === "/storage/v1/b" ? { items: [shown] } : shown);
}

test("departs from what Microsoft publishes of each type in nothing", async () => {
  const kinds = Object.entries(read("azure.json") as Readonly<Record<string, AzureKind>>);
  const found = kinds.map(([type, { version, tags: carries, etag }]) =>
    departuresOf("azure", `${type}@${version}`, {
      properties: {},
      ...(carries && { tags }),
      ...(etag === "member" && { etag: '"1"' }),
    }),
  );
  expect((await Promise.all(found)).flat().sort()).toEqual([]);
});

test("departs in nothing from what Google publishes of each kind", async () => {
  const kinds = Object.entries(read("google.json") as Readonly<Record<string, GoogleKind>>);
  const found = kinds.map(([kind, { version, labels, etag, labelFingerprint, paths, collection }]) =>
    departuresOf(
      "google",
      kind.replace(".", `.${version}.`),
      {
        name: "first",
        ...(labels !== "none" && { labels: tags }),
        ...(etag !== "none" && { [etag]: "1" }),
        ...(labelFingerprint && { labelFingerprint: "1" }),
      },
      // What lies in another resource is called by both.
      { name: isNested(paths) ? "parent/first" : "first", collection },
    ),
  );
  expect((await Promise.all(found)).flat().sort()).toEqual([]);
});
