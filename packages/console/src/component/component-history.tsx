import type { LiveplaneEvent } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { readEvents } from "../events/event-reader.ts";
import { ComponentLink } from "../parts/component-link.tsx";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { Value } from "../parts/value.tsx";
import { historyTexts as words } from "../texts/history-texts.ts";
import { isReplaced } from "./deployed.ts";
import { type HistoryEntry, historyEntries } from "./history-entries.ts";
import { NotedBy } from "./note-form.tsx";

/** How many events of the whole log are looked through for those of one component. */
const lookedThrough = 10_000;

interface HistoryProps {
  readonly livesystemId: string;
  readonly componentId: string;
  /** When it was first declared. */
  readonly since: string;
}

/** What is told unasked: a resource that was created again is empty. */
const losses = ["component.missing", "component.provisioned"];

/** What happened to a component, newest first: take-overs, returns, deploys and losses; on request, every write and failure too. */
export function ComponentHistory({ livesystemId: id, componentId, since }: HistoryProps) {
  const { api } = useWorkplace();
  const events = useSignal<readonly LiveplaneEvent[]>([]);
  const hasEvents = useSignal(false);
  const { loaded } = useLoaded({
    key: `history ${componentId}`,
    async load(signal) {
      const [ledger, deploys] = await Promise.all([
        api.liveSystems.components.overrides({ id, componentId }, { limit: 20, signal }),
        api.liveSystems.mutations.list({ id }, { limit: 10, signal }),
      ]);
      return { episodes: ledger.items, deploys: deploys.items };
    },
    isTouchedBy: ({ type, subject }) =>
      (subject === componentId && type.startsWith("component.")) ||
      (subject === id && type.startsWith("livesystem.mutation.")),
  });
  const { value, error } = loaded.value;
  const entries = value === null ? [] : historyEntries({ ...value, since, events: events.value });
  return (
    <section aria-labelledby="history">
      <h2 id="history">{words.history}</h2>
      <FailureNotice error={error} />
      {value?.episodes.length === 0 && <p class="small">{words.ledgerNone}</p>}
      <ol class="timeline">
        {entries.map((entry) => (
          <li key={`${entry.kind} ${entry.at}`} class={isOpen(entry) ? "open" : ""}>
            <EntryText entry={entry} componentId={componentId} />
          </li>
        ))}
      </ol>
      <ComponentEvents
        livesystemId={id}
        componentId={componentId}
        isWhole={hasEvents.value}
        onRead={(found) => (events.value = found)}
      />
      {!hasEvents.value && (
        <button type="button" class="quiet" onClick={() => (hasEvents.value = true)}>
          {words.withEvents}
        </button>
      )}
    </section>
  );
}

/** Reads a component's events while it is shown: each reader holds a connection. */
function ComponentEvents({
  livesystemId,
  componentId,
  isWhole,
  onRead,
}: Omit<HistoryProps, "since"> & {
  readonly isWhole: boolean;
  readonly onRead: (events: readonly LiveplaneEvent[]) => void;
}) {
  const { api, live } = useWorkplace();
  const head = live.head.value;
  useEffect(() => {
    if (head === null) return;
    const only = { livesystem: [livesystemId], type: isWhole ? [] : losses };
    const reader = readEvents(api, Math.max(0, head - lookedThrough), head, only);
    const stop = reader.events.subscribe((all) => onRead(all.filter(({ subject }) => subject === componentId)));
    return () => {
      stop();
      reader.end();
    };
  }, [api, head, livesystemId, componentId, isWhole]);
  if (!isWhole) return null;
  return (
    <p class="small">
      {words.onceEach} <a href={linkTo("events", [], { subject: componentId })}>{words.toEvents}</a>
    </p>
  );
}

const isOpen = (entry: HistoryEntry) => entry.kind === "taken" && entry.episode.endedAt === null;

interface EntryTextProps<Entry = HistoryEntry> {
  readonly entry: Entry;
  readonly componentId: string;
}

function EntryText({ entry, componentId }: EntryTextProps) {
  if (entry.kind === "taken") return <TakenOver episode={entry.episode} />;
  return (
    <p>
      <Instant at={entry.at} />: <What entry={entry} componentId={componentId} />
    </p>
  );
}

function What({ entry, componentId }: EntryTextProps<Exclude<HistoryEntry, { kind: "taken" }>>) {
  if (entry.kind === "returned") return words.outcomes[entry.outcome];
  if (entry.kind === "event") return <EventText event={entry.event} />;
  const { kind, status, error, held } = entry.deploy;
  if (isReplaced(entry.deploy)) return words.replaced;
  if (held.includes(componentId)) return words.leftAlone;
  return (
    <>
      {words.deploys[kind][status]}
      {error !== null && (
        <span class="block small">
          {error.componentId !== null && (
            <>
              {words.failedAt} <ComponentLink id={error.componentId}>{shortPath(error.componentId)}</ComponentLink>:{" "}
            </>
          )}
          {error.detail}
        </span>
      )}
    </>
  );
}

interface SaidOfFailure {
  readonly code?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
}

/** An event, and for a failure the code and the cloud's own words. */
function EventText({ event: { type, data } }: { readonly event: LiveplaneEvent }) {
  const { code = "", providerCode = "", providerMessage: message = "" } = data as SaidOfFailure;
  const said = [code, providerCode].filter(Boolean);
  return (
    <>
      {"adopted" in data && data.adopted === true ? words.adopted : (words.events[type] ?? <code>{type}</code>)}
      {(said.length > 0 || message !== "") && (
        <span class="block small">
          <code>{said.join(" ")}</code> {message !== "" && <q>{message}</q>}
        </span>
      )}
    </>
  );
}

type ShownEpisode = Extract<HistoryEntry, { kind: "taken" }>["episode"];

function TakenOver({ episode }: { readonly episode: ShownEpisode }) {
  const { startedAt, endedAt, reason, ticket, claimedBy, start, end } = episode;
  const changed = differingIn(start);
  return (
    <>
      <p>
        <Instant at={startedAt} />: {words.takenOver}
      </p>
      {(reason ?? ticket ?? claimedBy) !== null && (
        <p class="small">
          {reason !== null && <q>{reason}</q>} {ticket} <NotedBy by={claimedBy} />
        </p>
      )}
      {changed.length > 0 && (
        <details>
          <summary class="small">{words.atTakeOver(changed.length)}</summary>
          <dl class="facts">
            {changed.map((name) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <Value value={start.declared[name]} /> → <Value value={start.actual[name]} />
                  {end !== null && (
                    <span class="small">
                      {" "}
                      {words.atEnd} <Value value={end.actual[name]} />
                    </span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {endedAt === null && <p class="small">{words.stillOpen}</p>}
    </>
  );
}

/** The parameters that differed at that moment. */
function differingIn({ declared, actual }: ShownEpisode["start"]): readonly string[] {
  const isOther = (name: string) => JSON.stringify(declared[name]) !== JSON.stringify(actual[name]);
  return Object.keys(declared).filter((name) => name in actual && isOther(name));
}
