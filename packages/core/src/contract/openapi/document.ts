import { operationsById } from "../operations/operations.ts";
import { parseRoute } from "../routes.ts";
import { answerHeaders, collectRefusals, problemSchema, type Refusals } from "./answers.ts";
import { about, describedWebhooks } from "./event-document.ts";
import { operationObject, requestHeaders } from "./operation.ts";
import { type DocumentObject, namedSchemas } from "./schemas.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string } & DocumentObject;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, DocumentObject>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentObject>> } & DocumentObject;
}

/** Options of `toOpenApi`. */
export interface OpenApiOptions {
  /** The URL of the API. @default "/", the server that serves the document */
  readonly serverUrl?: string;
}

/** Describes every operation as an OpenAPI 3.1 document, built from the same rows that are served. */
export function toOpenApi({ serverUrl = "/" }: OpenApiOptions = {}): OpenApiDocument {
  const refusals = collectRefusals();
  return {
    openapi: "3.1.1",
    info: {
      ...about,
      license: { ...about.license, identifier: "MIT" },
      summary: "A control plane for live systems.",
      description:
        "The environment service (v1), the account service (v1), and the manual override protocol of live systems.",
    },
    servers: [{ url: serverUrl }],
    tags,
    paths: paths(refusals),
    webhooks: describedWebhooks(),
    components: {
      schemas: { ...namedSchemas(), Problem: problemSchema },
      parameters: requestHeaders,
      headers: answerHeaders,
      responses: refusals.byName,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An access token." },
        challenge: { type: "http", scheme: "bearer", description: "A challenge from a mail: `<handle>.<secret>`." },
      },
    },
  };
}

const tags = [
  {
    name: "environments",
    description: "Environment service v1: environments, CI/CD profiles, secrets and service accounts.",
  },
  { name: "accounts", description: "Account service v1: accounts and personal resource groups." },
  { name: "sessions", description: "Account service v1: sessions." },
  { name: "tokens", description: "Account service v1: tokens and the keys that verify them." },
  { name: "organizations", description: "Account service v1: organizations, teams and resource groups." },
  { name: "permissions", description: "Account service v1: explanations of permissions." },
  { name: "subscriptions", description: "Account service v1: plans." },
  { name: "liveSystems", description: "Live systems, their components and mutations." },
  { name: "overrides", description: "Manual overrides in all live systems." },
  { name: "names", description: "The names behind IDs." },
  { name: "events", description: "The event stream and the event log." },
] as const;

function paths(refusals: Refusals): Record<string, DocumentObject> {
  const byPath: Record<string, Record<string, unknown>> = {};
  for (const row of Object.values(operationsById)) {
    const { methods, path } = parseRoute(row.id);
    byPath[path] ??= {};
    const [method, ...aliases] = methods.map((name) => name.toLowerCase());
    if (method !== undefined) byPath[path][method] = operationObject(row, refusals);
    for (const alias of aliases) byPath[path][alias] = operationObject(row, refusals, "ByPost");
  }
  return byPath;
}
