import { type Cloud, type CloudCall, type CloudTarget, isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { awsKindOf } from "./aws-kinds.ts";
import type { AwsRequests } from "./aws-requests.ts";

/** The actions that every resource needs. */
export const neededActions: readonly string[] = [
  "cloudformation:CreateResource",
  "cloudformation:DeleteResource",
  "cloudformation:GetResource",
  "cloudformation:GetResourceRequestStatus",
  "cloudformation:ListResources",
  "cloudformation:UpdateResource",
];

/** What the adapter also calls. It can do without, and then shows less or needs more calls. */
export const furtherActions: readonly string[] = [
  "account:ListRegions",
  "cloudtrail:LookupEvents",
  "tag:GetResources",
  "tag:TagResources",
  "tag:UntagResources",
];

const mostAtOnce = 100;

/** The rights that the caller lacks: with types, those that the adapter and the types' handlers need. What AWS doesn't tell isn't listed. */
export function awsRights(requests: Pick<AwsRequests, "callerAt" | "query">): NonNullable<Cloud["missingRights"]> {
  const known = new Map<string, readonly string[]>();

  /** What Cloud Control does for a type with the caller's rights. AWS publishes it only in the type's schema. */
  async function actionsOf(type: string, target: CloudTarget, call: CloudCall): Promise<readonly string[]> {
    const found = known.get(type);
    if (found !== undefined) return found;
    const options = { place: placeIn(target), call };
    const input = { Type: "RESOURCE", TypeName: type };
    const answer = await unlessRefused(requests.query("cloudformation", "DescribeType", input, options));
    if (answer === null) return [];
    const actions = actionsIn(String(answer.Schema));
    known.set(type, actions);
    return actions;
  }

  return async (types, target, call) => {
    const wanted = new Set(neededActions);
    const described = types.filter((type) => awsKindOf(type) !== null);
    if (described.length > 0) for (const action of furtherActions) wanted.add(action);
    for (const type of described) for (const action of await actionsOf(type, target, call)) wanted.add(action);
    return (await deniedActions(requests, [...wanted], target, call)) ?? [];
  };
}

/** Which of these actions IAM denies to the caller, on resources in general; `null`: it doesn't tell. */
export async function deniedActions(
  requests: Pick<AwsRequests, "callerAt" | "query">,
  actions: readonly string[],
  target: CloudTarget,
  call: CloudCall,
): Promise<readonly string[] | null> {
  const options = { place: placeIn(target), call };
  const { arn } = await requests.callerAt(options.place, call);
  // The account's own user may do everything, and IAM doesn't simulate it.
  if (arn.endsWith(":root")) return [];
  const source = await sourceOf(requests, arn, options);
  if (source === null) return null;
  const region = { ContextKeyName: "aws:RequestedRegion", ContextKeyValues: [target.region], ContextKeyType: "string" };
  const denied: string[] = [];
  for (let from = 0; from < actions.length; from += mostAtOnce) {
    const ActionNames = actions.slice(from, from + mostAtOnce);
    const input = { PolicySourceArn: source, ActionNames, ContextEntries: [region] };
    for (let page: JsonObject = {}; ; ) {
      const answer = await unlessRefused(
        requests.query("iam", "SimulatePrincipalPolicy", { ...input, ...page }, options),
      );
      if (answer === null) return null;
      denied.push(...deniedIn(answer));
      if (answer.IsTruncated !== "true") break;
      page = { Marker: String(answer.Marker) };
    }
  }
  return denied;
}

/** The ARN of the user or role that a caller is. The ARN of a session leaves out the path of its role. */
async function sourceOf(
  requests: Pick<AwsRequests, "query">,
  caller: string,
  options: Parameters<AwsRequests["query"]>[3],
): Promise<string | null> {
  if (/:iam::\d+:user\//.test(caller)) return caller;
  const [, RoleName] = /:assumed-role\/([^/]+)\//.exec(caller) ?? [];
  if (RoleName === undefined) return null;
  const answer = await unlessRefused(requests.query("iam", "GetRole", { RoleName }, options));
  return isObject(answer?.Role) ? String(answer.Role.Arn) : null;
}

function placeIn({ scope, region }: CloudTarget) {
  return { account: scope, region };
}

/** `null`: the caller may not ask, or can't reach the service. A check must not stop what needs neither. */
async function unlessRefused(answer: Promise<JsonObject>): Promise<JsonObject | null> {
  try {
    return await answer;
  } catch (error) {
    const isUnanswered = isLiveplaneError(error, "ProviderError") || isLiveplaneError(error, "ProviderTimeout");
    if (isUnanswered || isFinalRefusal(error)) return null;
    throw error;
  }
}

/** The denied actions. One that depends on a value that isn't known here may be allowed. */
function deniedIn({ EvaluationResults: results }: JsonObject): readonly string[] {
  return (Array.isArray(results) ? results : []).filter(isObject).flatMap((result) => {
    const isOpen = Array.isArray(result.MissingContextValues) && result.MissingContextValues.length > 0;
    return result.EvalDecision === "allowed" || isOpen ? [] : [String(result.EvalActionName)];
  });
}

/** The rights of a type's handlers. IAM simulates no wildcards, and `iam:PassRole` is allowed for single roles. */
function actionsIn(schema: string): readonly string[] {
  try {
    const { handlers } = JSON.parse(schema) as { handlers: Record<string, { permissions?: string[] }> };
    const actions = Object.values(handlers).flatMap(({ permissions = [] }) => permissions);
    return [...new Set(actions)].filter((action) => /^[\w-]+:\w+$/.test(action) && action !== "iam:PassRole").sort();
  } catch {
    return [];
  }
}
