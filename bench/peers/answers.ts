import { securityHeaders } from "@liveplane/core/http";

/** The answers of every server in the comparison: an environment, and the result of a grant. */
export const environment = JSON.stringify({
  id: { type: "Personal", ownerId: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70", shortName: "bench" },
  managementEnvironmentId: null,
  name: "Bench",
  resourceGroups: [],
  parameters: {},
  defaultCiCdProfileShortName: null,
  status: "Registered",
  initializations: {},
  createdAt: "2026-11-21T07:00:00.000Z",
  createdBy: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70",
  updatedAt: "2026-11-21T07:00:00.000Z",
  updatedBy: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70",
  version: "17",
});

/** The schema of a grant, for Fastify. */
export const grantSchema = {
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
};

/** The headers of every answer of those that do the same work, equal to ours. */
export const headers: Readonly<Record<string, string>> = Object.fromEntries(
  [...securityHeaders, "Cache-Control", "no-store", "Api-Version", "1"].flatMap((name, at, all) =>
    at % 2 === 0 ? [[name, all[at + 1] ?? ""]] : [],
  ),
);

/** Tells the parent process where a server listens, and its processor time and memory on request. */
export function report(details: { readonly url: string; readonly [name: string]: unknown }): void {
  process.send?.({ kind: "listening", ...details });
  process.on("message", () => process.send?.({ kind: "cpu", ...process.cpuUsage(), rss: process.memoryUsage.rss() }));
  process.on("disconnect", () => process.exit(0));
}
