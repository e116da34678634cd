import { describe, expect, test } from "vitest";
import { plannedChanges, touches } from "../../src/cli/planned-changes.ts";

const site = "/subscriptions/s/resourceGroups/shop/providers/Microsoft.Web/sites/Shop";
const disk = "projects/p/zones/z/disks/d";
const change = (actions: string[], before: object | null, after: object | null = before, more = {}) => ({
  address: "x.y",
  change: { actions, before, after, ...more },
});
const terraform = (...resource_changes: object[]) => ({ format_version: "1.2", resource_changes });
const cloudFormation = (Action: string, PhysicalResourceId?: string) => ({
  Changes: [{ Type: "Resource", ResourceChange: { Action, LogicalResourceId: "Shop", PhysicalResourceId } }],
});
/** In the shape of the change sets in AWS's user guide. */
const replacing = (PhysicalResourceId: string) => ({
  Changes: [{ ResourceChange: { Action: "Modify", Replacement: "Conditional", PhysicalResourceId } }],
});
const pulumi = (op: string, id: string) => ({
  steps: [{ op, urn: "urn:pulumi:x", oldState: { id, outputs: { id } }, newState: { inputs: {} } }],
});

/** In the shape of `testdata/actions/plan.json` of hashicorp/terraform-json. */
const invoked = (id: string) => ({ address: "action.x.y", type: "x", config_values: { id, color: null } });

describe("a plan touches a resource", () => {
  test.each([
    ["Terraform updates it", terraform(change(["update"], { id: site.toUpperCase() })), site],
    ["Terraform replaces it", terraform(change(["delete", "create"], { id: site }, {})), site],
    ["Terraform imports it", terraform(change(["update"], null, {}, { importing: { id: site } })), site],
    [
      "Terraform deletes its group",
      terraform(change(["delete"], { id: "/subscriptions/s/resourceGroups/shop" }, null)),
      site,
    ],
    [
      "Terraform names it by its link",
      terraform(change(["update"], { self_link: `https://www.googleapis.com/compute/v1/${disk}` })),
      disk,
    ],
    ["Terraform names a bucket", terraform(change(["update"], { id: "logs" })), "projects/p/buckets/logs"],
    [
      "Terraform leaves its service out",
      terraform(change(["update"], { id: "projects/p/locations/l/services/web" })),
      "projects/p/locations/l/run/services/web",
    ],
    ["Terraform invokes an action on it", { planned_values: {}, action_invocations: [invoked(site)] }, site],
    ["CloudFormation modifies it", cloudFormation("Modify", site), site],
    ["CloudFormation replaces what it is in", replacing("/subscriptions/s/resourceGroups/shop"), site],
    ["Pulumi updates it", pulumi("update", site), site],
    ["Pulumi replaces it", pulumi("create-replacement", site), site],
  ])("where %s", (_, plan, id) => {
    expect(plannedChanges(plan).some((one) => touches(one, id))).toBe(true);
  });

  test.each([
    ["Terraform leaves it", terraform(change(["no-op"], { id: site }))],
    ["Terraform reads it", terraform(change(["read"], { id: site }))],
    ["Terraform updates its group", terraform(change(["update"], { id: "/subscriptions/s/resourceGroups/shop" }))],
    ["Terraform deletes one whose name begins the same", terraform(change(["delete"], { id: `${site}2` }, null))],
    ["Terraform creates another", terraform(change(["create"], null, { name: "shop" }))],
    ["Terraform forgets it", terraform(change(["forget"], { id: site }, null))],
    ["there are no changes", { format_version: "1.2", terraform_version: "1.9.0", planned_values: {} }],
    ["Pulumi drops it from its state", pulumi("discard", site)],
    ["Pulumi only ends a replacement that was pending", pulumi("remove-pending-replace", site)],
    ["CloudFormation adds another", cloudFormation("Add")],
    ["Pulumi leaves it", pulumi("same", site)],
  ])("but not where %s", (_, plan) => {
    expect(plannedChanges(plan).some((one) => touches(one, site))).toBe(false);
  });

  test("a Terraform state is refused: it would pass every guard", () => {
    const state = { format_version: "1.0", terraform_version: "1.9.0", values: { root_module: {} } };
    expect(() => plannedChanges(state)).toThrow("neither a Terraform plan");
  });

  test.each([null, [], {}, "text"])("what is no plan is refused: %j", (plan) => {
    expect(() => plannedChanges(plan)).toThrow("neither a Terraform plan");
  });
});
