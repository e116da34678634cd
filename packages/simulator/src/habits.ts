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
  readonly shows: (sent: Json, former: Json | undefined, edition: number) => Json | undefined;
  /** Every form that it may show for an accepted value. `null` for nothing. */
  readonly forms: (sent: Json, editions: readonly number[]) => readonly Json[];
  /** What it may later change a form into by itself. */
  readonly later?: (form: Json, version: number, edition: number) => Json;
  /** What people change it to. */
  readonly edited?: (value: number) => Json;
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
  tens: always(String, (sent) => `${sent}0`),
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
    (sent) => listOr(sent, (items) => items.map((item) => ({ mode: "auto", ...(item as Values) }))),
  ),
  reorders: always(
    (at) => ["x", "y", "z"].slice(0, at),
    (sent) => listOr(sent, (items) => [...items].sort().reverse()),
  ),
  /** Shows an address without its length where that says nothing. */
  hosts: {
    ...always(
      (at) => `10.0.0.${at}/32`,
      (sent) => String(sent).replace("/32", ""),
    ),
    edited: (value) => `10.0.0.${value}/${value === 3 ? 32 : 24}`,
  },
  /** Makes another range of an address, and stays with it. */
  narrows: {
    declared: (at) => `10.${at}.0.0/16`,
    shows: (sent, former) => former ?? String(sent).replace("/16", "/24"),
    forms: () => [],
  },
  /** Two places of which a write of one undoes the other. */
  swings: always(
    (at) => `left-${at}`,
    (sent) => sent,
  ),
  sways: always(
    (at) => `right-${at}`,
    (sent) => sent,
  ),
  /** Uses its own word, and later another one. A matching word stays. */
  renames: {
    declared: (at) => `tier-${at}`,
    shows: (sent, former) => (String(former).startsWith(`${planOfTier(sent)}-`) ? former : `${planOfTier(sent)}-v0`),
    forms: (sent) => [0, 1, 2, 3].map((version) => `${planOfTier(sent)}-v${version}`),
    later: (form, version) => String(form).replace(/-v\d+$/, `-v${version}`),
  },
  /** Accepts the value, and never returns it. */
  withholds: always(
    (at) => `mark-${at}`,
    () => undefined,
  ),
  /** Ignores the value. */
  ignores: { declared: (at) => `mode-${at}`, shows: (_sent, former) => former ?? "mode-0", forms: () => [] },
  /** Has words of its own, and gives each of them to another value later. */
  recodes: {
    declared: (at) => `code-${at}`,
    shows: (sent, _former, edition) => codeWord(sent, edition),
    forms: (sent, editions) => editions.map((edition) => codeWord(sent, edition)),
    later: (form, version, edition) => respelled(form, edition, edition + version),
    edited: (value) => codeWords[value % codeWords.length] ?? "",
  },
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
/** Those that are drawn apart. */
const drawnApart: readonly Habit[] = ["recodes", "tens", "hosts", "narrows", "swings", "sways"];
/** Those whose forms keep their meaning. */
export const steadyHabits: readonly Habit[] = allHabits.filter((habit) => !drawnApart.includes(habit));

/** The words for recoded values. What they mean depends on the edition; in every other edition values are shown as sent. */
const codeWords = ["azure", "beryl", "coral"] as const;
/** All editions that differ. */
const allEditions = [0, 1, 2, 3, 4, 5] as const;

/** What a cloud makes of a list. A person may have written something else there, which stays. */
function listOr(sent: Json, made: (items: readonly Json[]) => Json): Json {
  return Array.isArray(sent) ? made(sent) : sent;
}

function codeWord(sent: Json, edition: number): string {
  if (edition % 2 === 1) return String(sent);
  return codeWords[(Number(String(sent).slice(-1)) + edition / 2) % codeWords.length] ?? "";
}

/** The word of another edition for the same value. What nobody means by anything stays. */
function respelled(form: Json, from: number, to: number): Json {
  const sent = [1, 2, 3].map((at) => manners.recodes.declared(at)).find((value) => codeWord(value, from) === form);
  return sent === undefined ? form : codeWord(sent, to);
}

/** The member that shows the edition of a resource's words. Nobody declares it. */
const editionMember = "edition";

function editionIn(config: Values): number {
  return Number(config[editionMember] ?? 0);
}

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
  forms: (member, sent, editions = allEditions) => mannerAt(member)?.forms(sent, editions) ?? [],
  editionOf: (parameters) => editionIn((parameters[wordedParameter] ?? {}) as Values),
};

/** What a member shows in the end: a write of one of the two places undoes the other, and of a write of both only one counts. */
function undoneBy(sent: readonly string[], member: string, was: Values, value: Json | undefined): Json | undefined {
  const other = member === "sways" ? "swings" : "sways";
  if (member !== "sways" && member !== "swings") return value;
  if (!sent.includes(member)) return sent.includes(other) ? "undone" : value;
  return member === "sways" && sent.includes(other) ? was[member] : value;
}

/** Makes a cloud apply its habits to writes, and reports which members a write sent. */
export function rewritingBy(
  tell: (resourceId: string, members: readonly string[]) => void,
): NonNullable<SimulatedCloudOptions["rewrites"]> {
  return ({ resourceId, before, parameters }) => {
    const now = parameters[wordedParameter];
    if (typeof now !== "object" || now === null) return parameters;
    const was = (before?.[wordedParameter] ?? {}) as Values;
    const edition = editionIn(was);
    const sent: string[] = [];
    const shown = Object.entries(now as Values).map(([member, value]) => {
      const former = Object.hasOwn(was, member) ? was[member] : undefined;
      const manner = mannerAt(member);
      if (manner === null || JSON.stringify(former) === JSON.stringify(value)) return [member, value] as const;
      sent.push(member);
      return [member, manner.shows(value, former, edition)] as const;
    });
    tell(resourceId, sent);
    const left = shown.map(([member, value]) => [member, undoneBy(sent, member, was, value)] as const);
    const config = Object.fromEntries(left.filter((entry): entry is [string, Json] => entry[1] !== undefined));
    return { ...parameters, [wordedParameter]: config };
  };
}

/** The next form when a cloud or somebody else changes it, as a change of the worded parameter; `null` if it can't change. */
export function rewordedTo(
  member: Habit,
  config: Values,
  { by, value }: { readonly by: "cloud" | "person"; readonly value: number },
): Values | null {
  const [manner, form]: [Manner, Json | undefined] = [manners[member], config[member]];
  if (by === "cloud") {
    if (form === undefined || manner.later === undefined) return null;
    const edition = editionIn(config);
    const next = member === "recodes" ? { [editionMember]: edition + value } : {};
    return { ...next, [member]: manner.later(form, value, edition) };
  }
  return { [member]: manner.edited?.(value) ?? editedTo(member, manner, value) };
}

function editedTo(member: Habit, manner: Manner, value: number): Json {
  const declared = manner.declared(value);
  const own = typeof declared === "string" ? `hand-${value}` : declared;
  const ways = [own, declared, manner.forms(declared, allEditions)[0] ?? own];
  return ways[(value + member.length) % ways.length] ?? own;
}
