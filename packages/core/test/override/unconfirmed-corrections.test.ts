import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { both, deployed } from "../builders/handed-over.ts";

/** What a read answers instead of the truth. `old`: the size before the correction. */
type Shown = "truth" | "old" | "unreadable" | "working without the tag";

function shownAs(shown: Shown, reading: Reading): Reading {
  if (reading.state !== "present" || shown === "truth") return reading;
  if (shown === "unreadable") return { state: "unreadable", reason: "Lost" };
  const old = { ...reading, parameters: { ...reading.parameters, size: 5 } };
  if (shown === "old") return old;
  const { state: _, ...resource } = old;
  return { state: "working", resource: { ...resource, tags: {} } };
}

/** A component whose size was corrected, while reads still show the size before that. */
async function corrected() {
  let shown: Shown = "truth";
  let losesAnswer = false;
  const boundBy = () => ({ create: "none", properties: "mask", tags: "mask" }) as const;
  const lagging = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...asked) => shownAs(shown, await cloud.read(...asked)),
    async update(...asked) {
      const written = await cloud.update(...asked);
      if (!losesAnswer) return written;
      shown = "working without the tag";
      throw new LiveplaneError("ProviderTimeout", undefined, { details: { outcome: "unknown" } });
    },
  });
  const made = await deployed({ parameters: { size: 1 } }, { cloud: { boundBy }, clouds: (all) => all.map(lagging) });
  const { world, console, resourceId } = made;
  await console.patchParameters(resourceId, { size: 5 });
  shown = "old";
  await world.cycle();
  return {
    ...made,
    show: (next: Shown) => {
      shown = next;
    },
    loseAnswers() {
      losesAnswer = true;
    },
    told: async () => (await world.events("component.corrected")).length,
  };
}

describe("a correction that the first read afterwards doesn't show", () => {
  test.each<Shown>(["old", "unreadable"])("is reported once by a later read, after one that is %s", async (between) => {
    const { world, show, told } = await corrected();
    expect(await told()).toBe(0);
    show(between);
    if (between === "unreadable") await world.cycle();
    show("truth");
    await world.cycle();
    await world.cycle();
    expect(await told()).toBe(1);
  });

  test("isn't kept by a later write that nothing shows, once somebody has taken over", async () => {
    const { world, id, console, resourceId, show, loseAnswers, told } = await corrected();
    loseAnswers();
    await world.cycle();
    expect((await world.component(id)).status).toBe("ManualOverride");
    show("truth");
    await console.putTags(resourceId, both);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    expect(await told()).toBe(0);
  });
});
