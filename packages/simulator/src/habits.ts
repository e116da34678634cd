import type { SimulatedCloudOptions } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import type { CloudWords } from "./judge/facts.ts";

/** The parameter whose members clouds show in their own forms. Each member is named after its habit. */
export const wordedParameter = "config";

type Values = Readonly<Record<string, Json>>;

/** How a cloud changes the values of one place. */
interface Manner {
  /** The first, second or third declared value. */
  readonly declared: (at: number) => Json;
  /** What it shows after a write; `undefined` for nothing. */
  readonly shows: (sent: Json, former: Json | undefined) => Json | undefined;
  /** Every form that it may show for an accepted value. `null` for nothing. */
  readonly forms: (sent: Json) => readonly Json[];
  /** What it may later change a form into by itself. */
  readonly later?: (form: Json, version: number) => Json;
}

/** A habit with exactly one form for each value. */
function always(declared: Manner["declared"], form: (sent: Json) => Json | undefined): Manner {
  return { declared, shows: form, forms: (sent) => [form(sent) ?? null] };
}

const manners = {
  /** Completes a version, and raises it later. A newer one stays. */
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
  /** Uses its own word, and later another one. A matching word stays. */
  renames: {
    declared: (at) => `tier-${at}`,
    shows: (sent, former) => (String(former).startsWith(`${planOfTier(sent)}-`) ? former : `${planOfTier(sent)}-v0`),
    forms: (sent) => [0, 1, 2, 3].map((version) => `${planOfTier(sent)}-v${version}`),
    later: (form, version) => String(form).replace(/-v\d+$/, `-v${version}`),
  },
  /** Accepts the value, and never returns it. */
  withholds: { declared: (at) => `mark-${at}`, shows: () => undefined, forms: () => [] },
  /** Ignores the value. */
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
/** All habits. */
export const allHabits = Object.keys(manners) as readonly Habit[];

const planOfTier = (sent: Json) => String(sent).replace("tier", "plan");

function mannerAt(member: string): Manner | null {
  return Object.hasOwn(manners, member) ? manners[member as Habit] : null;
}

/** The declared values at the places with these habits. */
export function declaredBy(habits: readonly Habit[], at: number): Record<string, Json> {
  return Object.fromEntries(habits.map((habit) => [habit, manners[habit].declared(at)]));
}

/** The judge's knowledge of these habits. */
export const cloudWords: CloudWords = {
  parameter: wordedParameter,
  members: allHabits,
  forms: (member, sent) => mannerAt(member)?.forms(sent) ?? [],
};

/** Makes a cloud apply its habits to writes, and reports which members a write sent. */
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

/** The next form when a cloud or somebody else changes it; `undefined` if it can't change. */
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
