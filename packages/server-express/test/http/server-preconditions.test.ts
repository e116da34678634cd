import { afterAll, describe, expect, test } from "vitest";
import { send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

let count = 0;
const newPath = () => `/environments/Personal/${ada.id}/p${count++}`;
const call = (method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  send(server.url, { method, path, token: ada.token, headers, ...(json !== undefined && { json }) });

async function made(): Promise<{ readonly path: string; readonly etag: string }> {
  const path = newPath();
  const { headers } = await call("POST", path, {});
  return { path, etag: headers.etag ?? "" };
}

describe("versions", () => {
  test("a record made has a place and a version, the version that is read later", async () => {
    const path = newPath();
    const created = await call("POST", path, { name: "One" });
    expect(created).toMatchObject({ status: 201, headers: { location: path } });
    expect(created.headers.etag).toBe(`"${created.json?.version}"`);
    expect((await call("GET", path)).headers.etag).toBe(created.headers.etag);
    const updated = await call("PUT", path, { name: "Two" });
    expect(updated.headers.etag).not.toBe(created.headers.etag);
  });

  test("If-None-Match on a read answers the record all the same", async () => {
    const { path, etag } = await made();
    expect(await call("GET", path, undefined, { "if-none-match": etag })).toMatchObject({ status: 200 });
  });

  test.each([
    ["the version", (etag: string) => etag, 200],
    ["a list with the version", (etag: string) => `"a", ${etag},"b"`, 200],
    ["any version", () => "*", 200],
    ["another version", () => '"other"', 412],
    ["a weak form of the version", (etag: string) => `W/${etag}`, 412],
    ["no quotes", (etag: string) => etag.replaceAll('"', ""), 400],
    ["an empty list", () => "", 412],
    ["a star in a list", (etag: string) => `*, ${etag}`, 400],
  ])("If-Match with %s is judged", async (_what, written, status) => {
    const { path, etag } = await made();
    const answer = await call("PUT", path, { name: "x" }, { "if-match": written(etag) });
    expect(answer.status).toBe(status);
    const again = { code: "PreconditionFailed", detail: "The record has changed since that version. Read it again." };
    const detail = 'This must be * or a list of versions in quotes, such as "12".';
    const place = { header: "If-Match", code: "Format", detail };
    if (status === 412) expect(answer.json).toMatchObject(again);
    if (status === 400) expect(answer.json).toMatchObject({ detail: `If-Match: ${detail}`, errors: [place] });
  });

  test("If-None-Match: * makes, and doesn't overwrite", async () => {
    const path = "/accounts/me/resourcegroups/mine";
    const none = { "if-none-match": "*" };
    expect((await call("PUT", path, {}, none)).status).toBe(200);
    expect(await call("PUT", path, {}, none)).toMatchObject({ status: 412, json: { code: "PreconditionFailed" } });
  });

  test("If-Match where nothing is: 412 where the write would make it, else 404", async () => {
    const match = { "if-match": '"1"' };
    expect((await call("PUT", "/accounts/me/resourcegroups/none", {}, match)).status).toBe(412);
    expect((await call("PUT", newPath(), {}, match)).status).toBe(404);
    expect((await call("DELETE", newPath(), undefined, match)).status).toBe(404);
  });

  test("of two writes bound to one version, one is carried out", async () => {
    const { path, etag } = await made();
    const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
    const answers = await Promise.all(names.map((name) => call("PUT", path, { name }, { "if-match": etag })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  test("a host may demand If-Match of whatever changes or deletes what is there", async () => {
    const strict = await startServer({ LIVEPLANE_REQUIRE_IF_MATCH: "on" });
    try {
      const eve = await strict.person("eve");
      const path = `/environments/Personal/${eve.id}/strict`;
      const ask = (method: string, at: string, headers: Readonly<Record<string, string>> = {}) =>
        send(strict.url, { method, path: at, token: eve.token, headers, ...(method !== "DELETE" && { json: {} }) });
      const refused = { status: 428, json: { code: "PreconditionRequired" } };
      const any = { "if-match": "*" };
      expect((await ask("POST", path)).status).toBe(201);
      expect(await ask("POST", path)).toMatchObject({ status: 409, json: { code: "AlreadyExists" } });
      expect(await ask("PUT", path)).toMatchObject(refused);
      expect((await ask("PUT", path, any)).status).toBe(200);
      expect(await ask("DELETE", path)).toMatchObject(refused);
      expect((await ask("DELETE", path, any)).status).toBe(200);
      expect((await ask("PUT", path)).status).toBe(404);
      const group = "/accounts/me/resourcegroups/mine";
      expect((await ask("PUT", group)).status).toBe(200);
      expect(await ask("PUT", group)).toMatchObject(refused);
      expect((await ask("PUT", group, any)).status).toBe(200);
    } finally {
      await strict.end();
    }
  });
});

describe("Idempotency-Key", () => {
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("a repeated call is answered as before, and carried out once", async () => {
    const path = "/organizations";
    const first = await call("POST", path, { name: "Once" }, keyed("once"));
    const again = await call("POST", path, { name: "Once" }, keyed("once"));
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, text: first.text });
    for (const name of ["etag", "location"]) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    const { json } = await call("GET", path);
    expect(json?.items).toHaveLength(1);
  });

  test("another body is refused: also one that differs in a blank", async () => {
    const path = newPath();
    await call("POST", path, { name: "a" }, keyed("other"));
    const answer = await call("POST", path, { name: "b" }, keyed("other"));
    expect(answer).toMatchObject({ status: 422, json: { code: "IdempotencyKeyReused" } });
    const headers = { ...keyed("other"), "content-type": "application/json" };
    const blank = await send(server.url, { method: "POST", path, token: ada.token, headers, body: '{"name": "a"}' });
    expect(blank.status).toBe(422);
  });

  test("the key belongs to the caller and to the path", async () => {
    const eve = await server.person("eve");
    const [mine, other] = [newPath(), newPath()];
    const created = await call("POST", mine, {}, keyed("shared"));
    expect((await call("POST", other, { name: "x" }, keyed("shared"))).status).toBe(201);
    const path = `/environments/Personal/${eve.id}/hers`;
    const hers = await send(server.url, {
      method: "POST",
      path,
      token: eve.token,
      headers: keyed("shared"),
      json: { name: "y" },
    });
    expect(hers.status).toBe(201);
    expect(created.status).toBe(201);
  });

  test("a refusal isn't kept", async () => {
    const path = newPath();
    expect((await call("POST", path, { name: 7 }, keyed("refused"))).status).toBe(400);
    expect((await call("POST", path, { name: "7" }, keyed("refused"))).status).toBe(201);
  });

  test("of many at once, one is carried out", async () => {
    const path = newPath();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call("POST", path, {}, keyed("at-once"))));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses.has(201)).toBe(true);
    for (const { status, json } of answers)
      if (status !== 201) expect({ status, code: json?.code }).toEqual({ status: 409, code: "IdempotencyInFlight" });
    const made = answers.filter(({ status }) => status === 201).map(({ text }) => text);
    expect(new Set(made).size).toBe(1);
  });

  test.each(["", " ", "a b", "é", "x".repeat(256)])("the key %j is malformed", async (key) => {
    const answer = await call("POST", newPath(), {}, keyed(key));
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ header: "Idempotency-Key" }] } });
  });

  test("rows whose answer holds a secret take no key", async () => {
    const answer = await call("POST", "/accounts/me/service-account/secret", {}, keyed("secret"));
    expect(answer).toMatchObject({ status: 400, json: { code: "ValidationFailed" } });
  });

  test("rows that anyone may call ignore it", async () => {
    const body = { username: "ada", password: "correct horse battery" };
    for (let turn = 0; turn < 2; turn++) {
      const answer = await call("POST", "/auth/sessions", body, keyed("anyone"));
      expect(answer.status).toBe(201);
    }
    expect((await call("POST", "/auth/sessions", { ...body, password: "x" }, keyed("anyone"))).status).toBe(401);
  });

  test("a repeated change is answered as before, also one that was bound to the version it replaced", async () => {
    const { path, etag } = await made();
    const headers = { ...keyed("put"), "if-match": etag };
    const first = await call("PUT", path, { name: "a" }, headers);
    expect(first).toMatchObject({ status: 200, json: { name: "a" } });
    expect(await call("PUT", path, { name: "a" }, headers)).toMatchObject({ status: 200, text: first.text });
    const other = await call("PUT", path, { name: "b" }, keyed("put"));
    expect(other).toMatchObject({ status: 422, json: { code: "IdempotencyKeyReused" } });
  });

  test("whoever may no longer view what they changed isn't told again", async () => {
    const [eve, host] = [await server.person("guest"), await server.person("host")];
    const organizationId = (await host.api.organizations.create({ name: "Guests" })).id;
    const grant = { principalType: "Account", principalId: eve.id, permissionType: "Edit" } as const;
    await host.api.organizations.permissions.grant({ organizationId }, grant);
    const json = { organizationId, name: "Renamed" };
    const asEve = { method: "PUT", path: "/organizations", token: eve.token, headers: keyed("guest"), json };
    expect((await send(server.url, asEve)).status).toBe(200);
    expect((await send(server.url, asEve)).status).toBe(200);
    await host.api.organizations.permissions.revoke({ organizationId }, grant);
    expect((await send(server.url, asEve)).status).toBe(404);
  });

  test("a key that was used with another query is refused", async () => {
    const path = `${newPath()}`;
    await call("POST", path, {});
    const authenticate = (tenant: string) =>
      call("POST", `${path}/initializer/provider-a/authenticate${tenant}`, undefined, keyed("query"));
    const first = await authenticate("?tenantId=common");
    expect(first.status).toBe(202);
    expect(await authenticate("?tenantId=common")).toMatchObject({ status: 202, text: first.text });
    expect((await authenticate("")).status).toBe(422);
  });

  test("reads ignore it", async () => {
    const { path } = await made();
    expect((await call("GET", path, undefined, keyed("read"))).status).toBe(200);
    await call("PUT", path, { name: "since" });
    expect((await call("GET", path, undefined, keyed("read"))).json?.name).toBe("since");
  });
});
