import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { componentName } from "../names.ts";
import type { Rule } from "../steps.ts";

/** For this long, nothing has changed before a reminder must have come. */
const sparedMs = 150_000;

interface Wish {
  readonly remindAt: string;
  readonly dueAt: number;
  readonly came: boolean;
}

/** People are reminded of an old override, and when they asked for it, unless all its drift is muted. */
export function remindsOfWhatIsLoud(evidence: Evidence): Rule {
  const { overdueMs } = evidence.world;
  const reminded = new Set<string>();
  /** The reminder that people want of each override, when it is due, and whether it came. A renamed component keeps its override. */
  const wishes = new Map<string, Wish>();
  /** Since when each component is as loud as it is. */
  const since = new Map<string, { readonly isLoud: boolean; readonly at: number }>();

  function isLoud(component: StoredComponent): boolean {
    const muted = evidence.declared(component)?.muteDrift ?? [];
    const drifting = Object.keys(component.observed.drift);
    return drifting.length === 0 || drifting.some((name) => !muted.includes(name));
  }

  return {
    invariant: "reminds-of-what-is-loud",
    judges: {
      rested: ({ at }) => {
        if (overdueMs === undefined) return null;
        for (const [id, { record }] of evidence.stored.components) {
          if (record.override === null || evidence.declared(record) === null || !isLoud(record)) continue;
          const known = since.get(`${id} ${record.override.episodeId}`);
          const wish = wishes.get(record.override.episodeId);
          if (wish?.came === false && Math.max(wish.dueAt, known?.at ?? at) + sparedMs < at)
            return `nobody was reminded of ${componentName(record)} at ${wish.remindAt}`;
          if (known === undefined || known.at + overdueMs + sparedMs > at) continue;
          if (evidence.declarations.acceptedAt(record.liveSystemId) > (evidence.stored.components.get(id)?.order ?? 0))
            continue;
          if (!reminded.has(record.override.episodeId))
            return `${componentName(record)} is overridden for long, and nobody was reminded`;
        }
        return null;
      },
    },
    observes: {
      "component-stored": ({ id, after, events, at }) => {
        for (const { type, data } of events) {
          if (type !== "component.override.overdue") continue;
          const episodeId = String(data.episodeId);
          reminded.add(episodeId);
          const wish = wishes.get(episodeId);
          if (data.because === "remindAt" && wish !== undefined) wishes.set(episodeId, { ...wish, came: true });
        }
        const { episodeId, remindAt = null } = after?.override ?? {};
        if (episodeId === undefined) return;
        if (remindAt === null) wishes.delete(episodeId);
        else if (wishes.get(episodeId)?.remindAt !== remindAt) {
          const inMs = Date.parse(remindAt) - Date.parse(after?.updatedAt ?? remindAt);
          wishes.set(episodeId, { remindAt, dueAt: at + Math.max(0, inMs), came: false });
        }
        if (after?.override == null) return;
        const [key, loud] = [`${id} ${after.override.episodeId}`, isLoud(after)];
        if (since.get(key)?.isLoud !== loud) since.set(key, { isLoud: loud, at });
      },
    },
  };
}
