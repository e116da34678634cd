import { useComputed, useSignal } from "@preact/signals";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { texts } from "../texts.ts";
import { BoardFilters } from "./board-filters.tsx";
import { FirstStory } from "./first-story.tsx";
import { OverrideCard } from "./override-card.tsx";
import { OverrideDigest } from "./override-digest.tsx";
import {
  type BoardOverride,
  fitting,
  type Lane,
  laneOfListed,
  lanes,
  tellingApart,
  touchesBoard,
} from "./override-lanes.ts";
import { OverrideTable } from "./override-table.tsx";

const words = texts.board;

/** At most this many overrides are read; with more, use the filters and the digest. */
const mostRead = 10_000;
/** How many cards of a lane are shown at a time. */
const lot = 60;

/** Every override, oldest first, in lanes beside the digest, or in a table. */
export function Board() {
  const { api, address, names } = useWorkplace();
  const { loaded } = useLoaded({
    key: "overrides",
    async load(signal) {
      const all: BoardOverride[] = [];
      for await (const one of api.overrides.list.all({ sort: "age", limit: 200, signal })) {
        all.push(one);
        if (all.length === mostRead) break;
      }
      return all;
    },
    isTouchedBy: touchesBoard,
    // Ten thousand overrides take fifty requests.
    againMs: 600_000,
  });
  const query = useComputed(() => address?.place.value.query ?? {});
  const { q = "", environment = "", lane = "", view = "" } = query.value;
  const { value: all, error } = loaded.value;
  const placed = tellingApart(
    (all ?? []).map(({ environmentId }) => environmentId),
    names.in,
  );
  const found = all === null ? [] : fitting(all, { words: q, environment, lane }, names.in);
  return (
    <>
      <PageHead title={words.title}>
        {all !== null && (
          <p role="status" class="count">
            {words.count(found.length)}
          </p>
        )}
        {address !== null && all !== null && all.length > 0 && (
          <BoardFilters all={all} query={query.value} filter={address.filter} />
        )}
      </PageHead>
      <FailureNotice error={error} />
      {all === null && error === null && <Waiting />}
      {all?.length === 0 && (
        <div class="empty">
          <p>{words.none}</p>
          <FirstStory />
        </div>
      )}
      {all !== null && all.length > 0 && found.length === 0 && <p class="empty">{words.noneFound}</p>}
      {found.length > 0 && view === "table" && address !== null && (
        <OverrideTable all={all ?? []} found={found} placed={placed} query={query.value} filter={address.filter} />
      )}
      {found.length > 0 && view !== "table" && <Lanes found={found} lane={lane} placed={placed} />}
    </>
  );
}

interface LanesProps {
  readonly found: readonly BoardOverride[];
  readonly lane: string;
  /** Names an environment. */
  readonly placed: (place: BoardOverride["environmentId"]) => string;
}

function Lanes({ found, lane, placed }: LanesProps) {
  return (
    <div class="board">
      <div class="lanes">
        {lanes
          .filter((one) => lane === "" || lane === one)
          .map((one) => (
            <LaneColumn
              key={one}
              lane={one}
              items={found.filter((listed) => laneOfListed(listed) === one)}
              placed={placed}
            />
          ))}
      </div>
      <OverrideDigest />
    </div>
  );
}

interface LaneColumnProps {
  readonly lane: Lane;
  readonly items: readonly BoardOverride[];
  readonly placed: LanesProps["placed"];
}

function LaneColumn({ lane, items, placed }: LaneColumnProps) {
  const most = useSignal(lot);
  return (
    <section class={`lane ${lane}`} aria-labelledby={`lane-${lane}`} data-empty={items.length === 0 || undefined}>
      <h2 id={`lane-${lane}`} title={words.laneHelp[lane]}>
        {words.lanes[lane]} <span class="count">{items.length}</span>
      </h2>
      {items.length > 0 && <p class="small">{words.laneHelp[lane]}</p>}
      <ol>
        {items.slice(0, most.value).map((listed) => (
          <li key={listed.component.id}>
            <OverrideCard listed={listed} place={placed(listed.environmentId)} />
          </li>
        ))}
      </ol>
      <MoreButton most={most} count={items.length} lot={lot} />
    </section>
  );
}
