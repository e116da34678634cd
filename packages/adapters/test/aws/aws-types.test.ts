import type { CloudOperation, JsonObject, ResourceRef } from "@liveplane/core/clouds";
import { boundByOf } from "@liveplane/core/testing/internal";
import { describe, expect, test } from "vitest";
import { awsType } from "../../src/aws/aws-types.ts";
import { awsDefaults, awsKinds, membersOf, plausible, taggableTypes, valueFor } from "./aws-models.ts";
import { awsWorld } from "./aws-under-test.ts";

type Json = JsonObject[string];

const managed = { key: "managed-by", value: "platform" };
const tags = { keep: "me", "managed-by": "platform", last: "one" };
const handedBack = { ...tags, platform: "reconcile" };

/** By default sixty types, evenly spread, and the only one of its form of tags, and one whose tags are written by another call. */
const special = new Set(["AWS::AutoScaling::AutoScalingGroup", "AWS::Lambda::Function", "AWS::S3::StorageLens"]);
const isComplete = process.env.LIVEPLANE_ALL_TYPES === "1";
const drawn = isComplete ? taggableTypes : taggableTypes.filter((type, at) => at % 21 === 0 || special.has(type));

test("every type with tags can be drawn", () => {
  expect(taggableTypes).toHaveLength(1232);
  if (isComplete) expect(drawn).toHaveLength(1232);
});

describe("by its description alone", () => {
  test.each(drawn)("%s is created, taken over, kept, handed back, corrected and deleted", async (type) => {
    const { double, cloud, call, target } = awsWorld();
    const parameters = plausible(type);
    const resourceId = cloud.resourceIdFor(type, "first", target);
    const made = await cloud.create({ type, name: "first", resourceId, target, parameters, tags, intent: "one" }, call);
    const ref: ResourceRef = { type, resourceId: made.resourceId };
    await expectDone(made.operation);
    expect("id" in cloud.parseResourceId(type, ref.resourceId, target)).toBe(true);
    const reading = await cloud.read(ref, call);
    if (reading.state !== "present") throw new RangeError(`${type} reads ${reading.state}`);
    expect(reading.tags).toEqual(tags);
    for (const [name, value] of Object.entries(shown(type, parameters)))
      expect(reading.parameters[name]).toEqual(value);
    if (resourceId === null) expect(await cloud.findCreated("one", target, call)).toEqual(ref);

    const isFixed = boundByOf(cloud, type).tags === "none";
    const change = changeOf(type);
    const isCorrectable = change.parameters.length > 0;
    // The agent sends along what AWS never shows and yet requires.
    for (const name of awsType(type).wholeBody ? hiddenIn(type) : [])
      change.parameters.push({ pointer: `/${name}`, value: parameters[name] ?? null });
    const update = () => cloud.update(ref, change, { tag: managed }, call);
    const setTags = (values: Readonly<Record<string, string>>) => double.setTags(ref.resourceId, type, values);
    // A person takes the resource over, before the write and while it is on its way.
    for (const taken of [{ keep: "me" }, {}, { ...tags, "managed-by": "ada" }]) {
      for (const isLate of [false, true]) {
        setTags(isLate ? tags : taken);
        if (isLate) double.beforeWrite(() => setTags(taken));
        if (isCorrectable) await expect(update()).rejects.toMatchObject({ code: "PreconditionFailed" });
        else setTags(taken);
        expect(await cloud.read(ref, call)).toMatchObject({ tags: taken, parameters: reading.parameters });
      }
    }
    double.beforeWrite(() => {});
    // The tag moves within its list: the write is refused, and the next one finds the tag again.
    setTags(tags);
    const { form } = awsKinds[type]?.tags ?? {};
    const moved = { "managed-by": "platform", last: "one", keep: "me" };
    if (isCorrectable && form !== "map") {
      double.beforeWrite(() => setTags(moved));
      await expect(update()).rejects.toMatchObject({ code: "PreconditionFailed" });
    }
    // Handed back: the reconcile tag is removed alone, and drift is corrected.
    setTags(handedBack);
    if (isCorrectable) {
      await expectDone((await update()).operation);
      const [{ pointer, value } = { pointer: "", value: null }] = change.parameters;
      expect(await cloud.read(ref, call)).toMatchObject({
        tags: handedBack,
        parameters: { [pointer.slice(1)]: value },
      });
    }
    const removal = cloud.removeTag(ref, "platform", { tag: managed }, call);
    if (isFixed) await expect(removal).rejects.toMatchObject({ details: { reason: "NotUpdatableException" } });
    else {
      await expectDone((await removal).operation);
      expect(await cloud.read(ref, call)).toMatchObject({ tags });
    }
    // What can't change isn't planned as a change, and AWS refuses it.
    const replaced = replacementOf(type);
    if (replaced !== null) {
      expect(awsType(type).immutable).toContain(replaced.pointer.slice(1));
      const replacing = cloud.update(ref, { parameters: [replaced], tags: {} }, { tag: managed }, call);
      await expect(replacing).rejects.toMatchObject({ details: { reason: "NotUpdatableException" } });
    }
    await expectDone((await cloud.remove(ref, {}, call)).operation);
    expect(await cloud.read(ref, call)).toEqual({ state: "missing" });
    if (resourceId === null) expect(await cloud.findCreated("one", target, call)).toBeNull();

    async function expectDone(operation: CloudOperation | undefined): Promise<void> {
      if (operation !== undefined) expect(await cloud.follow?.(ref, operation, call)).toEqual({ state: "done" });
    }
  });
});

