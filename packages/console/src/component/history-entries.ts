import type { Api, LiveplaneEvent } from "@liveplane/client";

type Episode = Awaited<ReturnType<Api["liveSystems"]["components"]["overrides"]>>["items"][number];
type Deploy = Awaited<ReturnType<Api["liveSystems"]["mutations"]["list"]>>["items"][number];

/** Something that happened to a component. */
export type HistoryEntry =
  | { readonly kind: "taken"; readonly at: string; readonly episode: Episode }
  | { readonly kind: "returned"; readonly at: string; readonly outcome: NonNullable<Episode["outcome"]> }
  | { readonly kind: "deploy"; readonly at: string; readonly deploy: Deploy }
  | { readonly kind: "event"; readonly at: string; readonly event: LiveplaneEvent };

/** What a component's history is made of. */
export interface HistorySources {
  readonly episodes: readonly Episode[];
  readonly deploys: readonly Deploy[];
  /** When the component was first declared: earlier deploys have nothing to do with it. */
  readonly since: string;
  /** The events about it, in any order. */
  readonly events: readonly LiveplaneEvent[];
}

/** Everything that happened to a component, newest first. A deploy is where it ended. Events that the ledger tells too are left out. */
export function historyEntries({ episodes, deploys, since, events }: HistorySources): HistoryEntry[] {
  const entries: HistoryEntry[] = [
    ...episodes.map((episode) => ({ kind: "taken", at: episode.startedAt, episode }) as const),
    ...episodes.flatMap(({ endedAt, outcome }) =>
      endedAt === null || outcome === null ? [] : [{ kind: "returned", at: endedAt, outcome } as const],
    ),
    ...deploys
      .map((deploy) => ({ kind: "deploy", at: deploy.completedAt ?? deploy.createdAt, deploy }) as const)
      .filter(({ at }) => Date.parse(at) >= Date.parse(since)),
    ...events
      .filter(({ type }) => !/^component\.(override\.(started|ended)|reconcile\.completed)$/.test(type))
      .map((event) => ({ kind: "event", at: event.time, event }) as const),
  ];
  return entries.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
