import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud, ResourceChanger } from "../../src/ports/cloud.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { deployed, managed, overridden } from "../builders/handed-over.ts";

const ann: ResourceChanger = {
  name: "ann@example.com\u0000",
  at: "2026-01-01T00:00:00.000Z",
  operation: "Microsoft.Resources/tags/write",
};
const shown = { ...ann, name: "ann@example.com" };

/** Clouds that keep a record of who changed what. */
function recording(tell: () => Promise<ResourceChanger | null>, recordLagMs = 0) {
  const asked: { readonly since: string; readonly until: string }[] = [];
  const clouds = (all: readonly Cloud[]): readonly Cloud[] =>
    all.map((cloud) => ({
      ...cloud,
      capabilities: { ...cloud.capabilities, recordLagMs },
      whoChanged: async (_ref, within) => {
        asked.push(within);
        return tell();
      },
    }));
  return { asked, clouds };
}

describe.each(bothClouds)("$provider: who took over", (flavour) => {
  test("is asked for once, and shown while the override lasts", async () => {
    const { asked, clouds } = recording(async () => ann);
    const { world, id, resourceId, console } = await overridden(flavour, { clouds });
    await world.cycle();
    expect((await world.component(id)).override).toMatchObject({ takenOverBy: shown, claimedBy: null });
    const told = await world.events("component.override.attributed");
    expect(told).toMatchObject([
      { subject: id, actor: "agent", data: { status: "ManualOverride", takenOverBy: shown } },
    ]);
    await world.cycle();
    expect(asked).toHaveLength(1);
    const [{ since, until } = { since: "", until: "" }] = asked;
    expect(Date.parse(since)).toBeLessThan(Date.parse(until));
    await console.putTags(resourceId, { "managed-by": "platform", platform: "reconcile" });
    await world.cycle();
    await world.cycle();
    expect((await world.component(id)).override).toBeNull();
  });

  test("is told once if two processes ask at the same time", async () => {
    let other: (() => Promise<unknown>) | null = null;
    const { asked, clouds } = recording(async () => {
      const begin = other;
      other = null;
      await begin?.();
      return ann;
    });
    const { world } = await overridden(flavour, { clouds });
    other = () => world.cycle();
    await world.cycle();
    expect(asked).toHaveLength(2);
    expect(await world.events("component.override.attributed")).toHaveLength(1);
  });

  test("is looked for after the agent's last write", async () => {
    const { asked, clouds } = recording(async () => ann);
    const { world, id, resourceId, console } = await deployed(flavour, { clouds });
    await world.runtime.advance(60_000);
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycle();
    const { lastWriteAt } = (await world.check(id)).acknowledgement;
    await console.putTags(resourceId, {});
    await world.cycles(2);
    expect(asked).toMatchObject([{ since: lastWriteAt }]);
  });

  test.each([
    ["before the record may tell of it", 600_000, 0],
    ["later than that by a clock that was put back since", 0, -5 * 3_600_000],
  ])("isn't asked for %s", async (_, waitMs, jumpMs) => {
    const { asked, clouds } = recording(async () => ann, 600_000);
    const { world, id } = await overridden(flavour, { clouds });
    await world.cycle();
    expect(asked).toHaveLength(0);
    expect((await world.component(id)).override).toMatchObject({ takenOverBy: null });
    world.runtime.jump(jumpMs);
    await world.runtime.advance(waitMs);
    await world.cycle();
    expect((await world.component(id)).override).toMatchObject({ takenOverBy: shown });
  });

  test("stays unknown without the right to the record, which isn't asked for again for an hour", async () => {
    let isAllowed = false;
    const { asked, clouds } = recording(async () => {
      if (!isAllowed) throw new LiveplaneError("ProviderCredentialsRejected");
      return ann;
    });
    const { world, id } = await overridden(flavour, { clouds });
    for (let cycles = 0; cycles < 5; cycles++) await world.cycle();
    expect(asked).toHaveLength(1);
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", override: { takenOverBy: null } });
    expect((await world.component(id)).conditions.readable.value).toBe(true);
    isAllowed = true;
    await world.runtime.advance(3_600_000);
    await world.cycle();
    expect((await world.component(id)).override).toMatchObject({ takenOverBy: shown });
  });

  test("is told of that override alone, though it ends and another begins while the record is read", async () => {
    let meanwhile = async (): Promise<unknown> => null;
    const { clouds } = recording(async () => {
      await meanwhile();
      return ann;
    });
    const { world, id, resourceId, console } = await overridden(flavour, { clouds });
    meanwhile = async () => {
      await console.putTags(resourceId, managed);
      await world.check(id);
      await console.putTags(resourceId, {});
      await world.check(id);
    };
    await world.cycle();
    expect(await world.events("component.override.started")).toHaveLength(2);
    expect(await world.events("component.override.attributed")).toEqual([]);
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", override: { takenOverBy: null } });
  });

  test("is nobody where the record tells of nobody, or the cloud keeps none", async () => {
    const { asked, clouds } = recording(async () => null);
    const { world, id } = await overridden(flavour, { clouds });
    await world.cycle();
    expect(asked).toHaveLength(1);
    expect((await world.component(id)).override).toMatchObject({ takenOverBy: null });
    const without = await overridden(flavour);
    expect((await without.world.component(without.id)).override).toMatchObject({ takenOverBy: null });
  });
});

test("nobody is asked for while the agent has it", async () => {
  const { asked, clouds } = recording(async () => ann);
  const { world } = await deployed({}, { clouds });
  await world.cycle();
  expect(asked).toHaveLength(0);
});
