import { invalid, isLiveplaneError, type Violation } from "../errors.ts";

/** Runs a check on every item, and gathers what is wrong with all of them, each at its index. */
export async function eachOf<Item, Made>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Made>,
): Promise<{ made: Made[]; errors: Violation[] }> {
  const made: Made[] = [];
  const errors: Violation[] = [];
  for (const [at, item] of items.entries()) {
    try {
      made.push(await work(item, at));
    } catch (error) {
      errors.push(...placed(error, at));
    }
  }
  return { made, errors };
}

/** Names that occur a second time, each at the later place. */
export function duplicatesOf(items: readonly { readonly shortName?: string | null }[]): Violation[] {
  const seen = new Set<string>();
  const errors: Violation[] = [];
  for (const [at, { shortName }] of items.entries()) {
    if (shortName == null) continue;
    const [pointer, name] = [`#/${at}/shortName`, shortName.toLowerCase()];
    if (seen.has(name)) errors.push({ pointer, code: "DuplicateInBulk", detail: "This name occurs more than once." });
    seen.add(name);
  }
  return errors;
}

/** A violation that says that a value is missing where null or nothing stands. */
export function valueRequired(member: string): Violation {
  return { pointer: `#/${member}`, code: "ValueRequired", detail: "A value is required here." };
}

/** Throws everything that is wrong at once, if anything is. */
export function refuse(errors: readonly Violation[]): void {
  const [first, ...rest] = errors;
  if (first !== undefined) throw invalid([first, ...rest]);
}

function placed(error: unknown, at: number): Violation[] {
  if (!isLiveplaneError(error) || error.status >= 500) throw error;
  const inside = error.details.errors ?? [{ pointer: "#", code: error.code, detail: error.message }];
  return inside.map((violation) => ({ ...violation, pointer: (violation.pointer ?? "#").replace("#", `#/${at}`) }));
}
