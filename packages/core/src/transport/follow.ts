import type { Access, Caller } from "../access/access.ts";
import type { LiveplaneEvent } from "../contract/event-types.ts";
import { operationsById } from "../contract/operations/operations.ts";
import { parseInput } from "../contract/parse-input.ts";
import type { Operation } from "../contract/row.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { EventBatch } from "../events/event-log.ts";
import { scopeOfOwner } from "../events/event-owner.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Services } from "../services.ts";
/** Opens the events that a caller may see, from now on or after a sequence number. Rejects before the first event. */
export type Follow = (request: FollowRequest) => Promise<AsyncIterable<LiveplaneEvent>>;

/** A request to follow events. The query is unvalidated. */
export interface FollowRequest {
  readonly caller: Caller;
  readonly query: Readonly<Record<string, unknown>>;
  /** Ends the stream, which uses one of its principal's slots until then. */
  readonly signal?: AbortSignal;
  /** Called once the caller is known, as for every other operation. */
  readonly admit?: (actor: Actor, row: Operation) => void;
  /** Called with the sequence number after which the stream begins, for resuming after an early interruption. */
  readonly begins?: (after: number) => void;
}

/** Permissions are cached for this many events. */
const atOnce = 100;
/** How long streams without news are served in a row before the event loop continues. */
const sliceMs = 5;
/** How often a credential is checked while nothing happens. */
const quietMs = 15_000;

/** Creates the stream of events for all transports; visibility is decided for each event when it is sent. */
export function createFollow({
  access,
  log,
  runtime,
  settings,
  stopping,
}: Pick<Services, "runtime" | "settings" | "log"> & {
  readonly access: Access;
  readonly stopping: AbortSignal;
}): Follow {
  const row = operationsById["events.follow"];
  const turn = createTurns(runtime);
  const places = createPlaces(settings.eventStreams);

  /** The reader of a stream: the events of the owners that its caller follows, without those that they may not see at that moment. */
  function readerFor(caller: Caller, wanted: (event: LoggedEvent) => boolean) {
    let judgedAt = Number.NEGATIVE_INFINITY;
    return async (after: number): Promise<EventBatch> => {
      const isQuiet = (await log.head()) <= after && runtime.clock.monotonic() - judgedAt < quietMs;
      if (isQuiet) return { events: [], through: after, isLast: true };
      return turn(async (found) => {
        judgedAt = runtime.clock.monotonic();
        const actor = await access.identify(caller, row);
        const { everything, owners } = await access.hears(actor);
        const batch = await log.batch(everything ? "everything" : owners.map(scopeOfOwner), after, atOnce);
        if (batch.events.length > 0) found();
        const events = batch.events.filter(wanted);
        const isSeen = await access.seesEvents(actor, events);
        return { ...batch, events: events.filter((_, at) => isSeen[at]) };
      });
    };
  }

  return async ({ caller, query: sent, signal, admit, begins }) => {
    const actor = await access.identify(caller, row);
    admit?.(actor, row);
    await access.authorize(actor, row, { params: {}, query: sent });
    const query = row.query === undefined ? {} : (parseInput(row.query, sent, "query") as FollowQuery);
    const after = query.after ?? (await log.head());
    if (query.after !== undefined) await log.batch([], after, 1);
    const ending = signal === undefined ? stopping : AbortSignal.any([signal, stopping]);
    const leave = places.take(actor, ending);
    begins?.(after);
    const batches = log.batches({ after, signal: ending, read: readerFor(caller, filterOf(query)) });
    // Checked again for each event, starting with the credential: a caller who signs out within a batch sees no more of it.
    const sees = async (event: LoggedEvent) => {
      const [isSeen = false] = await access.seesEvents(await access.identify(caller, row), [event]);
      return isSeen;
    };
    return untilStopped(told(batches, sees), { stopping, leave });
  };
}

async function* told(
  batches: AsyncIterable<EventBatch>,
  sees: (event: LoggedEvent) => Promise<boolean>,
): AsyncGenerator<LiveplaneEvent> {
  for await (const { events } of batches) for (const event of events) if (await sees(event)) yield shown(event);
}

/** A failure caused by the host stopping is a normal end. */
async function* untilStopped<T>(
  events: AsyncIterable<T>,
  { stopping, leave }: { readonly stopping: AbortSignal; readonly leave: () => void },
): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    leave();
  }
}

/**
 * Runs one work after the other. After one with news, the event loop gets a turn; those without share one, so that many idle streams delay
 * nobody.
 */
function createTurns({ clock, yield: letOthers }: Pick<Runtime, "clock" | "yield">) {
  let last: Promise<unknown> = Promise.resolve();
  let since = clock.monotonic();
  return <T>(work: (found: () => void) => Promise<T>): Promise<T> => {
    let hasFound = false;
    const found = () => {
      hasFound = true;
    };
    const rest = async () => {
      if (!hasFound && clock.monotonic() - since < sliceMs) return;
      await letOthers();
      since = clock.monotonic();
    };
    const done = last.then(() => work(found));
    last = done.then(rest, rest);
    return done;
  };
}

/** Counts each principal's open streams. The host itself has no limit. */
function createPlaces(most: number) {
  const taken = new Map<string, number>();
  return {
    take(actor: Actor, ending: AbortSignal): () => void {
      if (actor.kind === "system") return () => {};
      const whose = actorName(actor);
      const count = taken.get(whose) ?? 0;
      if (count >= most) throw tooMany(most);
      taken.set(whose, count + 1);
      let isTaken = true;
      const leave = () => {
        if (!isTaken) return;
        isTaken = false;
        ending.removeEventListener("abort", leave);
        const left = (taken.get(whose) ?? 1) - 1;
        if (left === 0) taken.delete(whose);
        else taken.set(whose, left);
      };
      ending.addEventListener("abort", leave, { once: true });
      if (ending.aborted) leave();
      return leave;
    },
  };
}

function tooMany(most: number): LiveplaneError {
  return new LiveplaneError("RateLimited", `${most} event streams are already open. Close one of them.`, {
    details: { retryAfterSeconds: quietMs / 1000 },
  });
}

interface FollowQuery {
  readonly after?: number;
  readonly type?: readonly string[];
  readonly livesystem?: readonly string[];
}

function filterOf({ type, livesystem }: FollowQuery): (event: LoggedEvent) => boolean {
  const types = type && new Set(type);
  const liveSystems = livesystem && new Set(livesystem);
  return (event) => {
    if (types && !types.has(event.type)) return false;
    return !liveSystems || (event.about.kind === "liveSystem" && liveSystems.has(event.about.id));
  };
}

function shown({ about: _about, ...event }: LoggedEvent): LiveplaneEvent {
  return event as LiveplaneEvent;
}
