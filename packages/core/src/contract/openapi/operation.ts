import * as z from "zod";
import { takesIdempotencyKey, takesPreconditions } from "../error-answers.ts";
import { pathParameter } from "../path-parameters.ts";
import { credentialHeaders, parseRoute } from "../routes.ts";
import { bodyLimitKiB, type CallerRule, type Operation } from "../row.ts";
import { answersOf, type Refusals } from "./answers.ts";
import { exampleBodies } from "./examples.ts";
import { type DocumentObject, inlineSchema, refTo } from "./schemas.ts";

const header = (name: string, description: string, schema: DocumentObject = { type: "string" }) =>
  ({ name, in: "header", required: false, description, schema }) as const;

/** The headers that requests may have. */
export const requestHeaders = {
  IfMatch: header("If-Match", "The versions that the record may have, or `*`."),
  IfNoneMatch: header("If-None-Match", "The versions that the record must not have; `*`: the record must not exist."),
  IdempotencyKey: header(
    "Idempotency-Key",
    "For 24 hours, a repeated request with the same key is carried out only once.",
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      pattern: "^[\\x21-\\x7e]+$",
    },
  ),
  RequestId: header("X-Request-Id", "An ID for this request; the server uses it if it has this format.", {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{8,128}$",
  }),
  providerAClientId: header(credentialHeaders.providerAClientId, "A service principal of Azure."),
  providerAClientSecret: header(
    credentialHeaders.providerAClientSecret,
    "The secret of the service principal.",
    password(),
  ),
  providerAClientAssertion: header(
    credentialHeaders.providerAClientAssertion,
    "A signed assertion of the service principal (RFC 7523), instead of its secret.",
    password(),
  ),
  providerBServiceAccountEmail: header(
    credentialHeaders.providerBServiceAccountEmail,
    "A service account of Google Cloud.",
  ),
  providerBServiceAccountCredentials: header(
    credentialHeaders.providerBServiceAccountCredentials,
    "The key of the service account: compact JSON, or its base64.",
    password(),
  ),
  providerBFederatedToken: header(
    credentialHeaders.providerBFederatedToken,
    "A token of an identity provider that Google Cloud trusts, instead of a service account and its key.",
    password(),
  ),
  providerBWorkloadIdentityProvider: header(
    credentialHeaders.providerBWorkloadIdentityProvider,
    "The name of that identity provider in Google Cloud: projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>.",
  ),
  LastEventId: header("Last-Event-ID", "The sequence of the last event that was received."),
} as const;

type HeaderName = keyof typeof requestHeaders;

const pathTexts: Readonly<Record<string, string>> = {
  type: "The type of the environment: Personal or Organizational.",
  ownerId: "The ID of the owner.",
  shortName: "The short name.",
  profileShortName: "The short name of the CI/CD profile.",
  secretShortName: "The short name of the secret.",
  componentId: "The ID of the component; its slashes may be percent-encoded or literal.",
};

/** The description of each query parameter. */
const queryTexts: Readonly<Record<string, string>> = {
  accountId: "The account that the subscription is for.",
  after:
    "The sequence of the last event that was received; the stream continues after it. 0 starts with the oldest event kept.",
  cursor: "The `nextCursor` of the previous page.",
  drift: "true: only components with drift; false: only those without.",
  email: "The complete e-mail address.",
  environment: "An environment as `Type/ownerId/shortName`.",
  from: "Only events at or after this instant.",
  id: "The IDs to find names for, at most 100.",
  limit: "The maximum number of items in a page; larger values count as 200.",
  livesystem: "Only events of these live systems.",
  nested:
    "true: also resources that the cloud lists only within another one, such as containers. Takes a call for each.",
  newest: "Only this number of events, the latest of the period.",
  ownerId: "Only environments of this owner.",
  pointers: "The places, as JSON Pointers into the parameters.",
  principalId: "The ID of the account or team.",
  principalType: "The type of the principal.",
  projectName: "The ID of the project.",
  provider: "The cloud. If omitted, the first one in which the environment is initialized.",
  resourceGroup: "A resource group as `Type/ownerId/shortName`, or just its short name within an organization.",
  scope: "A resource group or project, by its ID or name. If omitted, all that the environment may use.",
  sort: "The order: oldest first.",
  status: "Only items with this status.",
  subscriptionId: "The ID of the subscription in the cloud.",
  tenantId: "The ID of the tenant in the cloud.",
  type: "Only items of these types.",
  until: "Only events before this instant.",
  username: "The complete user name.",
};

