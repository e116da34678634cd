import fc from "fast-check";
import { expect, test } from "vitest";
import type { Component, DeployPlan, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { isLiveplaneError } from "../../src/errors.ts";
import { isReference } from "../../src/override/declarations/references.ts";
import { drawnDeploys, type Flavour, flavours, readyToDeploy } from "../builders/drawn-deploys.ts";

type Planned = DeployPlan["components"][number];

test.each(flavours)(
  "$provider: what a plan says of a deploy is what the deploy then does",
  async (flavour) => {
    const counts = new Map<string, number>();
    const property = fc.asyncProperty(drawnDeploys, async (drawn) => {
      const ready = await readyToDeploy(drawn, flavour);
      if (ready === null) return;
      const { world, id, next, shown, console, writes } = ready;
      const before = await shown();
      const kept = async () => JSON.stringify(await world.store.list({ prefix: ["record"], limit: 10_000 }));
      const stored = await kept();
      const plan = await world.plan(id, next).catch(refusalIn);
      expect(await kept()).toBe(stored);
      writes.length = 0;
      const mutation = await world.passing(world.deploy(id, next)).catch(refusalIn);
      if ("code" in (plan as object) || "code" in mutation) {
        expect(mutation).toEqual(plan);
        return count((plan as { code: string }).code);
      }
      const after = await shown();
      const { components, error } = plan as DeployPlan;
      expect(withoutRest(mutation.error)).toEqual(withoutRest(error));
      if (error !== null) count(error.code);
      expect([...after.keys()].toSorted()).toEqual(
        components
          .map(({ componentId }) => componentId)
          .filter((one) => after.has(one))
          .toSorted(),
      );
      for (const planned of components) {
        const now = after.get(planned.componentId) ?? null;
        const earlier = before.get(planned.movedFrom ?? planned.componentId) ?? null;
        const resourceId = (now ?? earlier)?.resourceId ?? "";
        const deeds = writes.flatMap((one) => (one.resourceId === resourceId ? [one.operation] : []));
        const there = await console.get(resourceId);
        judge(planned, { mutation, deeds, now, earlier, there, flavour });
        count(planned.action);
      }
    });
    const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    await fc.assert(property, { seed: 1, numRuns: 120 });
    const came = ["create", "correct", "none", "move", "hold", "delete", "release", "Immutable"];
    expect([...counts.keys()]).toEqual(expect.arrayContaining(came));
  },
  60_000,
);

/** What a call was refused with, as its caller sees it. */
function refusalIn(error: unknown): { code: string } {
  if (!isLiveplaneError(error)) throw error;
  return { code: error.code, ...JSON.parse(JSON.stringify(error.details)) };
}

/** Without what is written besides: a plan says what will be, and a deploy what was. */
function withoutRest<Told extends Pick<NonNullable<DeployPlan["error"]>, "detail"> | null>(error: Told): Told {
  return error && { ...error, detail: error.detail.replace(/(once the resource exists\.) .+$/, "$1") };
}

interface Came {
  readonly mutation: Mutation;
  /** What was written to its resource. */
  readonly deeds: readonly string[];
  readonly now: Component | null;
  readonly earlier: Component | null;
  readonly there: { readonly tags: Readonly<Record<string, string>>; readonly parameters: object } | null;
  readonly flavour: Flavour;
}

function judge(planned: Planned, came: Came): void {
  const { componentId, action, reason, changes, movedFrom } = planned;
  const { mutation, deeds, now, earlier, there, flavour } = came;
  const about = `${action} of ${componentId.slice(37)}, then ${JSON.stringify(deeds)}`;
  const gone = { deeds, now, isReleased: mutation.released.includes(componentId) };
  // A reference to what is made only then: whether that is what is there already, nobody can tell before.
  const known = changes.filter(({ declared }) => !isReference(declared));
  const writable = known.filter(({ unwritable }) => unwritable === null);
  const isWhole = writable.length === known.length;
  const written = deeds.filter((deed) => deed !== "removeTag");
  if (movedFrom !== null) expect(now?.resourceId, about).toBe(earlier?.resourceId);
  expect(reason, about).toEqual(action === "hold" ? expect.stringMatching(/^\S.*\.$/) : null);
  switch (action) {
    case "create":
      expect(deeds, about).toEqual(["create"]);
      break;
    case "correct":
      expect(written.length > 0 || (writable.length === 0 && changes.length > known.length), about).toBe(true);
      expect(new Set(["update", ...written]), about).toEqual(new Set(["update"]));
      expect(now?.conditions.inSync.value, about).toBe(isWhole);
      // What can't be put back stays requested.
      if (isWhole) expect(now?.status, about).toBe("Active");
      break;
    case "adopt":
      expect([written.length > 0, now?.status], about).toEqual([writable.length > 0, "Active"]);
      expect(deeds, about).not.toContain("create");
      break;
    case "none":
    case "move":
      expect(written, about).toEqual([]);
      break;
    case "hold":
      expect(deeds, about).toEqual([]);
      if (now?.conditions.exists.value === true)
        expect(told(Object.keys(now.outputFields.drift ?? {})), about).toEqual(
          told(changes.map(({ parameter }) => parameter)),
        );
      break;
    case "delete":
      expect(gone, about).toEqual({ deeds: ["remove"], now: null, isReleased: false });
      break;
    case "release":
      expect(gone, about).toEqual({ deeds: [], now: null, isReleased: true });
      break;
  }
  if (action === "create" || action === "correct" || action === "adopt")
    for (const { pointer, declared } of writable)
      expect(valueIn(there, pointer, flavour), `${about}: ${pointer}`).toEqual(declared);
}

/** The names, each once, without the one that refers to another: what is made only then has no value before. */
function told(parameters: readonly string[]): string[] {
  return [...new Set(parameters)].filter((name) => name !== "at").toSorted();
}

function valueIn(there: Came["there"], pointer: string, { tags }: Flavour): unknown {
  let value: unknown = there && { ...there.parameters, [tags]: there.tags };
  for (const step of pointer.split("/").slice(1)) value = (value as Record<string, unknown> | null)?.[step];
  return value;
}
