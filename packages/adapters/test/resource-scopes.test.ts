import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Cloud, type CloudCall, SecretValue } from "@liveplane/core/clouds";
import { expect, test } from "vitest";

const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3302";
const call: CloudCall = { credentials: { kind: "delegated", name: null, secret: new SecretValue("token") } };
const target = { scope: subscription, region: "", tenantId: "3f2504e0-4f89-41d3-9a0c-0305e82c3300", container: "team" };

/** A cloud whose only answers are these, and what it was asked. */
function answering(make: (options: { readonly fetch: typeof fetch }) => Cloud, answers: readonly object[]) {
  const asked: string[] = [];
  const cloud = make({
    fetch: async (url, init) => {
      asked.push(`${init?.method ?? "GET"} ${String(url)}`);
      return Response.json(answers[asked.length - 1] ?? { value: [] });
    },
  });
  return { asked, cloud };
}

const role = (actions: string[], notActions: string[] = []) => ({ value: [{ actions, notActions }] });

test.each([
  ["Contributor", role(["*"], ["Microsoft.Authorization/*/Write"]), true],
  ["Reader", role(["*/read"]), false],
  ["a role without tags", role(["*"], ["Microsoft.Resources/tags/*"]), false],
  [
    "two roles together",
    { value: [...role(["*/read"]).value, ...role(["Microsoft.Resources/tags/write"]).value] },
    true,
  ],
  ["nothing", { value: [] }, false],
])("Azure: %s suffices: %j", async (_, answer, suffices) => {
  const { cloud, asked } = answering(azureCloud, [answer]);
  const checked = cloud.checkRights?.(target, call);
  if (suffices) await checked;
  else await expect(checked).rejects.toMatchObject({ code: "ProviderError", retryable: false });
  const path = `/subscriptions/${subscription}/resourceGroups/team/providers/Microsoft.Authorization/permissions`;
  expect(asked).toEqual([`GET https://management.azure.com${path}?api-version=2022-04-01`]);
});

test("Google: a project that the credentials can't see is refused", async () => {
  const permission = "resourcemanager.projects.get";
  const { cloud, asked } = answering(googleCloud, [{ permissions: [permission] }, {}]);
  const project = { scope: "project-two", region: "" };
  await cloud.checkRights?.(project, call);
  await expect(cloud.checkRights?.(project, call)).rejects.toMatchObject({ code: "ProviderError", retryable: false });
  const at = "https://cloudresourcemanager.googleapis.com/v1/projects/project-two:testIamPermissions";
  expect(asked).toEqual([`POST ${at}`, `POST ${at}`]);
});

test("a Google location holds its regions and zones, and nothing of the project itself", () => {
  const cloud = googleCloud();
  const { id: _, ...place } = cloud.parseScope?.("projects/project-two/locations/europe-west1") ?? { scope: "" };
  const isIn = (type: string, id: string) =>
    "id" in cloud.parseResourceId(type, `projects/project-two/${id}`, { region: "", ...place });
  expect(isIn("compute.v1.disk", "zones/europe-west1-b/disks/one")).toBe(true);
  expect(isIn("compute.v1.address", "regions/europe-west1/addresses/one")).toBe(true);
  expect(isIn("run.v2.service", "locations/europe-west1/services/one")).toBe(true);
  expect(isIn("compute.v1.disk", "zones/europe-west10-b/disks/one")).toBe(false);
  expect(isIn("compute.v1.network", "global/networks/one")).toBe(false);
  expect(isIn("storage.v1.bucket", "buckets/one")).toBe(false);
});
