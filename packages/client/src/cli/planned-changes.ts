import { UsageError } from "./host.ts";
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
}

/** The changes in a Terraform plan, a CloudFormation change set or a Pulumi preview, as JSON. */
export function plannedChanges(plan: unknown): ForeignChange[] {
  const terraform = ownMember(plan, "resource_changes");
  // A plan without changes has no such member. A state has neither.
  if (Array.isArray(terraform) || ownMember(plan, "planned_values") !== undefined)
    return [...listOf(terraform).flatMap(ofTerraform), ...listOf(ownMember(plan, "action_invocations")).map(ofAction)];
  const cloudFormation = ownMember(plan, "Changes");
  if (Array.isArray(cloudFormation)) return cloudFormation.flatMap(ofCloudFormation);
  const pulumi = ownMember(plan, "steps");
  if (Array.isArray(pulumi)) return pulumi.flatMap(ofPulumi);
  throw new UsageError(
    "This is neither a Terraform plan (terraform show -json), a CloudFormation change set (describe-change-set) nor a Pulumi preview (--json).",
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

function ofCloudFormation(one: unknown): ForeignChange[] {
  const change = ownMember(one, "ResourceChange");
  if (change === undefined) return [];
  // A modification may mean that the resource is deleted and another one is made.
  const isReplaced = ["True", "Conditional"].includes(String(ownMember(change, "Replacement")));
  const action = `${ownMember(change, "Action")}${isReplaced ? " and replace" : ""}`;
  return [planned(change, "LogicalResourceId", action, [ownMember(change, "PhysicalResourceId")])];
}

/** Steps that change Pulumi's own state at most. */
const pulumiLeaves: ReadonlySet<string> = new Set([
  ...["same", "read", "read-replacement", "read-discard", "refresh"],
  ...["discard", "discard-replaced", "remove-pending-replace"],
]);

function ofPulumi(one: unknown): ForeignChange[] {
  const op = String(ownMember(one, "op"));
  if (pulumiLeaves.has(op)) return [];
  const states = [ownMember(one, "oldState"), ownMember(one, "newState")];
  const ids = states.flatMap((state) => [
    ownMember(state, "id"),
    ...["id", "selfLink", "arn"].map((name) => ownMember(ownMember(state, "outputs"), name)),
  ]);
  return [planned(one, "urn", op, ids)];
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
export function touches({ ids, isDeletion }: ForeignChange, resourceId: string): boolean {
  const own = plainId(resourceId);
  return ids.map(plainId).some((id) => {
    if (id === own) return true;
    if (!id.includes("/")) return own.endsWith(`/buckets/${id}`);
    return isDeletion && own.startsWith(`${id}/`);
  });
}

/** An ID without the prefixes of clouds and tools. Google's resource names leave out their service. */
function plainId(id: string): string {
  const own = id.toLowerCase().replace(/^https:\/\/[^/]+\/(?:[a-z]+\/)?v\d\w*\//, "");
  return own.replace(/^(projects\/[^/]+\/locations\/[^/]+)\/[a-z]+\/([^/]+\/[^/]+)$/, "$1/$2");
}
