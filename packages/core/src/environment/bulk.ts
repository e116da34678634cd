import type { Call } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { isLiveplaneError, type Violation } from "../errors.ts";

/** Runs a check on every item and collects all errors, each at its index. */
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

/** Runs work on all items at once. If one fails or the caller leaves, the signal of the others aborts. */
export async function allOrNone<Item, Made>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<Made>,
): Promise<Made[]> {
  const over = new AbortController();
  const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.all(items.map((item) => work(item, either)));
  } finally {
    over.abort();
  }
}

/** Throws every error of a list, in the order of its items: unreadable items, duplicate names, and `errors`. */
export function refuseItems({ body, unread }: ItemsCall, errors: readonly Violation[]): void {
  const { places, sent, violations } = unread ?? { places: [...body.keys()], sent: body, violations: [] };
  const moved = errors.map((error) => ({
    ...error,
    pointer: (error.pointer ?? "#").replace(/\d+/, (at) => String(places[Number(at)])),
  }));
  const all = [...violations, ...duplicatesOf(sent), ...moved];
  refuseBulk(all.toSorted((one, other) => itemOf(one) - itemOf(other)));
}

type ItemsCall = Pick<
  Call<"environments.secrets.upsertMany" | "environments.ciCdProfiles.upsertMany">,
  "body" | "unread"
>;

function itemOf({ pointer }: Violation): number {
  return Number(/\d+/.exec(pointer ?? "")?.[0]);
}

/** Duplicate names, each reported at the later place. */
function duplicatesOf(items: readonly unknown[]): Violation[] {
  const seen = new Set<string>();
  const errors: Violation[] = [];
  for (const [at, item] of items.entries()) {
    const shortName = (item as { readonly shortName?: unknown } | null)?.shortName;
    if (typeof shortName !== "string") continue;
    const [pointer, name] = [`#/${at}/shortName`, shortName.toLowerCase()];
    if (seen.has(name)) errors.push({ pointer, code: "DuplicateInBulk", detail: "This name occurs more than once." });
    seen.add(name);
  }
  return errors;
}

/** The error for a value that is null or missing. */
export function valueRequired(member: string): Violation {
  return { pointer: `#/${member}`, code: "ValueRequired", detail: "A value is required here." };
}

/** Throws all errors together, if there are any. */
export function refuseBulk(errors: readonly Violation[]): void {
  const [first, ...rest] = errors;
  if (first !== undefined) throw invalid([first, ...rest]);
}

function placed(error: unknown, at: number): Violation[] {
  if (!isLiveplaneError(error) || error.status >= 500) throw error;
  const inside = error.details.errors ?? [{ pointer: "#", code: error.code, detail: error.message }];
  return inside.map((violation) => ({ ...violation, pointer: (violation.pointer ?? "#").replace("#", `#/${at}`) }));
}
