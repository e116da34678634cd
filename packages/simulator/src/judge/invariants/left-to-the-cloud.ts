import type { Json } from "@liveplane/core/store";
import { referencesOf } from "../comparison.ts";
import type { JudgedCloud, ResourceTruth, StoredComponent, Wanted } from "../facts.ts";
import { componentName, told } from "../names.ts";
import type { Rule } from "../steps.ts";
import { isRefusedLate } from "../writes.ts";

/** Ignored places are shown with both values, aren't drift, and are never written after creation. */
export function leftToTheCloud(): Rule {
  return {
    invariant: "left-to-the-cloud",
    judges: {
      look: ({ after, resource, declared, cloud }) =>
        resource && wrongAtLeft(after, declared, resource.parameters, cloud),
      wrote: (write) => {
        const { process, component, cloud, change, declared } = write;
        const { operation, before, after } = change;
        if (operation !== "update" || before === null || after === null || declared.length === 0) return null;
        // A write that nothing refuses carries what was in the list when that was read.
        const isJudged = (pointer: string) => isRefusedLate(write) || !isInList(pointer);
        const left = declared.map((one) => writtenAtLeft(placesLeft(one, cloud).filter(isJudged), before, after));
        if (left.includes(null)) return null;
        return `${process} changed ${componentName(component)}: ${left.at(-1)}, which is left to the cloud`;
      },
    },
  };
}

type Values = Readonly<Record<string, Json>>;

/** The ignored places in the declaration; tags are compared by other rules. */
function placesLeft({ parameters, ignoreChanges }: Wanted, { tagParameter }: JudgedCloud): readonly string[] {
  const isDeclared = (pointer: string) => at(parameters ?? {}, pointer) !== undefined;
  return (ignoreChanges ?? []).filter(
    (pointer) => isDeclared(pointer) && pointer !== `/${tagParameter}` && !pointer.startsWith(`/${tagParameter}/`),
  );
}

/** The value at a place; `undefined` if none. */
function at(value: Json | Values, pointer: string): Json | undefined {
  let found: Json | undefined = value as Json;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found) && name.startsWith("name=")) found = found.find((item) => nameIn(item) === name.slice(5));
    else found = typeof found === "object" && found !== null ? (found as Values)[name] : undefined;
  }
  return found;
}

/** Whether a place is an item of a list, or in one. */
function isInList(pointer: string): boolean {
  return pointer.includes("/name=");
}

function nameIn(item: Json): Json | undefined {
  return (item as Values | null)?.name;
}

/** An ignored place that was written anyway; `null` if none. */
function writtenAtLeft(places: readonly string[], before: ResourceTruth, after: ResourceTruth): string | null {
  for (const pointer of places) {
    const [was, is] = [at(before.parameters, pointer), at(after.parameters, pointer)];
    if (JSON.stringify(was) !== JSON.stringify(is)) return `${pointer} from ${told(was)} into ${told(is)}`;
  }
  return null;
}

/** What is wrong with how a component shows ignored places: both values, and no drift. `null` if nothing. */
function wrongAtLeft({ observed }: StoredComponent, wanted: Wanted, actual: Values, cloud: JudgedCloud): string | null {
  const shown = observed.ignored ?? {};
  const places = placesLeft(wanted, cloud);
  const isTag = (pointer: string) => pointer.startsWith(`/${cloud.tagParameter}`);
  const extra = Object.keys(shown).find((pointer) => !isTag(pointer) && !places.includes(pointer));
  if (extra !== undefined) return `it shows ${extra} as left to the cloud, and that isn't`;
  for (const pointer of places) {
    const sides = shown[pointer];
    if (sides === undefined) return `it doesn't show what is at ${pointer}`;
    const [name = ""] = pointer.split("/").slice(1);
    if (Object.hasOwn(observed.drift, name) && inDrift(observed.drift[name], pointer))
      return `its drift holds ${pointer}`;
    const declared = at(wanted.parameters ?? {}, pointer);
    // What has held a secret stays hidden.
    if (referencesOf(declared).length > 0 || sides.declared === "[redacted]") continue;
    if (JSON.stringify(sides.declared) !== JSON.stringify(declared ?? null)) return `${pointer} is declared otherwise`;
    const there = at(actual, pointer) ?? null;
    if (JSON.stringify(sides.actual) !== JSON.stringify(there) && !told(sides.actual).includes("[redacted]"))
      return `${pointer} is ${told(there)}, and shown is ${told(sides.actual)}`;
  }
  return null;
}

/** Whether a drift contains a place, on either side. */
function inDrift(sides: { readonly declared: Json; readonly actual: Json } | undefined, pointer: string): boolean {
  const below = pointer.replace(/^\/[^/]*/, "");
  const { declared = null, actual = null } = sides ?? {};
  return below === "" || [declared, actual].some((side) => at(side, below) !== undefined);
}
