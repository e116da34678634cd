import type { AddressInfo } from "node:net";
import express from "express";
import * as z from "zod";
import { environment, report } from "./answers.ts";

const grant = z.strictObject({
  principalType: z.enum(["Account", "Team"]),
  principalId: z.string().nullable(),
  permissionType: z.enum(["Admin", "Edit", "Terminate", "View"]),
});

const app = express();
app.get("/environments/:type/:ownerId/:shortName", (_request, response) => {
  response.type("json").send(environment);
});
app.post("/organizations/:organizationId/permissions/grant", express.json(), (request, response) => {
  const parsed = grant.safeParse(request.body);
  response.status(parsed.success ? 200 : 400).json(parsed.success);
});

const server = app.listen(0, "127.0.0.1", () => {
  report({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
