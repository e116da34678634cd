import type { SimulatedCloudOptions } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import type { CloudWords } from "./judge/facts.ts";

/** The parameter whose members clouds show in their own words. Each is named by what becomes of it. */
export const wordedParameter = "config";

type Values = Readonly<Record<string, Json>>;

/** What a cloud makes of values at one place. */
interface Manner {
  /** The first, second or third value that is declared there. */
  readonly declared: (at: number) => Json;
  /** What it shows once a write has sent a value; `undefined`: nothing. */
  readonly shows: (sent: Json, former: Json | undefined) => Json | undefined;
  /** All that it may show for a value that it has taken. `null`: nothing. */
  readonly forms: (sent: Json) => readonly Json[];
  /** What it may change such a form into later, by itself. */
  readonly later?: (form: Json, version: number) => Json;
}

/** A manner in which every value has one form. */
function always(declared: Manner["declared"], form: (sent: Json) => Json | undefined): Manner {
  return { declared, shows: form, forms: (sent) => [form(sent) ?? null] };
}

const manners = {
  /** Completes a version, and raises it later. What is newer stays. */
  completes: {
    declared: (at) => `1.${at}`,
    shows: (sent, former) => (String(former).startsWith(`${sent}.`) ? former : `${sent}.0`),
    forms: (sent) => [0, 1, 2, 3].map((patch) => `${sent}.${patch}`),
    later: (form, version) => String(form).replace(/\.\d+$/, `.${version}`),
  },
  lowers: always(
    (at) => `Std-${at}`,
    (sent) => String(sent).toLowerCase(),
  ),
  converts: always(String, (sent) => `${sent}000m`),
  absolute: always(
    (at) => `things/${at}`,
    (sent) => `/subscriptions/s/${sent}`,
  ),
  drops: always(
    (at) => (at === 1 ? "" : `note-${at}`),
    (sent) => (sent === "" ? undefined : sent),
  ),
  fills: always(
    (at) => [{ name: "one", size: at }],
    (sent) => (sent as readonly Values[]).map((item) => ({ mode: "auto", ...item })),
  ),
  reorders: always(
    (at) => ["x", "y", "z"].slice(0, at),
    (sent) => [...(sent as readonly string[])].sort().reverse(),
  ),
  /** Says it in a word of its own, and in another one later. A word that fits stays. */
  renames: {
    declared: (at) => `tier-${at}`,
    shows: (sent, former) => (String(former).startsWith(`${planOfTier(sent)}-`) ? former : `${planOfTier(sent)}-v0`),
    forms: (sent) => [0, 1, 2, 3].map((version) => `${planOfTier(sent)}-v${version}`),
    later: (form, version) => String(form).replace(/-v\d+$/, `-v${version}`),
  },
  /** Takes it, and never gives it back. */
  withholds: { declared: (at) => `mark-${at}`, shows: () => undefined, forms: () => [] },
  /** Keeps what it has. */
  ignores: { declared: (at) => `mode-${at}`, shows: (_sent, former) => former ?? "mode-0", forms: () => [] },
  /** Shows another form after each write. */
  alternates: {
    declared: (at) => `turn-${at}`,
    shows: (sent, former) => (former === `even-${sent}` ? `odd-${sent}` : `even-${sent}`),
    forms: (sent) => [`even-${sent}`, `odd-${sent}`],
  },
} as const satisfies Record<string, Manner>;

/** How a cloud treats a value. */
export type Habit = keyof typeof manners;
/** All ways. */
export const allHabits = Object.keys(manners) as readonly Habit[];

const planOfTier = (sent: Json) => String(sent).replace("tier", "plan");

function mannerAt(member: string): Manner | null {
  return Object.hasOwn(manners, member) ? manners[member as Habit] : null;
}

/** What a variant declares at the places that a cloud treats so. */
export function declaredBy(habits: readonly Habit[], at: number): Record<string, Json> {
  return Object.fromEntries(habits.map((habit) => [habit, manners[habit].declared(at)]));
}

/** What a judge is told of clouds that treat values in any of these ways. */
export const cloudWords: CloudWords = {
  parameter: wordedParameter,
  members: allHabits,
  forms: (member, sent) => mannerAt(member)?.forms(sent) ?? [],
};

/** Has a cloud treat what writes send, and say which members a write sent. */
export function rewritingBy(
  tell: (resourceId: string, members: readonly string[]) => void,
): NonNullable<SimulatedCloudOptions["rewrites"]> {
  return ({ resourceId, before, parameters }) => {
    const now = parameters[wordedParameter];
    if (typeof now !== "object" || now === null) return parameters;
    const was = (before?.[wordedParameter] ?? {}) as Values;
    const sent: string[] = [];
    const shown = Object.entries(now as Values).map(([member, value]) => {
      const former = Object.hasOwn(was, member) ? was[member] : undefined;
      const manner = mannerAt(member);
      if (manner === null || JSON.stringify(former) === JSON.stringify(value)) return [member, value] as const;
      sent.push(member);
      return [member, manner.shows(value, former)] as const;
    });
    tell(resourceId, sent);
    const config = Object.fromEntries(shown.filter((entry): entry is [string, Json] => entry[1] !== undefined));
    return { ...parameters, [wordedParameter]: config };
  };
}

/** What becomes of a form when its cloud, or somebody else, changes it; `undefined`: nothing. */
export function rewordedTo(
  member: Habit,
  form: Json | undefined,
  { by, value }: { readonly by: "cloud" | "person"; readonly value: number },
): Json | undefined {
  const manner: Manner = manners[member];
  if (by === "cloud") return form === undefined ? undefined : manner.later?.(form, value);
  const declared = manner.declared(value);
  const own = typeof declared === "string" ? `hand-${value}` : declared;
  const ways = [own, declared, manner.forms(declared)[0] ?? own];
  return ways[(value + member.length) % ways.length];
}
