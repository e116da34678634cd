import type { Cloud, SimulatedChange } from "@liveplane/core/clouds";
import type { Logged } from "./judge/facts.ts";

/** What a cloud tells of who changed its resources by hand. */
export interface ActivityLog extends Required<Pick<Cloud, "whoChanged">> {
  /** Notes a change, and says as what. */
  note(change: SimulatedChange): Logged;
}

/** A log that shows each change after a while. Three people take turns. */
export function activityLog({ now, logMs }: { readonly now: () => number; readonly logMs: number }): ActivityLog {
  const entries: (Logged & { readonly resourceId: string })[] = [];
  return {
    note({ operation, resourceId, before, after }) {
      const isOfTags = JSON.stringify(before?.tags) !== JSON.stringify(after?.tags);
      const name = `person-${(entries.length % 3) + 1}@example.com`;
      const logged = { name, at: new Date(now()).toISOString(), operation: `resources/${operation}`, isOfTags };
      entries.push({ ...logged, resourceId: resourceId.toLowerCase() });
      return logged;
    },
    async whoChanged({ resourceId }, { since, until }) {
      const shownUntil = new Date(now() - logMs).toISOString();
      const own = entries.filter((one) => one.resourceId === resourceId.toLowerCase());
      const within = own.filter(({ at }) => at >= since && at <= until && at <= shownUntil);
      const last = within.findLast(({ isOfTags }) => isOfTags) ?? within.at(-1);
      return last === undefined ? null : { name: last.name, at: last.at, operation: last.operation };
    },
  };
}
