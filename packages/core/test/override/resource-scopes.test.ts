import { describe, expect, test } from "vitest";
import type { ExistingResource } from "../../src/contract/schemas/resource-schemas.ts";
import { definition } from "../builders/handed-over.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const subscription = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302";
const site = "Microsoft.Web/sites";
const idIn = (group: string, name: string) => `${subscription}/resourceGroups/${group}/providers/${site}/${name}`;
const team = `${subscription}/resourceGroups/team`;
const bucket = "storage.v1.bucket";

async function worldWith(...resourceScopes: string[]) {
  const world = overrideWorld({ resourceScopes });
  const console = world.consoles["provider-a"];
  for (const group of ["dev", "team", "other"]) await console.put(idIn(group, "web"), { type: site });
  const list = async (query: object = {}) => {
    const found: ExistingResource[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = (await world.call("environments.resources.list", {
        params: environmentId,
        query: { provider: "provider-a", limit: 1, ...query, ...(cursor !== null && { cursor }) },
      })) as { items: ExistingResource[]; nextCursor: string | null };
      found.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) return found.map(({ id }) => id.split("/")[4]);
    }
  };
  return { world, console, list };
}

describe("resources in other groups", () => {
  test("are listed of the environment's resourceScopes and nowhere else, each once", async () => {
    const { list } = await worldWith(team);
    expect(await list()).toEqual(["dev", "team"]);
    expect(await list({ scope: "team" })).toEqual(["team"]);
    expect(await list({ scope: team })).toEqual(["team"]);
    await expect(list({ scope: "other" })).rejects.toMatchObject({ details: { errors: [{ parameter: "scope" }] } });
    expect(await (await worldWith(subscription, team)).list()).toEqual(["dev", "other", "team"]);
  });

  test("are declared, adopted, created and corrected there", async () => {
    const { world, console } = await worldWith(team);
    const { definition: declared, warnings } = (await world.call("environments.resources.declare", {
      params: environmentId,
      body: { resourceIds: [idIn("team", "web"), idIn("other", "web")] },
    })) as { definition: { components: object[] }; warnings: { detail: string }[] };
    expect(declared.components).toMatchObject([{ resourceId: idIn("team", "web") }]);
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining("resourceScopes")]);
    expect(await world.create(declared as never)).toMatchObject({ status: "Succeeded" });
    expect((await console.get(idIn("team", "web")))?.tags).toEqual({ "managed-by": "platform" });

    const made = await world.create(definition([{ path: "new", type: site, resourceId: idIn("TEAM", "new") }]));
    expect(made).toMatchObject({ status: "Succeeded" });
    expect(await console.get(idIn("team", "new"))).toMatchObject({ tags: { "managed-by": "platform" } });
    await console.patchParameters(idIn("team", "new"), { size: 2 });
    await world.runtime.advance(180_000);
    await world.cycle();
    expect((await console.get(idIn("team", "new")))?.parameters).toEqual({ size: 1 });
  });

  test("are refused outside of all scopes, and the refusal says what to do", async () => {
    const { world } = await worldWith(team);
    const far = definition([{ path: "far", type: site, resourceId: idIn("other", "web") }]);
    await expect(world.create(far)).rejects.toMatchObject({
      code: "InvalidDeclaration",
      details: {
        errors: [{ pointer: "#/components/0/resourceId", detail: expect.stringContaining("resourceScopes") }],
      },
    });
  });

  test("of another Google project or location belong to it alone", async () => {
    const world = overrideWorld({
      resourceScopes: ["projects/project-two", "projects/project-six/locations/europe-west1"],
    });
    const at = (resourceId: string, type = bucket) =>
      world.create(definition([{ path: "one", provider: "provider-b", type, resourceId }])).then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      );
    expect(await at("projects/project-two/buckets/one")).toBe("Succeeded");
    expect(await at("projects/project-two-b/buckets/two")).toBe("InvalidDeclaration");
    expect(await at("projects/project-six/buckets/two")).toBe("InvalidDeclaration");
    const disk = "compute.v1.disk";
    expect(await at("projects/project-six/zones/europe-west1-b/disks/two", disk)).toBe("Succeeded");
    expect(await at("projects/project-six/zones/europe-west10-b/disks/two", disk)).toBe("InvalidDeclaration");
  });
});
