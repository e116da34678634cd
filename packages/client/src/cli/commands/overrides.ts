import type { AdoptionPlan, CheckResult, Component, ListedOverride } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { remedyFor } from "../../remedies.ts";
import { type HandOver, type TagChanges, tagLine } from "../../tag-lines.ts";
import { type Command, type CommandCall, exitCodes } from "../command.ts";
import {
  environmentNamed,
  findComponent,
  findPlace,
  pathIn,
  requireEnvironmentNamed,
  toldFor,
} from "../find-component.ts";
import { namesFor } from "../names.ts";
import { lookUntil } from "../outages.ts";
import { tagInSimulation } from "../simulated-line.ts";
import { ageOf, cellOf, tableOf } from "../tables.ts";

/** How often `--watch` checks. */
const lookMs = 3000;

/** Lists who has taken over what, oldest first. */
export const overrides: Command = {
  takes: "[--environment Type/owner/name]",
  summary: "lists open overrides, oldest first",
  flags: { environment: { type: "string" } },
  words: [0, 0],
  async run(call) {
    const { host, api, given } = call;
    const word = given.text("environment");
    const named = word ? await environmentNamed(api, word) : null;
    const environment = named && Object.values(named).join("/");
    const query = { sort: "age" as const, signal: host.signal, ...(environment && { environment }) };
    const inNames = namesFor(call);
    const rows: ReturnType<typeof rowOfOverride>[] = [];
    for await (const one of api.overrides.list.all(query)) {
      if (given.isSet("json")) host.print(JSON.stringify(one));
      rows.push(rowOfOverride(one));
    }
    // The list of an environment that doesn't exist is empty too.
    if (rows.length === 0 && named !== null) await requireEnvironmentNamed(api, named, word ?? "", host.signal);
    if (given.isSet("json")) return exitCodes.done;
    const components = await inNames(rows.map(({ component }) => component));
    const holders = await inNames(rows.map(({ by }) => by));
    const shown = rows.map((row, at) => ({ ...row, component: components[at], by: holders[at] }));
    if (rows.length === 0) host.say("No overrides.");
    else host.print(tableOf(shown, host.columns));
    return exitCodes.done;
  },
};

/** What an override waits for, in words. */
const awaited = {
  "management-tag": "a hand-back",
  "reconcile-tag": "the tag platform=reconcile",
  redeploy: "a deploy",
} as const;

function rowOfOverride({ component, override, driftCount }: ListedOverride) {
  const muted = Object.keys(component.outputFields.drift ?? {}).filter((name) => component.muteDrift.includes(name));
  const differs = muted.length === 0 ? driftCount : `${driftCount}, ${muted.length} muted`;
  return {
    age: ageOf(override.since, Date.now()),
    component: component.id,
    by: holderOf(override),
    why: [override.reason ?? override.said?.reason, override.ticket].filter((one) => one != null).join(" · ") || null,
    differs: override.awaiting === "redeploy" ? "missing" : differs,
    "waits for": override.awaiting && awaited[override.awaiting],
  };
}

export const why: Command = {
  takes: "<component>",
  summary: "shows the status of a component and the reasons for it",
  words: [1, 1],
  async run(call) {
    const { host, api, given } = call;
    const component = await findComponent(api, given.words[0] ?? "", host.signal);
    if (given.isSet("json")) return printed(host, component);
    const { health, conditions, override, working, resourceId, lookedAt } = component;
    const [id, holder] = await namesFor(call)([
      component.id,
      override !== null && !("heldBy" in override) ? holderOf(override) : null,
    ]);
    host.print(`${id}: ${health}`);
    host.print(`  last check: ${lookedAt === null ? "never" : `${ageOf(lookedAt, Date.now())} ago`}`);
    const printFailures = () => {
      for (const line of failureLines(component)) host.print(`  ${line}`);
    };
    // The most important comes first, as its health says.
    const isFirst = health === "Failing" || health === "Uncorrectable";
    if (isFirst) printFailures();
    const said = new Set([""]);
    for (const [name, { value, reason, message, changedAt, observedAt, blockedBy }] of Object.entries(conditions)) {
      // While reads fail, only what was there before is known.
      const isPast = name === "exists" && conditions.readable.value === false && observedAt !== null;
      const since = changedAt === null ? "" : `, for ${ageOf(changedAt, Date.now())}`;
      const when = isPast ? ` when last read, ${ageOf(observedAt, Date.now())} ago` : since;
      const because = value === true ? "" : ` (${reason})`;
      host.print(`  ${spoken(name)}: ${yesOrNo(value)}${because}${when}${said.has(message) ? "" : `. ${message}`}`);
      said.add(message);
      if (blockedBy !== undefined) host.print(`    blocked by: ${pathIn(blockedBy)}`);
    }
    if (!isFirst) printFailures();
    if (health === "Uncorrectable")
      host.print(`  what to do: ${remedyFor(component.failing?.code ?? conditions.inSync.reason)}`);
    for (const [name, { declared, actual }] of Object.entries(component.outputFields.drift ?? {})) {
      const muted = component.muteDrift.includes(name) ? " (muted)" : "";
      host.print(`  ${name}: declared ${cellOf(declared)}, in the cloud ${cellOf(actual)}${muted}`);
    }
    if (conditions.exists.value !== false) host.print(`  resource: ${cellOf(resourceId)}`);
    if (working !== null) host.print(`  working for ${ageOf(working.since, Date.now())}`);
    if (override !== null && "heldBy" in override) host.print(`  held with: ${pathIn(override.heldBy)}`);
    else if (override !== null) {
      host.print(`  taken over ${ageOf(override.since, Date.now())} ago${holder === null ? "" : ` by ${holder}`}`);
      const because = override.reason ?? override.said?.reason;
      if (because) host.print(`  because: ${because}`);
      if (override.awaiting !== null) host.print(`  waits for: ${awaited[override.awaiting]}`);
    }
    return exitCodes.done;
  },
};

