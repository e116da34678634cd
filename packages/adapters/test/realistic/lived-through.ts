import type { JsonObject } from "@liveplane/core/clouds";
import type { Declaration } from "./declarations.ts";
import type { Json } from "./forms.ts";
import type { Mischief } from "./mischief.ts";
import { unallowed } from "./places.ts";
import { deployed } from "./realistic-world.ts";

/** More property writes than these are never made before a resource is at rest. */
const mostWrites = 2;

/**
 * Deploys a declaration, and does with it all that people do: an edit by hand, a take-over and a hand-back, an update, a deletion. Gives what
 * went wrong; nothing: the resource came to rest each time.
 */
export async function livedThrough(declaration: Declaration, mischief: Mischief): Promise<readonly string[]> {
  const { declared, edit } = declaration;
  const world = await deployed(declaration, mischief);
  const { made, component, writes, sweep, taggable } = world;
  const wrong: string[] = [];
  const shown = () => JSON.stringify(edit && world.shown(edit[0]));
  const editByHand = () => edit && world.editByHand(...edit);
  const settles = async (phase: string, from: number) => {
    await sweep(5);
    const { status, conditions } = await component();
    const { value, reason, message } = conditions.inSync;
    if (status !== "Active" || value !== true) wrong.push(`${phase}: ${status}, ${reason}: ${message}`);
    if (writes() - from > mostWrites) wrong.push(`${phase}: ${writes() - from} writes`);
  };

  if (made.status !== "Succeeded") wrong.push(`creation: ${made.status}: ${made.error?.detail}`);
  // The creation itself is none of the writes that are counted.
  await settles("creation", 1);
  if (wrong.length > 0) return wrong;

  const before = shown();
  let from = writes();
  if (edit !== undefined) {
    editByHand();
    await settles("edit by hand", from);
    if (writes() === from) wrong.push("edit by hand: not corrected");
    if (shown() !== before) wrong.push(`edit by hand: ${shown()} instead of ${before}`);
    if (!(await world.told("component.corrected"))) wrong.push("edit by hand: not told");
  }

  from = writes();
  world.setTags({});
  await sweep(2);
  const { status, conditions } = await component();
  if (taggable ? status !== "ManualOverride" : conditions.inSync.reason !== "HeldBy")
    wrong.push(`take-over: ${status}, ${conditions.inSync.reason}`);
  editByHand();
  await sweep(2);
  if (writes() !== from) wrong.push(`take-over: ${writes() - from} writes`);
  world.setTags({ "managed-by": "platform", platform: "reconcile" });
  await settles("hand-back", from);
  if (shown() !== before) wrong.push(`hand-back: ${shown()} instead of ${before}`);

  if (edit !== undefined) {
    from = writes();
    const updated = await world.deploy(replaced(declared, edit[0].split("/").slice(1), edit[1]) as JsonObject);
    if (updated.status !== "Succeeded") wrong.push(`update: ${updated.status}: ${updated.error?.detail}`);
    await settles("update", from);
    if (shown() === before) wrong.push("update: not carried out");
  }

  const removed = await world.remove();
  if (removed.status !== "Succeeded" || world.shown("") !== undefined)
    wrong.push(`deletion: ${removed.status}: ${removed.error?.detail}`);
  return [...wrong, ...unallowed(world.judged.list())];
}

function replaced(value: unknown, [step, ...rest]: readonly string[], next: Json): unknown {
  if (step === undefined) return next;
  const own = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  own[step] = replaced(own[step], rest, next);
  return own;
}
