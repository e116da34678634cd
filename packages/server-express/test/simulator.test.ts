import { createClient } from "@liveplane/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "./raw-http.ts";
import { type EndableServer, operatorPassword, type Person, startServer } from "./running-server.ts";

let server: EndableServer;
let ada: Person;
let token: string;
beforeAll(async () => {
  server = await startServer();
  ada = await server.person("ada");
  const operator = { username: "operator", password: operatorPassword };
  token = (await createClient({ baseUrl: server.url }).sessions.create(operator)).accessToken;
});
afterAll(() => server.end());

const resources = "/simulator/provider-a/resources";
let count = 0;
const newId = () =>
  `/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/web/providers/Microsoft.Network/virtualNetworks/v${count++}`;
const at = (id: string) => `${resources}/${encodeURIComponent(id)}`;

function call(method: string, path: string, json?: unknown, as: string = token) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const headers = { "content-type": "application/json" };
  return send(server.url, { method, path, token: as, ...(body !== undefined && { headers, body }) });
}

test("a resource that is made by hand shows its id, type, tags, parameters, outputs and etag", async () => {
  const id = newId();
  const made = await call("PUT", at(id), { tags: { team: "web" }, parameters: { size: 2 } });
  expect(made.status).toBe(200);
  const shown = await call("GET", at(id));
  expect(shown).toMatchObject({ status: 200, json: { id, tags: { team: "web" }, parameters: { size: 2 } } });
  expect(Object.keys(shown.json ?? {}).toSorted()).toEqual(["etag", "id", "outputs", "parameters", "tags", "type"]);
  expect((await call("HEAD", at(id))).status).toBe(200);
});

test("tags are set as a whole, parameters merged, and each change has its own etag", async () => {
  const id = newId();
  const made = await call("PUT", at(id), { tags: { team: "web", stage: "test" }, parameters: { size: 2, name: "a" } });
  const tagged = await call("PUT", `${at(id)}/tags`, { team: "data" });
  expect(tagged).toMatchObject({ status: 200, json: { tags: { team: "data" }, parameters: { size: 2 } } });
  expect(tagged.json?.tags).toEqual({ team: "data" });
  const patched = await call("PATCH", `${at(id)}/parameters`, { size: 3, name: null });
  expect(patched).toMatchObject({ status: 200, json: { tags: { team: "data" }, parameters: { size: 3 } } });
  expect(patched.json?.parameters).not.toHaveProperty("name");
  expect(new Set([made, tagged, patched].map(({ json }) => json?.etag)).size).toBe(3);
});

test("a merge patch goes by its own media type too", async () => {
  const id = newId();
  await call("PUT", at(id), { parameters: { size: 2 } });
  const headers = { "content-type": "application/merge-patch+json" };
  const patch = { method: "PATCH", path: `${at(id)}/parameters`, token, headers, body: '{"size":3}' };
  expect(await send(server.url, patch)).toMatchObject({ status: 200, json: { parameters: { size: 3 } } });
});

test("a resource that is deleted is gone, and what isn't there is 404", async () => {
  const id = newId();
  await call("PUT", at(id), {});
  expect((await call("DELETE", at(id))).status).toBe(200);
  for (const [method, path, json] of [
    ["GET", at(id)],
    ["DELETE", at(id)],
    ["PUT", `${at(id)}/tags`, {}],
    ["PATCH", `${at(id)}/parameters`, {}],
  ] as const)
    expect(await call(method, path, json)).toMatchObject({ status: 404, json: { code: "NotFound" } });
});

test("resources are listed by pages that leave none out", async () => {
  const ids = Array.from({ length: 5 }, newId);
  for (const id of ids) await call("PUT", at(id), {});
  const seen: unknown[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const page = await call("GET", `${resources}?limit=2${cursor === "" ? "" : `&cursor=${String(cursor)}`}`);
    const items = page.json?.items as { id: string }[];
    expect(items.length).toBeLessThanOrEqual(2);
    seen.push(...items.map(({ id }) => id));
    cursor = page.json?.nextCursor;
  }
  expect(seen).toEqual(expect.arrayContaining(ids));
  expect(new Set(seen).size).toBe(seen.length);
});

test.each([
  ["PUT", "/tags", [], "#"],
  ["PUT", "/tags", { team: 5 }, "#/team"],
  ["PATCH", "/parameters", "size", "#"],
])("%s …%s with %j is refused, and says where", async (method, part, json, pointer) => {
  const id = newId();
  await call("PUT", at(id), {});
  expect(await call(method, at(id) + part, json)).toMatchObject({ status: 400, json: { errors: [{ pointer }] } });
});

test("what isn't there is named: a resource, or the code of a sign-in", async () => {
  expect(await call("GET", at(newId()))).toMatchObject({
    json: { detail: "The simulated cloud has no resource of this ID." },
  });
  const told = await call("POST", "/simulator/provider-a/devices/WRNG-CODE/complete");
  expect(told).toMatchObject({
    status: 404,
    json: { detail: expect.stringContaining("The code is wrong, has expired") },
  });
});

test("the console is for operators: strangers are 401, everybody else 403, before anything is read", async () => {
  const id = newId();
  await call("PUT", at(id), {});
  for (const [method, path] of [
    ["GET", resources],
    ["GET", at(id)],
    ["DELETE", at(id)],
    ["PUT", `${at(id)}/tags`],
    ["PATCH", `${at(id)}/parameters`],
    ["PUT", "/simulator/provider-a/faults"],
    ["POST", "/simulator/provider-a/devices/x/complete"],
  ] as const) {
    const headers = { "content-type": "text/plain" };
    expect((await send(server.url, { method, path, headers })).status).toBe(401);
    expect(await send(server.url, { method, path, headers, token: ada.token })).toMatchObject({
      status: 403,
      json: { code: "PermissionDenied" },
    });
  }
  expect((await call("GET", at(id))).status).toBe(200);
});
