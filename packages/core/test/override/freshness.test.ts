import { expect, test } from "vitest";
import { deployed } from "../builders/handed-over.ts";

test.each([false, true])(
  "a look that finds nothing new is shown and stored once a shard (shared store: %s)",
  async (sharedByProcesses) => {
    const { world, id, console } = await deployed({}, { sharedByProcesses });
    const before = await world.component(id);
    const stored = async () => JSON.stringify(await world.store.list({ prefix: ["record", "component"], limit: 100 }));
    const records = await stored();
    await world.runtime.advance(60_000);
    const at = world.runtime.clock.now();
    await world.cycle();
    const { lookedAt, conditions, version } = await world.component(id);
    expect(Date.parse(lookedAt ?? "")).toBe(at);
    expect({ conditions, version }).toEqual({ conditions: before.conditions, version: before.version });
    expect(await stored()).toBe(records);

    await console.setFaults({ bulk: "throttle", read: "throttle" });
    await world.runtime.advance(60_000);
    await world.cycle();
    expect((await world.component(id)).lookedAt).toBe(lookedAt);
    await console.setFaults({});
    await world.runtime.advance(600_000);
    await world.cycle();
    expect((await world.component(id)).lookedAt).not.toBe(lookedAt);
  },
);
