import { type Api, isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
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
export function readEvents(api: Api, begin: number, head: number): EventReader {
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
    for await (const event of api.events.follow({ after, signal: ended.signal })) {
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
}

/** The matching events: by the beginning of their type, and by any part of their subject or actor, by ID or name. */
export function fittingEvents(
  all: readonly LiveplaneEvent[],
  { type, subject }: EventFilter,
  named: (text: string) => string,
): readonly LiveplaneEvent[] {
  const part = subject.toLowerCase();
  const isAbout = ({ subject, actor }: LiveplaneEvent) =>
    [subject, actor, named(subject), named(actor)].some((text) => text.toLowerCase().includes(part));
  return all.filter((event) => event.type.startsWith(type) && (part === "" || isAbout(event)));
}

/** Events as lines of JSON, oldest first, for programs. */
export function linesOf(events: readonly LiveplaneEvent[]): string {
  return events
    .toReversed()
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
}
