import type { Evidence } from "../evidence.ts";
import type { JudgedCloud, Logged, SaidOfOverride, StoredComponent } from "../facts.ts";
import { componentName, placeKey, told } from "../names.ts";
import type { ComponentStored, Rule, StepTime } from "../steps.ts";

type Tags = Readonly<Record<string, string>>;

/** How long the answer about who took over may be under way while its process pauses, and how much later than it was noticed a take-over may be logged. */
const [answerMs, noticedMs] = [90_000, 60_000];

/** A change by hand, as the cloud's activity log names it. */
interface Entry extends Logged {
  /** When the log shows it. */
  readonly shownAt: number;
}

/** An override keeps what its resource's tags said when it began. */
export function overrideSaysWhatWasSaid(): Rule {
  return {
    invariant: "override-says-what-was-said",
    judges: {
      look: ({ before, after, resource, cloud }) => resource && wrongSaid(before, after, resource.tags, cloud),
      glimpse: ({ before, after, resource, cloud }) => wrongSaid(before, after, resource?.tags ?? {}, cloud),
      "component-stored": ({ before, after }) => {
        if (before?.override == null || after?.override == null) return null;
        const [was, is] = [before.override.said ?? null, after.override.said ?? null];
        const isSame = before.override.episodeId === after.override.episodeId;
        return isSame && JSON.stringify(was) !== JSON.stringify(is)
          ? `${componentName(after)} said ${told(was)}, and says ${told(is)}`
          : null;
      },
    },
  };
}

/** Who began an override is named once, as the activity log of its cloud says. */
export function overrideSaysWhoBeganIt(evidence: Evidence): Rule {
  const log = new Map<string, readonly Entry[]>();
  /** When the agent counts as having written last, at any time since an override began. */
  const writtenAt = new Map<string, ReadonlySet<string>>();

  function wrongTaker({ before, after, at }: ComponentStored & StepTime): string | null {
    const [was, is] = [before?.override ?? null, after?.override ?? null];
    if (after === null || is === null || is.takenOverBy === undefined) return null;
    const [told, known] = [is.takenOverBy, was?.takenOverBy].map((one) => JSON.stringify(one));
    if (was?.episodeId === is.episodeId && known !== undefined)
      return told === known ? null : `${known} took it over, and then ${told}`;
    const { logMs } = evidence.cloudOf(after);
    if (logMs === undefined) return null;
    if (Date.parse(after.updatedAt ?? "") < Date.parse(is.since) + logMs)
      return `its cloud was asked at ${after.updatedAt} who took it over, and may not know yet`;
    const starts = [...(writtenAt.get(is.episodeId) ?? []), after.lastWriteAt ?? ""];
    const possible = starts.flatMap((start) => takersOf(after, start, at)).map((one) => JSON.stringify(one));
    return possible.includes(told as string) ? null : `${told} is said to have taken it over, logged is ${possible}`;
  }

  /** Who may be named: whoever changed the tags last between the agent's last write and the notice, or else anything. */
  function takersOf({ provider, resource, override }: StoredComponent, start: string, at: number) {
    const until = Date.parse(override?.since ?? "") + noticedMs;
    const within = (log.get(placeKey(provider, resource.id ?? "")) ?? []).filter(
      (one) => one.at >= start && Date.parse(one.at) <= until,
    );
    const times = within.map(({ shownAt }) => shownAt).filter((time) => time > at - answerMs && time < at);
    return [at - answerMs, ...times, at].map((time) => {
      const shown = within.filter(({ shownAt }) => shownAt <= time);
      const last = shown.findLast(({ isOfTags }) => isOfTags) ?? shown.at(-1);
      return last === undefined ? null : { name: last.name, at: last.at, operation: last.operation };
    });
  }

  /** Whether a cloud's log was never asked who took a component over. */
  function isUnasked(component: StoredComponent): boolean {
    const { override, type, resource } = component;
    const { logMs, isTaggable } = evidence.cloudOf(component);
    const isLogged = logMs !== undefined && isTaggable(type) && resource.id !== null;
    return isLogged && override !== null && override.takenOverBy === undefined;
  }

  return {
    invariant: "override-says-what-was-said",
    judges: {
      rested: () => {
        const one = evidence.components().find(isUnasked);
        return one === undefined ? null : `nobody has asked who took ${componentName(one)} over`;
      },
      "component-stored": (step) => {
        const wrong = wrongTaker(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      "component-stored": ({ after }) => {
        const { episodeId = null } = after?.override ?? {};
        if (after === null || episodeId === null) return;
        writtenAt.set(episodeId, new Set([...(writtenAt.get(episodeId) ?? []), after.lastWriteAt ?? ""]));
      },
      changed: ({ provider, change: { resourceId, logged }, at }) => {
        if (logged === undefined) return;
        const key = placeKey(provider, resourceId);
        const shownAt = at + (evidence.clouds.get(provider)?.logMs ?? 0);
        log.set(key, [...(log.get(key) ?? []), { ...logged, shownAt }]);
      },
    },
  };
}

/** What is wrong with the notes of a new override; `null` if nothing. */
function wrongSaid(before: StoredComponent, after: StoredComponent, tags: Tags, cloud: JudgedCloud): string | null {
  if (after.override === null || before.override !== null) return null;
  const wanted = saidIn(tags, Date.parse(after.override.since), cloud);
  const said = after.override.said ?? null;
  return JSON.stringify(said) === JSON.stringify(wanted)
    ? null
    : `it says ${told(said)}, its tags said ${told(wanted)}`;
}

function saidIn(tags: Tags, since: number, { caselessTagKeys }: JudgedCloud): SaidOfOverride | null {
  const textOf = (wanted: string) => {
    const isIt = (key: string) => (caselessTagKeys ? key.toLowerCase() : key) === wanted;
    const text =
      Object.entries(tags)
        .find(([key]) => isIt(key))?.[1]
        .trim() ?? "";
    return text === "" ? null : text.slice(0, 256);
  };
  const said = { reason: textOf("platform-reason"), owner: textOf("platform-owner"), until: null as string | null };
  // Days, in the spelling that both clouds accept: a day lasts to its end.
  const day = /^\d{4}-\d\d-\d\d$/.exec(textOf("platform-until") ?? "")?.[0];
  const end = day === undefined ? Number.NaN : Date.parse(`${day}T23:59:59.000Z`);
  if (end > since) said.until = new Date(end).toISOString();
  return said.reason === null && said.owner === null && said.until === null ? null : said;
}
