import type { LiveplaneEvent } from "@liveplane/client";
import { isSeenByAgent } from "@liveplane/client/seen-by-agent";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { present } from "../app/clock.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { holderOf } from "../board/override-lanes.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Instant } from "../parts/instant.tsx";
import { Rows } from "../parts/listing.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { Named } from "../parts/named.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { eventTexts } from "../texts/event-texts.ts";
import { texts } from "../texts.ts";
import {
  doerOf,
  type EventReader,
  eventPlace,
  fittingEvents,
  type Holders,
  inRuns,
  linesOf,
  readEvents,
  sinceOf,
} from "./event-reader.ts";

const words = eventTexts;
/** How many events are read at once, and shown at a time. */
const lot = { read: 1000, shown: 100 };

/** Past and new events, newest first. */
export function EventsPage() {
  const head = useWorkplace().live.head.value;
  if (head !== null) return <EventTable head={head} />;
  return <UnreadPage title={words.title} error={null} />;
}

function EventTable({ head }: { readonly head: number }) {
  const { address, names } = useWorkplace();
  const begin = useSignal(Math.max(0, head - lot.read));
  const most = useSignal(lot.shown);
  const reader = useEvents(begin.value, head);
  const holders = useHolders();
  const query = address?.place.value.query ?? {};
  const { type = "", subject = "", period = "", until = "" } = query;
  const since = sinceOf(period, present.value);
  const found = fittingEvents(reader.events.value, { type, subject, since, until }, { named: names.in, holders });
  const isAtBegin = reader.from.value === null || begin.value === 0;
  return (
    <>
      <PageHead title={words.title}>
        <Filters query={query}>
          <p role="status" class="count">
            {words.count(found.length)}
          </p>
          <a href={linkTo("webhooks")}>{words.elsewhere}</a>
          <button type="button" class="quiet" disabled={found.length === 0} onClick={() => save(found)}>
            {words.save}
          </button>
        </Filters>
      </PageHead>
      <FailureNotice error={reader.error.value} />
      {found.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <Rows caption={words.title} columns={words.columns}>
          {inRuns(found.slice(0, most.value), holders).map((run) => (
            <EventRun key={run.at(-1)?.sequence} run={run} holders={holders} />
          ))}
        </Rows>
      )}
      <div class="buttons">
        <MoreButton most={most} count={found.length} lot={lot.shown} />
        {!isAtBegin && (
          <button type="button" class="quiet" onClick={() => (begin.value = Math.max(0, begin.value - lot.read))}>
            {words.earlier}
          </button>
        )}
        {reader.from.value === null && <p class="small">{words.expired}</p>}
      </div>
    </>
  );
}

interface FiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}

/** The filters of the events. They are in the address. */
function Filters({ query: { type = "", subject = "", period = "", until = "" }, children }: FiltersProps) {
  const { address } = useWorkplace();
  const filter = (name: string) => (value: string) => address?.filter({ [name]: value });
  return (
    <search class="filters">
      <SearchField label={words.type} value={type} hint={words.typeHint} onType={filter("type")} />
      <SearchField label={words.subject} value={subject} hint={words.subjectHint} onType={filter("subject")} />
      <ChoiceField
        label={words.period}
        value={period}
        onChoose={filter("period")}
        options={Object.entries(words.periods)}
      />
      <label>
        {words.until}
        <input
          type="datetime-local"
          value={until}
          onInput={({ currentTarget }) => filter("until")(currentTarget.value)}
        />
      </label>
      {children}
    </search>
  );
}

/** Reads events, and again when the person returns after their session has ended. */
function useEvents(begin: number, head: number): EventReader {
  const { api, live } = useWorkplace();
  const round = useSignal(0);
  const reader = useMemo(() => readEvents(api, begin, head), [api, head, begin, round.value]);
  useEffect(() => {
    const stop = live.listen((event) => {
      if (event === null && reader.error.value !== null) round.value++;
    });
    return () => {
      stop();
      reader.end();
    };
  }, [reader, live, round]);
  return reader;
}

