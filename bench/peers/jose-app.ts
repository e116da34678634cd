import fastify, { type FastifyRequest } from "fastify";
import { generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { grantSchema, headers, report } from "./answers.ts";
import { furnish, rows } from "./rows.ts";

/**
 * The fastest that people put together by hand: Fastify, tokens by jose, better-sqlite3. `remembered`: verified tokens are cached, and the
 * session is still looked up, because it may have been ended.
 */
const [kind = "remembered"] = process.argv.slice(2);
const { publicKey, privateKey } = await generateKeyPair("EdDSA");
const { ownerId, organizationId, sessionId } = furnish(crypto.randomUUID());
const claims = { issuer: "bench", audience: "bench", algorithms: ["EdDSA"] };
const token = await new SignJWT()
  .setProtectedHeader({ alg: "EdDSA" })
  .setJti(sessionId)
  .setSubject(ownerId)
  .setIssuer("bench")
  .setAudience("bench")
  .setExpirationTime("1 day")
  .sign(privateKey);

const verified = new Map<string, JWTPayload>();
async function payloadOf(token: string): Promise<JWTPayload> {
  const known = verified.get(token);
  if (known?.exp !== undefined && known.exp * 1000 > Date.now()) return known;
  const { payload } = await jwtVerify(token, publicKey, claims);
  if (kind === "remembered") verified.set(token, payload);
  return payload;
}

async function callerOf({ headers: sent }: FastifyRequest): Promise<string | null> {
  const { jti = "", sub = "" } = await payloadOf(sent.authorization?.slice("Bearer ".length) ?? "");
  return rows.isSignedIn(jti, sub) ? sub : null;
}

const app = fastify({ genReqId: () => crypto.randomUUID() });
app.addHook("onRequest", (request, reply, done) => {
  reply.headers(headers).header("X-Request-Id", request.id);
  done();
});
type Named = { Params: { type: string; ownerId: string; shortName: string } };
app.get<Named>("/environments/:type/:ownerId/:shortName", async (request, reply) => {
  const caller = await callerOf(request);
  const { type, ownerId: owner, shortName } = request.params;
  const found = caller === owner ? rows.environment(type, owner, shortName) : null;
  return found === null ? reply.code(404).send() : reply.type("application/json").send(found);
});
type Granted = {
  Params: { organizationId: string };
  Body: { principalId: string | null; permissionType: string };
};
app.post<Granted>(
  "/organizations/:organizationId/permissions/grant",
  { schema: grantSchema },
  async (request, reply) => {
    const caller = await callerOf(request);
    const { organizationId: organization } = request.params;
    if (caller === null || !rows.mayEdit(organization, caller)) return reply.code(403).send();
    const { principalId, permissionType } = request.body;
    return reply
      .type("application/json")
      .send(JSON.stringify(rows.grant(organization, principalId ?? "", permissionType)));
  },
);

report({ url: await app.listen({ port: 0, host: "127.0.0.1" }), token, ownerId, organizationId });
