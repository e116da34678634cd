import { UsageError } from "../usage-error.ts";
import { listOf, ownMember } from "./own-member.ts";

/** A change that another tool plans. */
export interface ForeignChange {
  /** The tool's name for the resource. */
  readonly address: string;
  readonly action: string;
  /** Its names in the cloud: IDs, links. */
  readonly ids: readonly string[];
  /** It is deleted with everything in it. */
  readonly isDeletion: boolean;
  /** The AWS type, account and region, where the tool says them. */
  readonly aws?: { readonly type: string; readonly account: string; readonly region: string };
}

/** The changes in a Terraform plan, a CloudFormation change set or a Pulumi preview, as JSON. */
export function plannedChanges(plan: unknown): ForeignChange[] {
  const terraform = ownMember(plan, "resource_changes");
  // A plan without changes has no such member. A state has neither.
  if (Array.isArray(terraform) || ownMember(plan, "planned_values") !== undefined)
    return [...listOf(terraform).flatMap(ofTerraform), ...listOf(ownMember(plan, "action_invocations")).map(ofAction)];
  const cloudFormation = ownMember(plan, "Changes");
  if (Array.isArray(cloudFormation)) return ofChangeSet(plan, cloudFormation);
  const pulumi = ownMember(plan, "steps");
  // A preview of nothing has no steps.
  if (Array.isArray(pulumi) || ownMember(plan, "changeSummary") !== undefined) return listOf(pulumi).flatMap(ofPulumi);
  const events = Array.isArray(plan) ? plan : ownMember(plan, "events");
  if (Array.isArray(events) && events.some(isPulumiEvent)) return ofPulumiEvents(events);
  throw new UsageError(
    "This is neither a Terraform plan (terraform show -json), a CloudFormation change set (describe-change-set) nor a Pulumi preview (--json or --event-log).",
  );
}

function ofTerraform(one: unknown): ForeignChange[] {
  const change = ownMember(one, "change");
  const actions = listOf(ownMember(change, "actions")).map(String);
  if (actions.every((action) => ["no-op", "read", "forget"].includes(action))) return [];
  const [before, after] = [ownMember(change, "before"), ownMember(change, "after")];
  const ids = [before, after].flatMap((state) => [
    ownMember(state, "id"),
    ownMember(state, "self_link"),
    ownMember(state, "arn"),
  ]);
  const imported = ownMember(ownMember(change, "importing"), "id");
  return [planned(one, "address", actions.join(" and "), [...ids, imported])];
}

/** An action names resources in its own configuration. */
function ofAction(one: unknown): ForeignChange {
  const values = ownMember(one, "config_values");
  return planned(one, "address", "invoke", typeof values === "object" && values !== null ? Object.values(values) : []);
}

/** The stack's own ID tells in which account and region its resources are. */
function ofChangeSet(plan: unknown, changes: readonly unknown[]): ForeignChange[] {
  if (typeof ownMember(plan, "NextToken") === "string")
    throw new UsageError("The change set has more pages. Describe it without --max-items and --no-paginate.");
  const [, region = "", account = ""] =
    /^arn:[\w-]+:cloudformation:([\w-]+):(\d{12}):/.exec(String(ownMember(plan, "StackId"))) ?? [];
  return changes
    .map((one) => ownMember(one, "ResourceChange"))
    .filter((change) => change !== undefined && !isLeft(change))
    .map((change) => {
      // A modification may mean that the resource is deleted and another one is made.
      const isReplaced = ["True", "Conditional"].includes(String(ownMember(change, "Replacement")));
      const action = `${ownMember(change, "Action")}${isReplaced ? " and replace" : ""}`;
      const type = String(ownMember(change, "ResourceType"));
      const known = planned(change, "LogicalResourceId", action, [ownMember(change, "PhysicalResourceId")]);
      return account === "" ? known : { ...known, aws: { type, account, region } };
    });
}

/** CloudFormation lets go of it, or corrects only what it knows itself. */
function isLeft(change: unknown): boolean {
  const action = ownMember(change, "Action");
  return action === "SyncWithActual" || (action === "Remove" && ownMember(change, "PolicyAction") === "Retain");
}

/** Change sets that a change set only names: those of nested stacks. */
export function nestedChangeSets(plan: unknown): string[] {
  return listOf(ownMember(plan, "Changes")).flatMap((one) => {
    const id = ownMember(ownMember(one, "ResourceChange"), "ChangeSetId");
    return typeof id === "string" ? [id] : [];
  });
}

/** Steps that change Pulumi's own state at most. */
const pulumiLeaves: ReadonlySet<string> = new Set([
  ...["same", "read", "read-replacement", "read-discard", "refresh"],
  ...["discard", "discard-replaced", "remove-pending-replace"],
]);

