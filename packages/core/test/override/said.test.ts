import { describe, expect, test } from "vitest";
import { saidIn } from "../../src/override/agent/said.ts";
import { both, code, definition, deployed, managed } from "../builders/handed-over.ts";

const flavours = [
  { provider: "provider-a", type: "Microsoft.Compute/virtualMachines@2024-03-01", parameter: "tags" },
  { provider: "provider-b", type: "storage.v1.bucket", parameter: "labels" },
];

describe.each(flavours)("$provider: what is said at a take-over", ({ parameter, ...flavour }) => {
  const [reason, owner] = ["platform-reason", "platform-owner"];

  test("stands in the override, is read then only, and is neither written nor removed", async () => {
    const { world, id, resourceId, console } = await deployed(flavour);
    const note = { [reason]: "migration", [owner]: "team-blue", "platform-until": "2030-01-02" };
    await console.putTags(resourceId, note);
    await world.cycle();
    const said = { reason: "migration", owner: "team-blue", until: "2030-01-02T23:59:59.000Z" };
    expect((await world.component(id)).override).toMatchObject({ said, claimedBy: null, reason: null });
    expect(await world.events("component.override.started")).toMatchObject([{ data: { owner: "team-blue" } }]);
    await console.putTags(resourceId, { [reason]: "another" });
    await world.check(id);
    expect((await world.component(id)).override).toMatchObject({ said });
    await console.putTags(resourceId, { ...both, ...note });
    await console.patchParameters(resourceId, { size: 4 });
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
    expect((await console.get(resourceId))?.tags).toEqual({ ...managed, ...note });
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
  });

  test("stands beside the note, whose author is who claims it", async () => {
    const { world, id, params, resourceId, console } = await deployed(flavour);
    await console.putTags(resourceId, { [reason]: "migration", [owner]: "team-blue" });
    await world.cycle();
    await world.call("liveSystems.components.annotateOverride", { params, body: { reason: "tuning" } });
    const { override } = await world.component(id);
    expect(override).toMatchObject({ reason: "tuning", said: { reason: "migration", owner: "team-blue" } });
    expect(override).toMatchObject({ claimedBy: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  test("can't be declared", async () => {
    const { world, system } = await deployed(flavour);
    for (const key of [reason, owner, "platform-until"]) {
      const body = definition([{ path: "app", ...flavour, parameters: { size: 1, [parameter]: { [key]: "x" } } }]);
      expect(await code(world.deploy(system, body))).toBe("InvalidDeclaration");
    }
  });

  test("reminds at its end, once, and ends nothing", async () => {
    const { world, id, resourceId, console } = await deployed(flavour);
    const until = new Date(world.runtime.clock.now() + 3_600_000).toISOString().slice(0, 19).replaceAll(":", "-");
    await console.putTags(resourceId, { "platform-until": until.toLowerCase() });
    await world.cycle();
    const overdue = () => world.events("component.override.overdue");
    expect(await overdue()).toEqual([]);
    await world.runtime.advance(3_700_000);
    await world.cycle();
    await world.cycle();
    expect(await overdue()).toMatchObject([{ subject: id, data: { because: "until" } }]);
    expect((await world.component(id)).status).toBe("ManualOverride");
  });
});

const moment = { at: "2026-06-01T12:00:00.000Z", caselessTagKeys: true, secretValues: ["hunter22"] };
const until = (text: string) => saidIn({ "platform-until": text }, moment)?.until ?? null;

test("is plain text: cut where it is too long, without control characters and without secrets", () => {
  expect(saidIn({ "Platform-Reason": `a\u0000b${"x".repeat(300)}`, other: "y" }, moment)).toEqual({
    reason: `a b${"x".repeat(253)}`,
    owner: null,
    until: null,
  });
  expect(saidIn({ "platform-owner": "ann, pw hunter22" }, moment)?.owner).toBe("ann, pw [redacted]");
  expect(saidIn({ "platform-reason": "  ", own: "x" }, moment)).toBeNull();
});

test("takes a day and an instant, as a tag or a label spells it; what is past or none is left out", () => {
  expect(until("2026-06-01")).toBe("2026-06-01T23:59:59.000Z");
  expect(until("2026-06-01T13:00:00Z")).toBe("2026-06-01T13:00:00.000Z");
  expect(until("2026-06-01T15:30+02:00")).toBe("2026-06-01T13:30:00.000Z");
  expect(until("2026-06-01t13-00-00z")).toBe("2026-06-01T13:00:00.000Z");
  expect(until("2026-06-01_13-00")).toBe("2026-06-01T13:00:00.000Z");
  for (const text of ["2026-06-01T12:00:00Z", "2026-05-31", "soon", "2026-02-30", "2027-02-30", "2027-13-01", "", "1"])
    expect(until(text), text).toBeNull();
});
