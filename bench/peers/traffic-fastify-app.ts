import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fastify, { type FastifyRequest } from "fastify";
import { generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { environment, headers, report } from "./answers.ts";
import { callers, environmentsEach, nameOf, type TrafficCaller } from "./traffic.ts";

/**
 * The same service written by hand for speed: Fastify, jose with remembered tokens, better-sqlite3. A session is looked up for each request,
 * a write adds an event to a log in the same transaction, and a changed environment gets another version.
 */
const directory = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const database = new Database(join(directory, "app.db"));
for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "locking_mode = EXCLUSIVE"]) database.pragma(pragma);
database.exec(`
  CREATE TABLE environment (ownerId TEXT, shortName TEXT, version INTEGER, json TEXT, PRIMARY KEY (ownerId, shortName)) WITHOUT ROWID;
  CREATE TABLE person (id TEXT PRIMARY KEY, status TEXT) WITHOUT ROWID;
  CREATE TABLE login (id TEXT PRIMARY KEY, personId TEXT) WITHOUT ROWID;
  CREATE TABLE permission (principalId TEXT, organizationId TEXT, permission TEXT, PRIMARY KEY (principalId, organizationId, permission)) WITHOUT ROWID;
  CREATE TABLE event (id INTEGER PRIMARY KEY, type TEXT, subject TEXT, actor TEXT, time TEXT, data TEXT);
`);
const personOf = database.prepare<[string], string>("SELECT personId FROM login WHERE id = ?").pluck();
const statusOf = database.prepare<[string], string>("SELECT status FROM person WHERE id = ?").pluck();
const find = database
  .prepare<[string, string], string>("SELECT json FROM environment WHERE ownerId = ? AND shortName = ?")
  .pluck();
const listOf = database
  .prepare<[string, number], string>("SELECT json FROM environment WHERE ownerId = ? ORDER BY shortName LIMIT ?")
  .pluck();
const organizationsOf = database
  .prepare<[string], string>("SELECT DISTINCT organizationId FROM permission WHERE principalId = ?")
  .pluck();
const countOf = database.prepare<[string], number>("SELECT count(*) FROM environment WHERE ownerId = ?").pluck();
const put = database.prepare<[string, string, number, string]>(
  "INSERT OR REPLACE INTO environment VALUES (?, ?, ?, ?)",
);
const tell = database.prepare<[string, string, string, string, string]>(
  "INSERT INTO event (type, subject, actor, time, data) VALUES (?, ?, ?, ?, ?)",
);
let version = 0;

interface Environment {
  readonly id: object;
  readonly name: string;
}

const write = database.transaction((ownerId: string, shortName: string, body: object, before: Environment | null) => {
  version += 1;
  const now = new Date().toISOString();
  const made = { createdAt: now, createdBy: ownerId, ...before };
  const id = { type: "Personal", ownerId, shortName };
  const json = JSON.stringify({
    ...(JSON.parse(environment) as object),
    ...{ ...made, ...body, id, updatedAt: now, updatedBy: ownerId, version: String(version) },
  });
  put.run(ownerId, shortName, version, json);
  const type = before === null ? "environment.created" : "environment.updated";
  tell.run(type, `Personal/${ownerId}/${shortName}`, ownerId, now, JSON.stringify({ changed: Object.keys(body) }));
  return json;
});

const { publicKey, privateKey } = await generateKeyPair("EdDSA");
const verified = new Map<string, JWTPayload>();
async function callerOf({ headers: sent }: FastifyRequest): Promise<string | null> {
  const token = sent.authorization?.slice("Bearer ".length) ?? "";
  const known = verified.get(token);
  const isGood = known?.exp !== undefined && known.exp * 1000 > Date.now();
  const { payload } = isGood
    ? { payload: known }
    : await jwtVerify(token, publicKey, { issuer: "bench", audience: "bench", algorithms: ["EdDSA"] });
  verified.set(token, payload);
  const { jti = "", sub = "" } = payload;
  return personOf.get(jti) === sub && statusOf.get(sub) === "Active" ? sub : null;
}

const app = fastify({ genReqId: () => crypto.randomUUID() });
app.addHook("onRequest", (request, reply, done) => {
  reply.headers(headers).header("X-Request-Id", request.id);
  done();
});
const body = {
  type: "object",
  additionalProperties: false,
  properties: { name: { type: "string", maxLength: 256 }, parameters: { type: "object" } },
};
type Named = { Params: { ownerId: string; shortName: string } };
const path = "/environments/Personal/:ownerId/:shortName";
app.get<Named>(path, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  const found = (await callerOf(request)) === ownerId ? find.get(ownerId, shortName) : undefined;
  return found === undefined ? reply.code(404).send() : reply.type("application/json").send(found);
});
app.get<{ Querystring: { limit: number } }>(
  "/environments",
  { schema: { querystring: { type: "object", properties: { limit: { type: "integer", maximum: 200 } } } } },
  async (request, reply) => {
    const caller = await callerOf(request);
    if (caller === null) return reply.code(401).send();
    const { limit } = request.query;
    const found = [caller, ...organizationsOf.all(caller)].flatMap((owner) => listOf.all(owner, limit + 1));
    const nextCursor = found.length > limit ? JSON.stringify(Buffer.from(String(limit)).toString("base64url")) : "null";
    const items = found.slice(0, limit).join(",");
    return reply.type("application/json").send(`{"items":[${items}],"nextCursor":${nextCursor}}`);
  },
);
app.post<Named>(path, { schema: { body } }, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  if ((await callerOf(request)) !== ownerId) return reply.code(404).send();
  if (find.get(ownerId, shortName) !== undefined || (countOf.get(ownerId) ?? 0) > 1e6) return reply.code(409).send();
  return reply
    .code(201)
    .type("application/json")
    .send(write(ownerId, shortName, request.body as object, null));
});
app.put<Named>(path, { schema: { body } }, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  const found = (await callerOf(request)) === ownerId ? find.get(ownerId, shortName) : undefined;
  if (found === undefined) return reply.code(404).send();
  return reply
    .type("application/json")
    .send(write(ownerId, shortName, request.body as object, JSON.parse(found) as Environment));
});

const people: TrafficCaller[] = [];
for (let at = 0; at < callers; at++) {
  const [ownerId, sessionId] = [crypto.randomUUID(), crypto.randomUUID()];
  database.prepare("INSERT INTO person VALUES (?, 'Active')").run(ownerId);
  database.prepare("INSERT INTO login VALUES (?, ?)").run(sessionId, ownerId);
  for (let made = 0; made < environmentsEach; made++) write(ownerId, nameOf(made), { name: nameOf(made) }, null);
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "EdDSA" })
    .setJti(sessionId)
    .setSubject(ownerId)
    .setIssuer("bench")
    .setAudience("bench")
    .setExpirationTime("1 day")
    .sign(privateKey);
  people.push({ token, ownerId });
}
report({ url: await app.listen({ port: 0, host: "127.0.0.1" }), callers: people });