/** The OpenAPI operation of a row. `by` is set for the second method of the same row. */
export function operationObject(row: Operation, refusals: Refusals, by = ""): DocumentObject {
  const { takes } = parseRoute(row.id);
  return {
    operationId: `${row.id}${by}`,
    summary: row.summary.replace(/\.$/, ""),
    description: [row.summary, whoMay(row.access), row.fresh && freshOnly, row.note].filter(Boolean).join(" "),
    tags: [row.id.split(".")[0]],
    ...(row.deprecated !== undefined && { deprecated: true }),
    security: security(row.access),
    parameters: [...pathParameters(row), ...queryParameters(row), ...headerParameters(row)],
    ...(takes === "body" && { requestBody: requestBody(row) }),
    responses: answersOf(row, refusals),
  };
}

function password(): DocumentObject {
  return { type: "string", format: "password", maxLength: 8192 };
}

const freshOnly = "People must have signed in within the last ten minutes.";

function whoMay(access: CallerRule): string {
  if ("on" in access) return `Needs ${access.need} on ${thing[access.on]}.`;
  switch (access.who) {
    case "anyone":
      return "Anyone may call this.";
    case "challenge":
      return "The mailed challenge is the credential.";
    case "principal":
      return "Returns only what the caller may view.";
    case "account":
      return "Acts on the caller's own account.";
    case "operator":
      return "Needs an operator.";
  }
}

const thing = {
  environment: "the environment",
  liveSystem: "the live system",
  organization: "the organization",
  team: "the team",
  personalGroup: "the resource group",
  organizationGroup: "the resource group",
  subscription: "the subscription",
} as const;

function security(access: CallerRule): readonly DocumentObject[] {
  if ("who" in access && access.who === "anyone") return [];
  return "who" in access && access.who === "challenge" ? [{ challenge: [] }] : [{ bearer: [] }];
}

function pathParameters({ id }: Operation): readonly DocumentObject[] {
  return parseRoute(id).params.map((name) => {
    const { $schema: _, ...schema } = z.toJSONSchema(pathParameter(id, name), { io: "input" });
    return { name, in: "path", required: true, description: pathTexts[name] ?? "The ID.", schema };
  });
}

function queryParameters({ query }: Operation): readonly DocumentObject[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = inlineSchema(query) as {
    properties?: Readonly<Record<string, DocumentObject>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: queryTexts[name],
    schema,
  }));
}

function headerParameters(row: Operation): readonly DocumentObject[] {
  const { takes } = parseRoute(row.id);
  const names: HeaderName[] = ["RequestId"];
  if (takesPreconditions(row)) names.push("IfMatch", "IfNoneMatch");
  if (takesIdempotencyKey(row)) names.push("IdempotencyKey");
  if (row.credentials === "provider-a")
    names.push("providerAClientId", "providerAClientSecret", "providerAClientAssertion");
  if (row.credentials === "provider-b")
    names.push(
      "providerBServiceAccountEmail",
      "providerBServiceAccountCredentials",
      "providerBFederatedToken",
      "providerBWorkloadIdentityProvider",
    );
  if (takes === "stream") names.push("LastEventId");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(row: Operation): DocumentObject {
  const { id, body, bodyOptional } = row;
  const example = exampleBodies[id];
  if (body === undefined) return {};
  const media = { schema: refTo(body), ...(example !== undefined && { example }) };
  const forms = id.startsWith("tokens.") ? { "application/x-www-form-urlencoded": media } : {};
  const limit = bodyLimitKiB(row);
  const description = `At most ${limit < 1024 ? `${limit} KiB` : `${limit / 1024} MiB`}.`;
  return { description, required: bodyOptional !== true, content: { ...forms, "application/json": media } };
}