test("three types in four have a member that can be corrected; of the others AWS replaces the resource", () => {
  const without = taggableTypes.filter((type) => changeOf(type).parameters.length === 0);
  const changeable = without.filter((type) =>
    membersOf(type).some((member) => isOpen(type, member) && !isRequired(member)),
  );
  expect(changeable).toEqual([]);
  expect(without.length).toBeLessThan(taggableTypes.length / 4);
});

type Member = ReturnType<typeof membersOf>[number];

const isRequired = ({ marks }: Member) => marks.includes("!");

/** What a read shows of the parameters. The name comes from the ID. */
function shown(type: string, parameters: JsonObject): JsonObject {
  const hidden = hiddenIn(type);
  const id = (awsKinds[type]?.id ?? []).map((path) => path.split("/")[0]);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !hidden.has(name) && !id.includes(name)));
}

function hiddenIn(type: string): ReadonlySet<string> {
  const { secret = [], input = [] } = awsKinds[type] ?? {};
  return new Set([...secret, ...input].map((pointer) => pointer.split("/")[1] ?? ""));
}

/** Whether a person can change a member, and a read shows it. */
function isOpen(type: string, { name, marks }: Member): boolean {
  const { id = [], tags, fixed = [] } = awsKinds[type] ?? {};
  const isFixed = fixed.some((pointer) => pointer === `/${name}` || pointer.startsWith(`/${name}/`));
  return !marks.includes("-") && !isFixed && !id.includes(name) && name !== tags?.at && !hiddenIn(type).has(name);
}

const otherValues = { string: "another-text", number: 7, boolean: false } as Readonly<Record<string, Json>>;

/** A change of one member: one of a single value, or one that a plausible resource doesn't have. */
function changeOf(type: string): { parameters: { pointer: string; value: Json }[]; tags: Record<string, string> } {
  const open = membersOf(type).filter((member) => isOpen(type, member));
  const found = open.find((member) => member.type in otherValues) ?? open.find((member) => !isRequired(member));
  if (found === undefined) return { parameters: [], tags: {} };
  return { parameters: [{ pointer: `/${found.name}`, value: another(type, found) }], tags: {} };
}

/** A value that a plausible resource doesn't have: neither as required, nor as what AWS sets by itself. */
function another(type: string, member: Member): Json {
  const plain = valueFor(member.type);
  const own = isRequired(member) ? plain : awsDefaults[type]?.[member.name];
  const other = otherValues[member.type] ?? plain;
  return other === own ? plain : other;
}

/** A change of a member that can't change. */
function replacementOf(type: string) {
  const { id = [], fixed = [] } = awsKinds[type] ?? {};
  const hidden = hiddenIn(type);
  const found = membersOf(type).find(
    ({ name, type: of }) => of in otherValues && fixed.includes(`/${name}`) && !id.includes(name) && !hidden.has(name),
  );
  return found === undefined ? null : { pointer: `/${found.name}`, value: another(type, found) };
}
