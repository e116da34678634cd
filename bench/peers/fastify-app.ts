import fastify from "fastify";
import { environment, grantSchema, report } from "./answers.ts";

const app = fastify();
app.get("/environments/:type/:ownerId/:shortName", (_request, reply) =>
  reply.type("application/json").send(environment),
);
app.post("/organizations/:organizationId/permissions/grant", {
  schema: grantSchema,
  handler: (_request, reply) => reply.type("application/json").send("true"),
});

report({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
