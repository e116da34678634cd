import type { Access, Caller } from "./account/access.ts";
import { seesEvent } from "./account/event-sight.ts";
import type { LiveplaneEvent } from "./contract/event-types.ts";
import { operationsById } from "./contract/operations.ts";
import { parseInput } from "./contract/parse-input.ts";
import type { Operation } from "./contract/row.ts";
import type { Actor } from "./contract/target.ts";
import type { LoggedEvent } from "./records/event-chain.ts";
import type { EventLog } from "./records/event-log.ts";

/** Opens the events that a caller may see, from now on or from behind a sequence number. Rejects before the first event. */
export type Follow = (request: FollowRequest) => Promise<AsyncIterable<LiveplaneEvent>>;

/** Who wants to follow what. The query is unvalidated: it comes from outside. */
export interface FollowRequest {
  readonly caller: Caller;
  readonly query: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Called once the caller is known, as for every other operation. */
  readonly admit?: (actor: Actor, row: Operation) => void;
  /** Told behind which sequence number the stream begins: whoever breaks off before the first event resumes from there. */
  readonly begins?: (after: number) => void;
}

/** What following needs. */
export interface FollowDeps {
  readonly access: Access;
  readonly log: EventLog;
  /** Fires when the host stops: every stream ends then. */
  readonly stopping: AbortSignal;
}

/** Builds the one stream of events that both transports serve: visibility is judged for each event when it is sent. */
export function createFollow({ access, log, stopping }: FollowDeps): Follow {
  const row = operationsById["events.follow"];
  return async ({ caller, query: sent, signal, admit, begins }) => {
    const actor = await access.identify(caller, row);
    admit?.(actor, row);
    await access.authorize(actor, row, { params: {}, query: sent });
    const query = row.query === undefined ? {} : (parseInput(row.query, sent, "query") as FollowQuery);
    if (query.after !== undefined) await log.read(query.after, 1);
    const after = query.after ?? (await log.head());
    begins?.(after);
    // Judged anew for each event, from the credential on: who is signed out in between sees nothing more.
    const sees = async (event: LoggedEvent) => seesEvent(access, await access.identify(caller, row), event);
    const ending = signal === undefined ? stopping : AbortSignal.any([signal, stopping]);
    return untilStopped(visible(log.follow({ after, signal: ending }), filterOf(query), sees), stopping);
  };
}

async function* visible(
  events: AsyncIterable<LoggedEvent>,
  wanted: (event: LoggedEvent) => boolean,
  seen: (event: LoggedEvent) => Promise<boolean>,
): AsyncGenerator<LiveplaneEvent> {
  for await (const event of events) if (wanted(event) && (await seen(event))) yield shown(event);
}

/** What fails because the host has stopped is the end, and no failure. */
async function* untilStopped<T>(events: AsyncIterable<T>, stopping: AbortSignal): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
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
