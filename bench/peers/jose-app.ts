import fastify, { type FastifyRequest } from "fastify";
import { generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { grantSchema, report } from "./answers.ts";
import { furnish, rows } from "./rows.ts";

/** The fastest that people put together by hand: Fastify, tokens by jose, better-sqlite3. `remembered`: verified tokens are. */
const [kind = "remembered"] = process.argv.slice(2);
const { publicKey, privateKey } = await generateKeyPair("EdDSA");
const { ownerId, organizationId } = furnish(crypto.randomUUID());
const claims = { issuer: "bench", audience: "bench", algorithms: ["EdDSA"] };
const token = await new SignJWT()
  .setProtectedHeader({ alg: "EdDSA" })
  .setSubject(ownerId)
  .setIssuer("bench")
  .setAudience("bench")
  .setExpirationTime("1 day")
  .sign(privateKey);

const verified = new Map<string, JWTPayload>();
async function callerOf({ headers }: FastifyRequest): Promise<string | null> {
  const sent = headers.authorization?.slice("Bearer ".length) ?? "";
  const known = verified.get(sent);
  if (known?.exp !== undefined && known.exp * 1000 > Date.now()) return known.sub ?? null;
  const { payload } = await jwtVerify(sent, publicKey, claims);
  if (kind === "remembered") verified.set(sent, payload);
  return payload.sub ?? null;
}

const app = fastify();
type Named = { Params: { type: string; ownerId: string; shortName: string } };
app.get<Named>("/environments/:type/:ownerId/:shortName", async (request, reply) => {
  const caller = await callerOf(request);
  const { type, ownerId: owner, shortName } = request.params;
  const found = caller === owner ? rows.environment(type, owner, shortName) : null;
  return found ?? reply.code(404).send();
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
