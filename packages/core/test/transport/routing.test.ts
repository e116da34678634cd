import fc from "fast-check";
import { expect, test } from "vitest";
import { literalsBeside } from "../../src/contract/path-literals.ts";
import { type OperationId, parseRoute, routes } from "../../src/contract/routes.ts";
import { createRouting } from "../../src/transport/http/routing.ts";

const route = createRouting();
const id = "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70";
const environment = `/environments/Personal/${id}/web`;
const ids = Object.keys(routes) as OperationId[];
const values: Readonly<Record<string, string>> = {
  type: "Personal",
  shortName: "web",
  componentId: `${id}/network/vnet`,
};

function pathOf(operation: OperationId): string {
  return parseRoute(operation).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? id),
  );
}

test.each(ids)("%s is found by each of its methods", (operation) => {
  for (const method of parseRoute(operation).methods) {
    expect(route(method, pathOf(operation))).toMatchObject({ kind: "operation", id: operation });
  }
});

test("a component's slashes may be encoded or not, before an action too", () => {
  const componentId = `${id}/network/vnet`;
  for (const written of [componentId, encodeURIComponent(componentId), `${id}%2fnetwork/vnet`]) {
    const of = `/livesystems/${id}/components/${written}`;
    expect(route("GET", of)).toEqual({
      kind: "operation",
      id: "liveSystems.components.get",
      params: { id, componentId },
    });
    expect(route("POST", `${of}/check`)).toMatchObject({
      id: "liveSystems.components.check",
      params: { id, componentId },
    });
  }
});

test("a literal segment is never the value of a parameter", () => {
  expect(route("POST", `${environment}/secrets/bulk`)).toMatchObject({ id: "environments.secrets.upsertMany" });
  for (const content of ["secrets", "ci-cd-profiles"])
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
      expect(route(method, `${environment}/${content}/bulk`)).toEqual({ kind: "method", allow: ["POST"] });
  expect(route("DELETE", "/accounts/me/identities/authorization")).toEqual({ kind: "method", allow: ["POST"] });
  expect(route("POST", `${environment}/secrets/bulk/reveal`)).toEqual({ kind: "unknown" });
  expect(route("GET", "/accounts/me")).toMatchObject({ id: "accounts.me" });
  expect([...literalsBeside("secretShortName")]).toEqual(["bulk"]);
  expect([...literalsBeside("identityId")]).toEqual(["authorization"]);
});

test.each(ids)("the path of %s answers every other method with the methods that it has", (operation) => {
  const { path } = parseRoute(operation);
  const has = new Set(ids.filter((id) => parseRoute(id).path === path).flatMap((id) => parseRoute(id).methods));
  if (has.has("GET")) has.add("HEAD");
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
    const routed = route(method, pathOf(operation));
    if (has.has(method)) expect(routed.kind).toBe("operation");
    else
      expect({ method, ...routed, allow: "allow" in routed && [...routed.allow].sort() }).toEqual({
        ...{ method, kind: "method", allow: [...has].sort() },
      });
  }
});

test("parameters that are uuids match nothing else, and the first that is none is named", () => {
  expect(route("GET", "/organizations/a")).toEqual({ kind: "unknown", idless: "organizationId" });
  expect(route("GET", "/environments/Organizational/Acme/dev")).toEqual({ kind: "unknown", idless: "ownerId" });
  expect(route("GET", "/organizations/a/nothing")).toEqual({ kind: "unknown" });
  expect(route("GET", `/organizations/${id.toUpperCase()}`)).toMatchObject({ id: "organizations.get" });
});

test("HEAD goes where GET goes, and nowhere else", () => {
  expect(route("HEAD", "/accounts/me")).toMatchObject({ id: "accounts.me" });
  expect(route("HEAD", "/auth/token")).toEqual({ kind: "method", allow: ["POST"] });
});

test("empty segments, broken escapes and names of objects lead nowhere", () => {
  for (const path of [
    "",
    "/",
    "//accounts/me",
    "/accounts/me/",
    "/accounts/%zz",
    "/__proto__",
    "/constructor",
    "/accounts/%2e%2e/me",
  ])
    expect(route("GET", path).kind).toBe("unknown");
});

test("any path and method is answered", () => {
  const segment = fc.oneof(
    fc.constantFrom("accounts", "me", "livesystems", "components", id, "%2F", ".."),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.string(), fc.array(segment, { maxLength: 8 }), (method, segments) => {
      expect(["operation", "method", "unknown"]).toContain(route(method, `/${segments.join("/")}`).kind);
    }),
  );
});
