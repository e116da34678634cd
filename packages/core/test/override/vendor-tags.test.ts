import { describe, expect, test } from "vitest";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { callsOf, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const [azure, google] = bothClouds;

/** What each cloud refuses, or reads as something else, and what is nearest to it that it takes. */
const kinds = [
  {
    ...azure,
    parameter: "tags",
    refused: [{ "a<b": "x" }, { Team: "one", team: "two" }, { cost: "v".repeat(257) }],
    taken: { Team: "one", cost: "v".repeat(256) },
    shown: { TEAM: "one", cost: "v".repeat(256) },
  },
  {
    ...google,
    parameter: "labels",
    refused: [{ Team: "one" }, { team: "One" }, { team: "v".repeat(64) }],
    taken: { team: "v".repeat(63) },
    shown: { team: "v".repeat(63) },
  },
] as const;

describe.each(kinds)("$provider: a vendor's rules for tags", ({ parameter, refused, taken, shown, ...kind }) => {
  const { declared, deployed } = toldIn(kind);
  const withTags = (tags: object) => declared({ path: "app", parameters: { size: 1, [parameter]: tags } });

  test.each(refused.map((tags) => ({ tags })))(
    "refuse $tags where it is declared, at its place: in a deploy, a redeploy and a plan",
    async ({ tags }) => {
      const world = overrideWorld();
      const last = Object.keys(tags).at(-1) ?? "";
      const pointer = `#/components/0/parameters/${parameter}/${encodeURIComponent(last)}`;
      const mistake = { code: "InvalidDeclaration", details: { errors: [{ pointer }] } };
      await expect(world.create(withTags(tags))).rejects.toMatchObject(mistake);
      expect(callsOf(world, "create")).toBe(0);
      const { livesystemId: id } = await world.create(withTags(taken));
      await expect(world.deploy(id, withTags(tags))).rejects.toMatchObject(mistake);
      const plan = world.call("liveSystems.planDeploy", { params: { id }, body: withTags(tags) });
      await expect(plan).rejects.toMatchObject(mistake);
      expect(await world.component(`${id}/app`)).toMatchObject({ conditions: { inSync: { value: true } } });
    },
  );

  test("let what is taken converge, however the cloud spells it, and leave it alone then", async () => {
    const { world, id, resourceId, console } = await deployed({ parameters: { size: 1, [parameter]: taken } });
    await console.putTags(resourceId, { ...managed, ...shown });
    const written = callsOf(world, "update");
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true, reason: "InSync" } } });
    expect(callsOf(world, "update")).toBe(written);
  });
});
