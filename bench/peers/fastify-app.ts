import fastify from "fastify";
import { environment, report } from "./answers.ts";

const app = fastify();
app.get("/environments/:type/:ownerId/:shortName", (_request, reply) =>
  reply.type("application/json").send(environment),
);
app.post("/organizations/:organizationId/permissions/grant", {
  schema: {
    body: {
      type: "object",
      additionalProperties: false,
      required: ["principalType", "principalId", "permissionType"],
      properties: {
        principalType: { enum: ["Account", "Team"] },
        principalId: { type: ["string", "null"] },
        permissionType: { enum: ["Admin", "Edit", "Terminate", "View"] },
      },
    },
  },
  handler: (_request, reply) => reply.type("application/json").send("true"),
});

report({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
