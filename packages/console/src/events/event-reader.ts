import { type Api, isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { isSeenByAgent } from "@liveplane/client/seen-by-agent";
import { type ReadonlySignal, signal } from "@preact/signals";

/** The events read so far, newest first. */
export interface EventReader {
  readonly events: ReadonlySignal<readonly LiveplaneEvent[]>;
  /** The number after which it began; `null` if earlier events are no longer kept. */
  readonly from: ReadonlySignal<number | null>;
  readonly error: ReadonlySignal<unknown>;
  end(): void;
}

/** The most events kept; the newest stay. */
const mostKept = 10_000;
/** Events come in bursts and are shown this often. */
const gatherMs = 100;

/** Reads events after a number, and continues with new ones. */
export function readEvents(
  api: Api,
  begin: number,
  head: number,
  /** Only these, of these live systems. Empty: all. */
  { livesystem = [], type = [] }: { readonly livesystem?: readonly string[]; readonly type?: readonly string[] } = {},
): EventReader {
  const events = signal<readonly LiveplaneEvent[]>([]);
  const from = signal<number | null>(begin);
  const error = signal<unknown>(null);
  const ended = new AbortController();
  let gathered: LiveplaneEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    events.value = [...gathered.reverse(), ...events.value].slice(0, mostKept);
    gathered = [];
    timer = undefined;
  }

  async function follow(after: number): Promise<void> {
    for await (const event of api.events.follow({
      after,
      signal: ended.signal,
      ...(livesystem.length > 0 && { livesystem: [...livesystem] }),
      ...(type.length > 0 && { type: [...type] }),
    })) {
      gathered.push(event);
      timer ??= setTimeout(show, gatherMs);
    }
  }

  async function run(): Promise<void> {
    try {
      await follow(begin);
    } catch (failed) {
      if (ended.signal.aborted) return;
      if (!isLiveplaneError(failed, "EventsExpired") || begin === head) {
        error.value = failed;
        return;
      }
      from.value = null;
      await follow(head).catch((again: unknown) => {
        if (!ended.signal.aborted) error.value = again;
      });
    }
  }

  void run();
  return {
    events,
    from,
    error,
    end() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}

export interface EventFilter {
  readonly type: string;
  readonly subject: string;
  /** The earliest instant in epoch milliseconds; `null`: all. */
  readonly since: number | null;
  /** The instant before which it happened, as people type it; unreadable text: all. */
  readonly until?: string;
}

/** The periods that events can be narrowed to. */
const periods = { hour: 3_600_000, "12h": 43_200_000, day: 86_400_000, week: 604_800_000 } as const;

/** The beginning of a period that ends now; `null` for any other name. */
export function sinceOf(period: string, now: number): number | null {
  return Object.hasOwn(periods, period) ? now - periods[period as keyof typeof periods] : null;
}

/** Who has what is taken over now, by the ID of the override. */
export type Holders = ReadonlyMap<string, string>;

/**
 * Who did it; `null` if unknown. What the agent reports of an override, it has only seen: a person did it, who is named as far as known.
 * Whoever hands back may be another person than the one who took over.
 */
export function doerOf(event: LiveplaneEvent, holders: Holders): string | null {
  const { type, actor, data } = event;
  if (!isSeenByAgent(event)) return actor;
  const holder =
    type.startsWith("component.override.") && "episodeId" in data ? holders.get(String(data.episodeId)) : undefined;
  return holder ?? ("owner" in data ? data.owner : null);
}

/** The matching events: by the beginning of their type, and by any part of their subject, actor or person, by ID or name. */
export function fittingEvents(
  all: readonly LiveplaneEvent[],
  { type, subject, since, until = "" }: EventFilter,
  { named, holders }: { readonly named: (text: string) => string; readonly holders: Holders },
): readonly LiveplaneEvent[] {
  const part = subject.toLowerCase();
  const isAbout = (event: LiveplaneEvent) =>
    [event.subject, event.actor, doerOf(event, holders) ?? ""].some((text) =>
      [text, named(text)].some((one) => one.toLowerCase().includes(part)),
    );
  const end = Date.parse(until);
  const isInTime = ({ time }: LiveplaneEvent) =>
    (since === null || Date.parse(time) >= since) && !(Date.parse(time) >= end);
  return all.filter((event) => event.type.startsWith(type) && isInTime(event) && (part === "" || isAbout(event)));
}

/** Events as lines of JSON, oldest first, for programs. */
export function linesOf(events: readonly LiveplaneEvent[]): string {
  return events
    .toReversed()
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
}

/** Neighbouring events of the same type, person and place: a deploy of twenty components is one row. */
export function inRuns(events: readonly LiveplaneEvent[], holders: Holders): (readonly LiveplaneEvent[])[] {
  const runKey = (event: LiveplaneEvent) =>
    `${event.type} ${event.actor} ${doerOf(event, holders)} ${eventPlace(event)}`;
  const runs: LiveplaneEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && runKey(run[0]) === runKey(event)) run.push(event);
    else runs.push([event]);
  }
  return runs;
}

/** Where an event is: a component's live system, an environment, or the subject itself. */
export const eventPlace = ({ type, subject }: Pick<LiveplaneEvent, "type" | "subject">) =>
  subject.split("/", type.startsWith("component.") ? 1 : 3).join("/");