const spoken = (condition: string) => condition.replace("inSync", "in sync");
const yesOrNo = (value: boolean | null) => (value === null ? "unknown" : { true: "yes", false: "no" }[`${value}`]);

/** Who has it: by the cloud's own record, by the tag, or by the note. */
function holderOf({ takenOverBy, said, claimedBy }: ListedOverride["override"]): string | null {
  return takenOverBy?.name ?? said?.owner ?? claimedBy;
}

/** The writes that failed, in the cloud's words, and the next try. */
function failureLines({ failing, nextTryAt }: Component): string[] {
  const lines: string[] = [];
  if (failing !== null) {
    const { attempts, since, detail } = failing;
    lines.push(`failed writes: ${attempts} in ${ageOf(since, Date.now())}: ${detail}`);
    const words = cloudWordsOf(failing);
    if (words !== null) lines.push(`the cloud says: ${cellOf(words)}`);
  }
  if (nextTryAt !== null) lines.push(`next try: ${timeUntil(nextTryAt, Date.now())}`);
  return lines;
}

function timeUntil(instant: string, now: number): string {
  const at = Date.parse(instant);
  return at <= now ? "due now" : `in ${ageOf(new Date(now).toISOString(), at)}`;
}

/** What the cloud said to a write that failed. */
export function cloudWordsOf({ providerCode, providerMessage = "" }: NonNullable<Component["failing"]>): string | null {
  return providerCode === undefined ? null : `${providerCode} ${providerMessage}`.trim();
}

/** Prints what a hand-back would do. */
export async function planOfComponent({ host, api, given }: CommandCall): Promise<number> {
  const { signal } = host;
  const [word = ""] = given.words;
  const place = await findPlace(api, word, signal);
  const plan = await toldFor(word, api.liveSystems.components.adoptionPlan(place, { signal }));
  if (given.isSet("json")) return printed(host, plan);
  if (!plan.possible) host.say(`A hand-back isn't possible: ${plan.reason ?? "unknown"}`);
  if (plan.changes.length > 0) host.print(tableOf(plan.changes.map(rowIn(plan)), host.columns));
  else if (plan.possible && plan.unobservable.length === 0) host.say("A hand-back would change nothing.");
  if (plan.unobservable.length > 0)
    host.say(`The cloud never shows ${plan.unobservable.join(", ")}. A hand-back writes it again.`);
  const touched = plan.dependents.filter(({ changed }) => changed);
  if (touched.length > 0)
    host.say(
      `These components depend on the changes: ${touched.map(({ componentId }) => pathIn(componentId)).join(", ")}.`,
    );
  return exitCodes.done;
}

/** A row of a plan. Nothing is set back where no hand-back is possible. */
function rowIn({ possible }: AdoptionPlan) {
  return ({ pointer, actual, declared, cause, unwritable }: AdoptionPlan["changes"][number]) => ({
    parameter: pointer,
    "in the cloud": cellOf(actual),
    ...(possible
      ? { "is set back to": unwritable === null ? cellOf(declared) : `can't be: ${unwritable.message}` }
      : { declared: cellOf(declared), "can't be put back": unwritable?.message ?? null }),
    "changed by": cause,
  });
}

function handOver(what: HandOver, summary: string, there: Component["status"]): Command {
  return {
    takes: "<component> [--watch]",
    summary,
    flags: { watch: { type: "boolean" } },
    words: [1, 1],
    async run(call) {
      const { host, api, given } = call;
      const component = await findComponent(api, given.words[0] ?? "", host.signal);
      const refusal = what === "hand-back" ? await whyNotBack(call, component) : null;
      if (refusal !== null) {
        const [named] = await namesFor(call)([component.id]);
        host.say(`${named} can't be handed back: ${refusal}`);
        return exitCodes.failed;
      }
      let isForOthers = false;
      if (component.resourceId === null) host.say("It has no resource in the cloud yet.");
      else if (await isSimulated(call)) {
        const { line, changes } = await tagInSimulation(call, { component, what });
        if (line === null) host.say(`${simulated[what](changes)}${given.isSet("watch") ? "" : ` ${next[what]}`}`);
        else {
          isForOthers = true;
          host.say(
            "The cloud is simulated. To change tags there you need the permission Edit on the live system. An operator, with a token in OPERATOR_TOKEN, can run:",
          );
          host.print(line);
        }
      } else sayHow(call, component, what);
      if (given.isSet("watch")) return watchUntil(call, component, there);
      return isForOthers ? exitCodes.failed : exitCodes.done;
    },
  };
}

