import { expect, test } from "vitest";
import type { DeployPlan } from "../../src/contract/schemas/live-system-schemas.ts";
import { both, definition, deployed, overridden, planOf } from "../builders/handed-over.ts";

const immutable = { reason: "Immutable", message: "location can't change once the resource exists." };

test("the plan of a hand-back names what can't be put back and why, and the request says so at once", async () => {
  const { world, id, resourceId, console, params } = await overridden({ parameters: { location: "a", size: 1 } });
  await console.patchParameters(resourceId, { location: "b", size: 2 });
  await world.cycle();
  const plan = await planOf(world, params);
  expect(plan).toMatchObject({
    possible: false,
    reason: "/location can't be put back. location can't change once the resource exists.",
    changes: [
      { pointer: "/location", unwritable: immutable },
      { pointer: "/size", unwritable: null },
    ],
  });
  await console.putTags(resourceId, both);
  await world.cycle();
  const { status, health, conditions } = await world.component(id);
  expect(status).toBe("ReconcileRequested");
  expect(health).toBe("Uncorrectable");
  expect(conditions.inSync).toMatchObject(immutable);
});

test("the plan of a deploy names what it can't write and why", async () => {
  const { world, system } = await deployed({ parameters: { location: "a", size: 1 } });
  const body = definition([{ path: "app", parameters: { location: "b", size: 2 } }]);
  const plan = (await world.call("liveSystems.planDeploy", { params: { id: system }, body })) as DeployPlan;
  expect(plan.components[0]?.changes).toMatchObject([
    { pointer: "/location", unwritable: immutable },
    { pointer: "/size", unwritable: null },
  ]);
});
