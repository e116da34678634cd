import { UsageError } from "./host.ts";
import { listOf, member } from "./members.ts";

/** What another tool is about to do to a resource. */
export interface PlannedChange {
  /** What the tool calls the resource. */
  readonly address: string;
  readonly action: string;
  /** Names of it in its cloud: IDs, links. */
  readonly ids: readonly string[];
  /** It is deleted, with all that is in it. */
  readonly isDeletion: boolean;
}

/** The changes in a Terraform plan, a CloudFormation change set or a Pulumi preview, all as JSON. */
export function plannedChanges(plan: unknown): PlannedChange[] {
  const terraform = member(plan, "resource_changes");
  if (Array.isArray(terraform)) return terraform.flatMap(ofTerraform);
  const cloudFormation = member(plan, "Changes");
  if (Array.isArray(cloudFormation)) return cloudFormation.flatMap(ofCloudFormation);
  const pulumi = member(plan, "steps");
  if (Array.isArray(pulumi)) return pulumi.flatMap(ofPulumi);
  // A Terraform plan without changes has no such member.
  if (member(plan, "terraform_version") !== undefined) return [];
  throw new UsageError(
    "This is neither a Terraform plan (terraform show -json), a CloudFormation change set (describe-change-set) nor a Pulumi preview (--json).",
  );
}

function ofTerraform(one: unknown): PlannedChange[] {
  const change = member(one, "change");
  const actions = listOf(member(change, "actions")).map(String);
  if (actions.every((action) => action === "no-op" || action === "read")) return [];
  const [before, after] = [member(change, "before"), member(change, "after")];
  const ids = [before, after].flatMap((state) => [
    member(state, "id"),
    member(state, "self_link"),
    member(state, "arn"),
  ]);
  const imported = member(member(change, "importing"), "id");
  return [planned(one, "address", actions.join(" and "), [...ids, imported])];
}

function ofCloudFormation(one: unknown): PlannedChange[] {
  const change = member(one, "ResourceChange");
  const id = member(change, "PhysicalResourceId");
  return change === undefined ? [] : [planned(change, "LogicalResourceId", String(member(change, "Action")), [id])];
}

function ofPulumi(one: unknown): PlannedChange[] {
  const op = String(member(one, "op"));
  if (["same", "read", "refresh"].includes(op)) return [];
  const states = [member(one, "oldState"), member(one, "newState")];
  const ids = states.flatMap((state) => [
    member(state, "id"),
    ...["id", "selfLink", "arn"].map((name) => member(member(state, "outputs"), name)),
  ]);
  return [planned(one, "urn", op, ids)];
}

function planned(one: unknown, name: string, action: string, ids: readonly unknown[]): PlannedChange {
  const known = [...new Set(ids.filter((id): id is string => typeof id === "string" && id !== ""))];
  return { address: String(member(one, name)), action, ids: known, isDeletion: /delete|remove|replace/i.test(action) };
}

/** Whether a change touches a resource: it is the same, or is deleted along with what it is in. */
export function touches({ ids, isDeletion }: PlannedChange, resourceId: string): boolean {
  const own = plainId(resourceId);
  return ids.map(plainId).some((id) => {
    if (id === own) return true;
    if (!id.includes("/")) return own.endsWith(`/buckets/${id}`);
    return isDeletion && own.startsWith(`${id}/`);
  });
}

/** An ID without what clouds and tools write before it. Google's names of a resource leave its service out. */
function plainId(id: string): string {
  const own = id.toLowerCase().replace(/^https:\/\/[^/]+\/(?:[a-z]+\/)?v\d\w*\//, "");
  return own.replace(/^(projects\/[^/]+\/locations\/[^/]+)\/[a-z]+\/([^/]+\/[^/]+)$/, "$1/$2");
}