function ofPulumi(one: unknown): ForeignChange[] {
  const op = String(ownMember(one, "op"));
  const states = ["oldState", "newState", "old", "new"].map((name) => ownMember(one, name));
  const isKept = /^delete/.test(op) && states.some((state) => ownMember(state, "retainOnDelete") === true);
  if (pulumiLeaves.has(op) || isKept) return [];
  const ids = states.flatMap((state) => [
    ownMember(state, "id"),
    ...["id", "selfLink", "arn"].map((name) => ownMember(ownMember(state, "outputs"), name)),
  ]);
  return [planned(one, "urn", op, ids)];
}

function isPulumiEvent(one: unknown): boolean {
  return typeof ownMember(one, "sequence") === "number";
}

/** Each step is announced by an event before it. An update that was cut off ends without a summary. */
function ofPulumiEvents(events: readonly unknown[]): ForeignChange[] {
  if (!events.some((one) => ownMember(one, "summaryEvent") !== undefined))
    throw new UsageError("Pulumi's events end before its summary, so changes may be missing. Preview again.");
  return events.flatMap((one) => {
    const step = ownMember(ownMember(one, "resourcePreEvent"), "metadata");
    return step === undefined ? [] : ofPulumi(step);
  });
}

function planned(one: unknown, name: string, action: string, ids: readonly unknown[]): ForeignChange {
  const known = [...new Set(ids.filter((id): id is string => typeof id === "string" && id !== ""))];
  return {
    address: String(ownMember(one, name)),
    action,
    ids: known,
    isDeletion: /delete|remove|replace/i.test(action),
  };
}

/** Whether a change touches a resource: it is the same, or it is inside a deleted one. */
export function touches(change: ForeignChange, resourceId: string): boolean {
  const [, account = "", region = "", type = "", identifier = ""] = ofAws.exec(resourceId) ?? [];
  if (identifier !== "") return touchesInAws(change, { type, account, region, identifier: readBack(identifier) });
  const { ids, isDeletion } = change;
  const own = plainId(resourceId);
  return ids.map(plainId).some((id) => {
    if (id === own) return true;
    if (!id.includes("/")) return own.endsWith(`/buckets/${id}`);
    return isDeletion && own.startsWith(`${id}/`);
  });
}

/** An ID of the adapter of AWS: account, region, type and AWS's identifier. */
const ofAws = /^(\d{12})\/([a-z]{2}(?:-[a-z]+)+-\d+)\/(\w+::\w+::\w+)\/(.+)$/;

interface AwsResource {
  readonly type: string;
  readonly account: string;
  readonly region: string;
  readonly identifier: string;
}

/** The identifier as AWS writes it: an ID has `!` and two digits for each byte that doesn't fit. */
function readBack(identifier: string): string {
  try {
    return decodeURIComponent(identifier.replaceAll("!", "%"));
  } catch {
    return identifier;
  }
}

/** Services whose resources aren't in the region of their stack. */
const global = /^AWS::(CloudFront|IAM|Organizations|Route53)::/;

/**
 * Tools name a resource of AWS by its identifier, or by one part of it. Where only a part is the same, the type or an ARN must tell that it is
 * this one.
 */
function touchesInAws({ ids, aws }: ForeignChange, { type, account, region, identifier }: AwsResource): boolean {
  if (aws !== undefined && (aws.type !== type || aws.account !== account)) return false;
  if (aws !== undefined && aws.region !== region && !global.test(type)) return false;
  const parts = identifier.split("|");
  const isPart = (id: string) => parts.includes(id) && (aws !== undefined || id.startsWith("arn:"));
  const isNamed = (id: string) => aws !== undefined && parts.some((part) => isNameIn(id, part) || isNameIn(part, id));
  return ids.some((id) => id === identifier || isPart(id) || isNamed(id));
}

/** Whether an ARN ends with a name: CloudFormation names a rule of EventBridge by its name, and Cloud Control by its ARN. */
function isNameIn(name: string, arn: string): boolean {
  const path = name.replaceAll("|", "/");
  return arn.startsWith("arn:") && path !== "" && (arn.endsWith(`/${path}`) || arn.endsWith(`:${path}`));
}

/** An ID without the prefixes of clouds and tools. Google's resource names leave out their service. */
function plainId(id: string): string {
  const own = id.toLowerCase().replace(/^https:\/\/[^/]+\/(?:[a-z]+\/)?v\d\w*\//, "");
  return own.replace(/^(projects\/[^/]+\/locations\/[^/]+)\/[a-z]+\/([^/]+\/[^/]+)$/, "$1/$2");
}
