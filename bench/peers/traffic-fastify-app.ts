import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fastify, { type FastifyRequest } from "fastify";
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { environment, headers, report } from "./answers.ts";
import { environmentsOf, membersOf, nameOf, type TrafficCaller, type TrafficWorld } from "./traffic.ts";
import { postgresRows, sqliteRows } from "./traffic-rows.ts";

/**
 * The same service written by hand for speed: Fastify, jose with remembered tokens, better-sqlite3 or pg. A session is looked up for each
 * request, a write adds an event to a log in the same transaction, and a changed environment gets another version.
 */
const {
  callers,
  organizations = 0,
  changes = 0,
  connectionString,
  folder,
} = JSON.parse(process.argv[2] ?? "") as TrafficWorld;
const rows = connectionString === undefined ? sqliteRows(folder) : await postgresRows(connectionString);
let version = 0;

interface Environment {
  readonly id: object;
  readonly name: string;
}

function eventOf(type: string, ownerId: string, shortName: string, data: object) {
  const time = new Date().toISOString();
  return { type, subject: `Personal/${ownerId}/${shortName}`, actor: ownerId, time, data: JSON.stringify(data) };
}

async function write(ownerId: string, shortName: string, body: object, before: Environment | null): Promise<string> {
  version += 1;
  const now = new Date().toISOString();
  const made = { createdAt: now, createdBy: ownerId, ...before };
  const id = { type: "Personal", ownerId, shortName };
  const json = JSON.stringify({
    ...(JSON.parse(environment) as object),
    ...{ ...made, ...body, id, updatedAt: now, updatedBy: ownerId, version: String(version) },
  });
  const type = before === null ? "environment.created" : "environment.updated";
  await rows.put(
    { ownerId, shortName, version, json },
    eventOf(type, ownerId, shortName, { changed: Object.keys(body) }),
  );
  return json;
}

/** The key that checks tokens: the one that is kept in the folder, or a new one. */
async function keys(): Promise<{ readonly verifying: CryptoKey; readonly signing?: CryptoKey }> {
  const file = join(folder ?? "", "key.json");
  if (folder !== undefined && existsSync(file))
    return { verifying: (await importJWK(JSON.parse(readFileSync(file, "utf8")), "EdDSA")) as CryptoKey };
  const { publicKey: verifying, privateKey: signing } = await generateKeyPair("EdDSA", { extractable: true });
  if (folder !== undefined) writeFileSync(file, JSON.stringify(await exportJWK(verifying)));
  return { verifying, signing };
}

const { verifying, signing } = await keys();
const verified = new Map<string, JWTPayload>();
async function callerOf({ headers: sent }: FastifyRequest): Promise<string | null> {
  const token = sent.authorization?.slice("Bearer ".length) ?? "";
  const known = verified.get(token);
  const isGood = known?.exp !== undefined && known.exp * 1000 > Date.now();
  const { payload } = isGood
    ? { payload: known }
    : await jwtVerify(token, verifying, { issuer: "bench", audience: "bench", algorithms: ["EdDSA"] });
  verified.set(token, payload);
  const { jti = "", sub = "" } = payload;
  return (await rows.callerOf(jti)) === sub ? sub : null;
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
  const found = (await callerOf(request)) === ownerId ? await rows.find(ownerId, shortName) : undefined;
  return found === undefined ? reply.code(404).send() : reply.type("application/json").send(found);
});
app.get<{ Querystring: { limit: number } }>(
  "/environments",
  { schema: { querystring: { type: "object", properties: { limit: { type: "integer", maximum: 200 } } } } },
  async (request, reply) => {
    const caller = await callerOf(request);
    if (caller === null) return reply.code(401).send();
    const { limit } = request.query;
    const owners = [caller, ...(await rows.organizationsOf(caller))];
    const found = (await Promise.all(owners.map((owner) => rows.list(owner, limit + 1)))).flat();
    const nextCursor = found.length > limit ? JSON.stringify(Buffer.from(String(limit)).toString("base64url")) : "null";
    const items = found.slice(0, limit).join(",");
    return reply.type("application/json").send(`{"items":[${items}],"nextCursor":${nextCursor}}`);
  },
);
app.post<Named>(path, { schema: { body } }, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  if ((await callerOf(request)) !== ownerId) return reply.code(404).send();
  const isTaken = (await rows.find(ownerId, shortName)) !== undefined;
  if (isTaken || (await rows.count(ownerId)) > 1e6) return reply.code(409).send();
  return reply
    .code(201)
    .type("application/json")
    .send(await write(ownerId, shortName, request.body as object, null));
});
app.put<Named>(path, { schema: { body } }, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  const found = (await callerOf(request)) === ownerId ? await rows.find(ownerId, shortName) : undefined;
  if (found === undefined) return reply.code(404).send();
  return reply
    .type("application/json")
    .send(await write(ownerId, shortName, request.body as object, JSON.parse(found) as Environment));
});
app.delete<Named>(path, async (request, reply) => {
  const { ownerId, shortName } = request.params;
  const found = (await callerOf(request)) === ownerId ? await rows.find(ownerId, shortName) : undefined;
  if (found === undefined) return reply.code(404).send();
  await rows.remove({ ownerId, shortName }, eventOf("environment.deleted", ownerId, shortName, {}));
  return reply.type("application/json").send(found);
});

const people: TrafficCaller[] = [];
for (let at = 0; at < callers; at++) {
  const [ownerId, sessionId] = [crypto.randomUUID(), crypto.randomUUID()];
  await rows.addPerson(ownerId, sessionId);
  for (let made = 0; made < environmentsOf(at); made++) {
    const own = await write(ownerId, nameOf(made), { name: nameOf(made) }, null);
    for (let nth = 0; nth < changes; nth++)
      await write(ownerId, nameOf(made), { name: `${nameOf(made)} ${nth}` }, JSON.parse(own) as Environment);
  }
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "EdDSA" })
    .setJti(sessionId)
    .setSubject(ownerId)
    .setIssuer("bench")
    .setAudience("bench")
    .setExpirationTime("1 day")
    .sign(signing as CryptoKey);
  people.push({ token, ownerId });
}
for (let at = 0; at < organizations; at++) {
  const organizationId = crypto.randomUUID();
  for (const { ownerId } of membersOf(at, people)) await rows.addPermission(ownerId, organizationId);
}
report({ url: await app.listen({ port: 0, host: "127.0.0.1" }), callers: people });