/** Prints the cloud's own command, or says what to do in its console. */
function sayHow({ host }: CommandCall, component: Component, what: HandOver): void {
  const line = tagLine(component, what);
  if (line !== null) host.print(line);
  else
    host.say(
      `The cloud's command line can't change the tags of ${component.type}. Open ${component.resourceId} in the cloud's console and ${tagWords[what]}.`,
    );
}

const simulated = {
  "take-over": ({ "platform-owner": owner }: TagChanges) =>
    `Removed managed-by from the resource in the simulated cloud${owner == null ? "" : `, and set platform-owner=${owner}`}.`,
  "hand-back": () =>
    "Set managed-by and platform=reconcile on the resource in the simulated cloud, and removed platform-owner.",
} as const;

const next = {
  "take-over": "It is yours when the agent has seen that; --watch waits for it.",
  "hand-back": "The agent takes it back when it has seen that; --watch waits for it.",
} as const;

/**
 * Why a hand-back could never finish, judged by the cloud's current state, or by the last check for who may not check; `null` if it can,
 * or is in progress.
 */
async function whyNotBack(call: CommandCall, component: Component): Promise<string | null> {
  const { livesystemId: id, id: componentId } = component;
  const { api, host, given } = call;
  const status = await statusNow(call, component);
  if (status === "ReconcileRequested" || (status === "Active" && given.isSet("watch"))) return null;
  const { possible, reason } = await api.liveSystems.components.adoptionPlan(
    { id, componentId },
    { signal: host.signal },
  );
  return possible ? null : (reason ?? "unknown");
}

async function statusNow({ api, host: { signal } }: CommandCall, component: Component): Promise<Component["status"]> {
  const { livesystemId: id, id: componentId, status } = component;
  try {
    return (await api.liveSystems.components.check({ id, componentId }, { signal })).component.status;
  } catch (error) {
    if (!isLiveplaneError(error, "PermissionDenied")) throw error;
    return status;
  }
}

const tagWords = {
  "take-over": "remove managed-by",
  "hand-back": "set managed-by to platform and platform to reconcile",
} as const;

/** Takes a component over, or prints how. */
export const takeOver = handOver(
  "take-over",
  "takes a component over in a simulated cloud, or prints the cloud's command for it; --watch waits until the agent has let go",
  "ManualOverride",
);
/** Hands a component back, or prints how. */
export const handBack = handOver(
  "hand-back",
  "hands a component back in a simulated cloud, or prints the cloud's command for it; --watch waits until it is Active again",
  "Active",
);

/** Checks until the status is reached, and reports what changed on the way. */
function watchUntil({ host, api }: CommandCall, { livesystemId: id, id: componentId }: Component, there: string) {
  let before = "";
  async function look(): Promise<number | null> {
    const { component, acknowledgement } = await api.liveSystems.components.check(
      { id, componentId },
      { signal: host.signal },
    );
    const { writesInFlight, lastWriteAt } = acknowledgement;
    const now = JSON.stringify([component.status, component.conditions.inSync.value, writesInFlight, lastWriteAt]);
    if (now !== before) host.say(describe(component, acknowledgement));
    before = now;
    const isStill = writesInFlight === 0;
    const isThere = component.status === there && (there !== "Active" || component.conditions.inSync.value === true);
    return isThere && isStill ? exitCodes.done : null;
  }
  return lookUntil(host, { look, everyMs: lookMs });
}

function describe(
  { status, conditions }: Component,
  { writesInFlight, lastWriteAt }: CheckResult["acknowledgement"],
): string {
  const writing = writesInFlight === 0 ? "isn't writing" : `is writing (${writesInFlight})`;
  const wrote = lastWriteAt === null ? "has never written" : `last wrote ${ageOf(lastWriteAt, Date.now())} ago`;
  return `${status}, in sync: ${yesOrNo(conditions.inSync.value)}. The agent ${writing}; it ${wrote}.`;
}

async function isSimulated({ url, host }: CommandCall): Promise<boolean> {
  const { ok } = await fetch(`${url}/simulator`, { method: "HEAD", signal: host.signal });
  return ok;
}

function printed(host: CommandCall["host"], value: unknown): number {
  host.print(JSON.stringify(value));
  return exitCodes.done;
}
