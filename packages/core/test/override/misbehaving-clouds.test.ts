import fc from "fast-check";
import { expect, test } from "vitest";
import type { SimulatedRewrite } from "../../src/clouds/simulated/simulated-options.ts";
import type { Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { type JsonObject, sameJson } from "../../src/json-pointer.ts";
import type { Json } from "../../src/ports/store.ts";
import { carriedThrough } from "../builders/carried-through.ts";
import { both, definition, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** What a cloud makes of a value that a write sends. `former`: what it showed before. */
const habits = {
  keeps: (sent: string) => sent,
  upper: (sent: string) => sent.toUpperCase(),
  completes: (sent: string) => `${sent}.0`,
  absolute: (sent: string) => `/subscriptions/s/${sent}`,
  renames: (sent: string) => `tier-${[...sent].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)}`,
  ignores: (_sent: string, former: Json | undefined) => (typeof former === "string" ? former : "default"),
  drops: () => undefined,
} as const;

type Habit = keyof typeof habits;

/** What a cloud of each habit makes of a value. */
const formBy: Readonly<Record<Habit, (sent: string, former: Json | undefined) => string | undefined>> = habits;

const names = ["a", "b", "c"] as const;
const values = ["x1", "y2", "6", "z/w"] as const;

const value = fc.constantFrom(...values);
const parameters = fc.record({ a: value, b: value, c: value });
const habit = fc.constantFrom(...(Object.keys(habits) as Habit[]));
const deed = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      name: fc.constantFrom(...names),
      to: fc.constantFrom("hand", "X1", "tier-9", "6.0"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deploy" as const), to: parameters }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("take over" as const, "hand back" as const) }) },
);
const story = fc.record({
  first: parameters,
  habits: fc.record({ a: habit, b: habit, c: habit }),
  boundByEtag: fc.boolean(),
  deeds: fc.array(deed, { maxLength: 8 }),
});
type Story = typeof story extends fc.Arbitrary<infer One> ? One : never;

/** Plays a story. Knows which value each place was sent last, who set it, and what the cloud makes of it. */
async function played({ first, habits: has, boundByEtag, deeds }: Story) {
  let writes = 0;
  const sent = new Map<string, Json>();
  const rewrites = ({ before, parameters: now }: SimulatedRewrite): JsonObject => {
    const shown: Record<string, Json> = {};
    for (const [name, one] of Object.entries(now)) {
      const former = before?.[name];
      const isSent = before === null || !sameJson(former, one);
      if (isSent) sent.set(name, one);
      const form = isSent ? formBy[has[name as "a"]](String(one), former) : (one as string);
      if (form !== undefined) shown[name] = form;
    }
    return shown;
  };
  const world = overrideWorld({
    follows: false,
    cloud: {
      rewrites,
      conditionalWrites: boundByEtag,
      onChange: ({ by, operation }) => {
        if (by === "caller" && operation === "update") writes += 1;
      },
    },
  });
  const console = world.consoles["provider-a"];
  const made = await carriedThrough(
    world,
    (await world.create(definition([{ path: "app", parameters: first }]))) as Mutation,
  );
  const [{ id, resourceId } = { id: "", resourceId: null }] = made.components;
  if (resourceId === null) throw new Error("not deployed");
  let declared = first;
  const sweep = async () => {
    await world.runtime.advance(180_000);
    await world.cycle();
  };
  for (const one of deeds) {
    if (one.kind === "edit") await console.patchParameters(resourceId, { [one.name]: one.to });
    if (one.kind === "take over") await console.putTags(resourceId, {});
    if (one.kind === "hand back") await console.putTags(resourceId, both);
    if (one.kind === "deploy") {
      declared = one.to;
      await carriedThrough(
        world,
        (await world.deploy(made.livesystemId, definition([{ path: "app", parameters: declared }]))) as Mutation,
      );
    }
    await sweep();
  }
  await console.putTags(resourceId, managed);
  for (let times = 0; times < 4; times++) await sweep();
  const component = await world.component(id);
  const shown = (await console.get(resourceId))?.parameters ?? {};
  return { component, shown, declared, has, writes: () => writes, sweep, deeds };
}

test("a component that is in sync shows what its cloud makes of the declared values", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (one) => {
      const { component, shown, declared, has } = await played(one);
      if (component.conditions.inSync.value !== true) return;
      for (const name of names) {
        const form = shown[name];
        const isOwn = String(form).toLowerCase() === declared[name].toLowerCase();
        const isForm = has[name] !== "ignores" && form === formBy[has[name]](declared[name], undefined);
        // A spelling of the declared value is that value, whoever wrote it.
        const isSpelling = form === `${declared[name]}.0` || String(form).endsWith(`/${declared[name]}`);
        expect({
          name,
          habit: has[name],
          form,
          declared: declared[name],
          fits: isOwn || isForm || isSpelling,
        }).toMatchObject({ fits: true });
      }
    }),
    { numRuns: 80 },
  );
});

test("where nobody edits, a deploy is followed by two writes at most, and then by none", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(story, async (one) => {
      const quiet = { ...one, deeds: one.deeds.filter(({ kind }) => kind === "sweep" || kind === "deploy") };
      const { writes, sweep, deeds } = await played(quiet);
      const deploys = 1 + deeds.filter(({ kind }) => kind === "deploy").length;
      expect(writes()).toBeLessThanOrEqual(2 * deploys);
      const before = writes();
      for (let times = 0; times < 5; times++) await sweep();
      expect(writes()).toBe(before);
    }),
    { numRuns: 80 },
  );
});
