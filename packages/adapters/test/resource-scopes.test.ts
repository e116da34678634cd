import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type Cloud, type CloudCall, SecretValue } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import googleTables from "../tables/google.json" with { type: "json" };

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

const group = "Microsoft.Resources/subscriptions/resourceGroups/read";
const tags = "Microsoft.Resources/tags/write";
const assignment = "Microsoft.Authorization/roleAssignments";
const role = (actions: string[], notActions: string[] = []) => ({ value: [{ actions, notActions }] });

test.each([
  ["Contributor", role(["*"], ["Microsoft.Authorization/*/Write"]), [`${assignment}/write`]],
  ["Reader", role(["*/read"]), [tags, `${assignment}/write`, `${assignment}/delete`]],
  ["a role without tags", role(["*"], ["Microsoft.Resources/tags/*"]), [tags]],
  ["two roles together", { value: [...role(["*/read", `${assignment}/*`]).value, ...role([tags]).value] }, []],
  ["nothing", { value: [] }, [group, tags, `${assignment}/read`, `${assignment}/write`, `${assignment}/delete`]],
])("Azure: %s lacks what is named", async (_, answer, missing) => {
  const { cloud, asked } = answering(azureCloud, [answer]);
  expect(await cloud.missingRights?.([`${assignment}@2022-04-01`], target, call)).toEqual(missing);
  const path = `/subscriptions/${subscription}/resourceGroups/team/providers/Microsoft.Authorization/permissions`;
  expect(asked).toEqual([`GET https://management.azure.com${path}?api-version=2022-04-01`]);
});

test("Google: permissions for every kind are tested, a hundred at a time, and those that lack are named", async () => {
  const tested: string[] = [];
  const sizes: number[] = [];
  const lacking = new Set(["compute.disks.setLabels", "resourcemanager.projects.get"]);
  const cloud = googleCloud({
    fetch: async (url, init) => {
      expect(String(url)).toBe(
        "https://cloudresourcemanager.googleapis.com/v3/projects/project-two:testIamPermissions",
      );
      const { permissions } = JSON.parse(String(init?.body)) as { permissions: string[] };
      tested.push(...permissions);
      sizes.push(permissions.length);
      return Response.json({ permissions: permissions.filter((one) => !lacking.has(one)) });
    },
  });
  const project = { scope: "project-two", region: "" };
  expect(await cloud.missingRights?.([], project, call)).toEqual(["resourcemanager.projects.get"]);
  expect(await cloud.missingRights?.(["compute.v1.disk"], project, call)).toEqual([...lacking].toReversed());
  const types = Object.entries(googleTables).map(([kind, { version }]) => kind.replace(".", `.${version}.`));
  tested.length = 0;
  sizes.length = 0;
  await cloud.missingRights?.(types, project, call);
  expect(Math.max(...sizes)).toBe(100);
  expect(new Set(tested).size).toBe(tested.length);
  expect(tested).toEqual(
    expect.arrayContaining([
      "cloudsql.users.create",
      "compute.regionHealthCheckServices.update",
      "container.clusters.update",
      "dns.resourceRecordSets.update",
      "resourcemanager.projects.setIamPolicy",
      "storage.buckets.getIamPolicy",
    ]),
  );
  expect(tested.filter((one) => !/^[a-z]+\.[A-Za-z]+\.[A-Za-z]+$/.test(one))).toEqual([]);
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