function useHolders(): Holders {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "holders",
    load: (signal) => api.overrides.list({ limit: 200, signal }),
    isTouchedBy: ({ type }) => type.startsWith("component.override."),
  });
  const known = (loaded.value.value?.items ?? []).flatMap(({ override }) => {
    const holder = holderOf(override);
    return holder === null ? [] : [[override.episodeId, holder] as const];
  });
  return new Map(known);
}

interface EventRunProps {
  readonly run: readonly LiveplaneEvent[];
  readonly holders: Holders;
}

/** Several steps of the same kind as one row, until somebody wants to see each. */
function EventRun({ run, holders }: EventRunProps) {
  const isOpen = useSignal(false);
  const [newest] = run;
  if (newest === undefined) return null;
  if (run.length < 3 || isOpen.value)
    return run.map((event) => <EventRow key={event.sequence} event={event} holders={holders} />);
  const isOfOne = run.every(({ subject }) => subject === newest.subject);
  const cells = [
    `${run.at(-1)?.sequence}–${newest.sequence}`,
    <Instant key="at" at={newest.time} />,
    <code key="type">{newest.type}</code>,
    <span key="of">
      {isOfOne ? (
        <>
          <EventSubject event={newest} />, {words.times(run.length)}
        </>
      ) : (
        <>
          {words.timesIn(run.length)} <Named text={eventPlace(newest)} />
        </>
      )}
    </span>,
    <EventActor key="by" event={newest} holders={holders} />,
    <button key="more" type="button" class="plain" onClick={() => (isOpen.value = true)}>
      {words.each}
    </button>,
  ];
  return <EventCells cells={cells} />;
}

interface EventRowProps {
  readonly event: LiveplaneEvent;
  readonly holders: Holders;
}

function EventRow({ event, holders }: EventRowProps) {
  const { sequence, time, type, subject, actor, data } = event;
  const cells = [
    sequence,
    <Instant key="at" at={time} />,
    <code key="type">{type}</code>,
    <EventSubject key="of" event={event} />,
    <EventActor key="by" event={event} holders={holders} />,
    <details key="more">
      <summary>{words.more}</summary>
      <pre>{JSON.stringify({ subject, actor, ...data }, null, 1)}</pre>
    </details>,
  ];
  return <EventCells cells={cells} />;
}

function EventActor({ event, holders }: EventRowProps) {
  if (event.actor === "anonymous") return <span class="small">{words.anonymous}</span>;
  return (
    <span class="small">
      <Named text={doerOf(event, holders) ?? texts.board.nobody} />
      {isSeenByAgent(event) && `, ${words.seenByAgent}`}
    </span>
  );
}

function EventCells({ cells }: { readonly cells: readonly ComponentChildren[] }) {
  return (
    <tr>
      {cells.map((cell, at) => (
        <td key={words.columns[at]} data-column={words.columns[at]}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

/** The subject, with a link if it has a page. */
function EventSubject({ event }: { readonly event: LiveplaneEvent }) {
  const { type, subject, data } = event;
  const { componentLink, names } = useWorkplace();
  // One that was deleted has no name.
  if (type.startsWith("webhook.")) return <span title={subject}>{names.of(subject) ?? words.webhook}</span>;
  const href = type.startsWith("component.")
    ? componentLink(subject)
    : type.startsWith("livesystem.") && linkTo("live-systems", [subject]);
  if (type === "permission.granted" || type === "permission.revoked")
    return (
      <>
        <Named text={subject} />, {words.permissionFor(String(data.permissionType))}{" "}
        <Named text={String(data.principalId)} />
      </>
    );
  return href === false ? (
    <Named text={subject} />
  ) : (
    <a href={href}>
      <Named text={subject} />
    </a>
  );
}

/** Hands the browser a file. */
function save(events: readonly LiveplaneEvent[]): void {
  const url = URL.createObjectURL(new Blob([linesOf(events)], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "events.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
