import { type OperationId, parseRoute } from "./routes.ts";

/** What a part of a path names. A `shortName` is named by the segment before it. */
const kinds: Readonly<Record<string, string>> = {
  profileShortName: "CI/CD profile",
  secretShortName: "secret",
  principalId: "service account",
  secretId: "secret",
  identityId: "identity",
  accountId: "account",
  factorId: "second factor",
  webhookId: "webhook",
  deliveryId: "delivery",
  sessionId: "session",
  organizationId: "organization",
  subscriptionId: "subscription",
  id: "live system",
  mutationId: "mutation",
  componentId: "component",
  resourcegroups: "resource group",
  teams: "team",
};

/** What may be repeated: a name as people and clouds give them. */
const plain = /^[\w.@/#~-]{1,200}$/;

/** What an operation's path names, with its kind, the outermost first: `environment Personal/…/demo`, `secret db`. */
export function pathInWords(operation: OperationId, params: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  const segments = parseRoute(operation).path.split("/");
  for (const [at, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined || name === "type" || name === "ownerId") continue;
    const value = params[name] ?? "";
    // The ID of a component contains its live system's.
    if (name === "componentId") found.length = 0;
    if (name !== "shortName") found.push(called(kinds[name], value));
    else if (segments[at - 1] !== "{ownerId}") found.push(called(kinds[segments[at - 1] ?? ""], value));
    else found.push(called("environment", [params.type, params.ownerId, value].join("/")));
  }
  return found;
}

/** The owner that an environment's path names, with its kind. */
export function ownerInWords({ type, ownerId }: Readonly<Record<string, string>>): string | null {
  if (ownerId === undefined) return null;
  return called(type?.toLowerCase() === "organizational" ? "organization" : "account", ownerId);
}

function called(kind = "such thing", name: string): string {
  return plain.test(name) ? `${kind} ${name}` : `${kind} of this name`;
}
