import { describe, expect, test } from "vitest";
import { drawFrom } from "../descriptions/drawn-bodies.ts";
import { awsDeclarations } from "./aws-declarations.ts";
import { named } from "./declarations.ts";
import type { Mischief } from "./mischief.ts";
import { deployed } from "./realistic-world.ts";

/**
 * The services beside their defaults, their order and what they never show: writes take minutes, the second update fails, new resources
 * appear late, and a call in five is throttled until `calm` is called.
 */
function worst(seed = 7): Mischief & { readonly calm: () => void } {
  const draw = drawFrom(seed);
  let isCalm = false;
  return {
    slowness: { takesMs: 240_000 },
    lateReads: 2,
    throttles: () => draw(5) === 0 && !isCalm,
    done: (body) => body,
    calm: () => {
      isCalm = true;
    },
  };
}

const declarations = named(awsDeclarations);
const rested = { status: "Active", conditions: { inSync: { value: true } } };

describe("on AWS at its worst", () => {
  test.each(declarations)("I15: %s rests after two writes at most, and isn't written again", async (_, declaration) => {
    const mischief = worst();
    const { made, component, writes, sweep, deploy } = await deployed(declaration, mischief);
    // A failure of AWS's ends a mutation, and the agent continues.
    expect(["Failed", "Succeeded"]).toContain(made.status);
    await sweep(10);
    mischief.calm();
    await sweep(2);
    expect(await component()).toMatchObject(rested);
    expect(writes()).toBeLessThanOrEqual(2);
    const before = writes();
    expect(await deploy(declaration.declared)).toMatchObject({ status: "Succeeded" });
    await sweep(10);
    expect(await component()).toMatchObject(rested);
    expect(writes()).toBe(before);
  });

  test.each(declarations)("I16: %s never counts as settled where a person changed it", async (_, declaration) => {
    const { edit = ["", null] } = declaration;
    const mischief = worst();
    const { shown, component, sweep, editByHand } = await deployed(declaration, mischief);
    await sweep(10);
    const before = shown(edit[0]);
    // At rest, again with the correction on its way, and once more after it: what is learned by mistake is left alone the next time.
    for (const sweepsBetween of [1, 2, 10, 10]) {
      editByHand(...edit);
      await sweep(sweepsBetween);
    }
    mischief.calm();
    await sweep(10);
    expect(shown(edit[0])).toEqual(before);
    expect(await component()).toMatchObject(rested);
  });

  test.each([
    ["AWS::AutoScaling::AutoScalingGroup", "/MaxSize", "2"],
    ["AWS::DynamoDB::Table", "/TableClass", "STANDARD_INFREQUENT_ACCESS"],
    ["AWS::Glue::Job", "/GlueVersion", "4.0"],
    ["AWS::Logs::LogGroup", "/KmsKeyId", "another"],
    ["AWS::SNS::Topic", "/DisplayName", "Others"],
  ] as const)("I17: %s is never in sync while AWS ignores %s", async (name, pointer, kept) => {
    const declaration = new Map(declarations).get(name);
    if (declaration === undefined) throw new RangeError(`${name} isn't declared.`);
    const ignoring = { ...declaration, forms: { ...declaration.forms, [pointer]: `as:${kept}` as const } };
    const mischief = worst();
    const { component, writes, sweep } = await deployed(ignoring, mischief);
    for (let times = 0; times < 12; times++) {
      await sweep(2);
      expect((await component()).conditions.inSync.value).not.toBe(true);
    }
    mischief.calm();
    await sweep(2);
    expect(await component()).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
    expect(writes()).toBeLessThanOrEqual(2);
  });
});
