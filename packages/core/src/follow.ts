import type { Access, Caller } from "./account/access.ts";
import { operationsById } from "./contract/operations.ts";
import { parseInput } from "./contract/parse-input.ts";
import type { LiveplaneEvent } from "./contract/event-types.ts";
import { type Actor, actorName, type Target } from "./contract/target.ts";
import type { EventLog, LoggedEvent } from "./records/event-log.ts";

/** Follows the events that a caller may see, from now on or from behind a sequence number. */
export type Follow = (caller: Caller, options?: FollowRequest) => AsyncIterable<LiveplaneEvent>;

/** What to follow. Unvalidated: it comes from outside. */
export interface FollowRequest {
  readonly signal?: AbortSignal;
  readonly [member: string]: unknown;
}

/** What following needs. */
export interface FollowDeps {
  readonly access: Access;
  readonly log: EventLog;
}

/** Builds the one stream of events that both transports serve: visibility is judged for each event when it is sent. */
export function createFollow({ access, log }: FollowDeps): Follow {
  return async function* follow(caller, { signal, ...sent } = {}) {
    const row = operationsById["events.follow"];
    const actor = await access.identify(caller, row);
    await access.authorize(actor, row, { params: {}, query: sent });
    const query = row.query === undefined ? {} : (parseInput(row.query, sent, "query") as FollowQuery);
    const wanted = filterOf(query);
    for await (const event of log.follow({ ...(query.after !== undefined && { after: query.after }), ...(signal && { signal }) })) {
      if (wanted(event) && (await sees(access, actor, event.about))) yield shown(event);
    }
  };
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

/** Its own account's events are everybody's to see; the rest is a matter of View. */
async function sees(access: Access, actor: Actor, about: Target): Promise<boolean> {
  if (about.kind === "account" && actor.kind === "account" && about.accountId === actorName(actor)) return true;
  return access.can(actor, about, "View");
}

function shown({ about: _about, ...event }: LoggedEvent): LiveplaneEvent {
  return event as LiveplaneEvent;
}
