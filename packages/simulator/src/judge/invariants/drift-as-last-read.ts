import { referencesOf } from "../comparison.ts";
import { told } from "../names.ts";
import type { Look, Rule } from "../steps.ts";

/** A component's drift is what a read showed against the declaration, with both sides. */
export function driftAsLastRead(): Rule {
  return {
    invariant: "drift-as-last-read",
    judges: {
      look: (look) => {
        const { before, after, resource, differing, referring, cloud } = look;
        const unseen = cloud.unseenOf?.(after.type) ?? [];
        const shown = Object.keys(after.observed.drift).filter((name) => !unseen.includes(name));
        const wanted = resource === null && !before.provisioned ? [] : differing;
        const certain = shown.filter((name) => !referring.has(name));
        if (JSON.stringify([...wanted].sort()) !== JSON.stringify(certain.sort()))
          return `it shows the drift ${told(shown)}, what differs is ${told(wanted)}`;
        const wrong = wrongSide(look);
        return wrong === null ? null : `its drift of ${wrong} isn't what is declared and there`;
      },
    },
  };
}

/** A name whose drift doesn't show both sides completely. Values with references are judged only by name. */
function wrongSide({ after, resource, declared, cloud }: Look): string | null {
  const { parameters, ignoreChanges, allowExtraItems } = declared;
  if (resource === null) return null;
  for (const [name, sides] of Object.entries(after.observed.drift)) {
    const value = parameters?.[name];
    if (name === cloud.tagParameter || referencesOf(value).length > 0) continue;
    // What has held a secret stays hidden, and items of others aren't shown.
    if (sides.declared === "[redacted]" && sides.actual === "[redacted]") continue;
    if ([...(ignoreChanges ?? []), ...(allowExtraItems ?? [])].some((pointer) => pointer.startsWith(`/${name}`)))
      continue;
    if (JSON.stringify(sides.declared) !== JSON.stringify(value ?? null)) return name;
    if (JSON.stringify(sides.actual) !== JSON.stringify(resource.parameters[name] ?? null)) return name;
  }
  return null;
}
