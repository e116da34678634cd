import type { AddressInfo } from "node:net";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { fromNodeHeaders } from "better-auth/node";
import { bearer } from "better-auth/plugins";
import express, { type Request } from "express";
import * as z from "zod";
import { headers, report } from "./answers.ts";
import { database, furnish, rows } from "./rows.ts";

/** A typical app: Express, better-auth with bearer tokens, zod and better-sqlite3, put together as their guides say. */
const options = {
  database,
  secret: "a secret of the benchmark alone, 32 letters",
  baseURL: "http://127.0.0.1",
  emailAndPassword: { enabled: true },
  plugins: [bearer()],
};
const auth = betterAuth(options);
await (await getMigrations(options)).runMigrations();
const person = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
const { token, user } = await auth.api.signUpEmail({ body: person });
const { ownerId, organizationId } = furnish(user.id);

const callerOf = async (request: Request) =>
  (await auth.api.getSession({ headers: fromNodeHeaders(request.headers) }))?.user.id ?? null;

const grant = z.strictObject({
  principalType: z.enum(["Account", "Team"]),
  principalId: z.string().nullable(),
  permissionType: z.enum(["Admin", "Edit", "Terminate", "View"]),
});

const app = express();
app.use((_request, response, next) => {
  response.set(headers).set("X-Request-Id", crypto.randomUUID());
  next();
});
app.get("/environments/:type/:ownerId/:shortName", async (request, response) => {
  const caller = await callerOf(request);
  if (caller === null) return void response.status(401).end();
  const { type, ownerId: owner, shortName } = request.params;
  const found = caller === owner ? rows.environment(type, owner, shortName) : null;
  if (found === null) return void response.status(404).end();
  response.type("json").send(found);
});
app.post("/organizations/:organizationId/permissions/grant", express.json(), async (request, response) => {
  const caller = await callerOf(request);
  if (caller === null) return void response.status(401).end();
  const organization = String(request.params.organizationId);
  if (!rows.mayEdit(organization, caller)) return void response.status(403).end();
  const { success, data } = grant.safeParse(request.body);
  if (!success) return void response.status(400).end();
  response.json(rows.grant(organization, data.principalId ?? "", data.permissionType));
});

const server = app.listen(0, "127.0.0.1", () => {
  report({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: token ?? "",
    ownerId,
    organizationId,
  });
});
