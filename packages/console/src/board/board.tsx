import { useComputed } from "@preact/signals";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { texts } from "../texts.ts";
import { FirstStory } from "./first-story.tsx";
import { OverrideCard } from "./override-card.tsx";
import { OverrideDigest } from "./override-digest.tsx";
import { type BoardOverride, fitting, fullNameOf, type Lane, laneOf, lanes, touchesBoard } from "./override-lanes.ts";

const words = texts.board;

/** At most this many overrides are read; with more, use the filters and the digest. */
const mostRead = 10_000;
/** Longer lanes are drawn as they become visible. */
const mostDrawn = 200;

/** Every override, oldest first, in lanes, beside the digest. */
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
  });
  const query = useComputed(() => address?.place.value.query ?? {});
  const { q = "", environment = "", lane = "" } = query.value;
  const { value: all, error } = loaded.value;
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
          <Filters all={all} query={query.value} filter={address.filter} />
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
      {all !== null && all.length > 0 && (
        <div class="board">
          <div class="lanes">
            {lanes
              .filter((one) => lane === "" || lane === one)
              .map((one) => (
                <LaneColumn key={one} lane={one} items={found.filter((listed) => isIn(one, listed))} />
              ))}
          </div>
          <OverrideDigest />
        </div>
      )}
    </>
  );
}

const isIn = (lane: Lane, { component, override }: BoardOverride) => laneOf({ ...component, override }) === lane;

function LaneColumn({ lane, items }: { readonly lane: Lane; readonly items: readonly BoardOverride[] }) {
  return (
    <section class={`lane ${lane}`} aria-labelledby={`lane-${lane}`} data-empty={items.length === 0 || undefined}>
      <h2 id={`lane-${lane}`}>
        {words.lanes[lane]} <span class="count">{items.length}</span>
      </h2>
      <p class="small">{words.laneHelp[lane]}</p>
      <ol>
        {items.map((listed) => (
          <li key={listed.component.id}>
            <OverrideCard listed={listed} isOfMany={items.length > mostDrawn} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface FiltersProps {
  readonly all: readonly BoardOverride[];
  readonly query: Readonly<Record<string, string>>;
  readonly filter: (changes: Readonly<Record<string, string>>) => void;
}

/** The board's filters. They are in the address, so they can be shared. */
function Filters({ all, query, filter }: FiltersProps) {
  const environments = [...new Set(all.map(({ environmentId }) => fullNameOf(environmentId)))].toSorted();
  const shortName = (name: string) => name.slice(name.lastIndexOf("/") + 1);
  const changed = (name: string) => (event: Event) => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) filter({ [name]: target.value });
  };
  return (
    <search class="filters">
      <label>
        {words.search}
        <input type="search" value={query.q ?? ""} placeholder={words.searchHint} onInput={changed("q")} />
      </label>
      <label>
        {words.environment}
        <select value={query.environment ?? ""} onChange={changed("environment")}>
          <option value="">{words.anyEnvironment}</option>
          {environments.map((name) => (
            <option key={name} value={name}>
              {shortName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.lane}
        <select value={query.lane ?? ""} onChange={changed("lane")}>
          <option value="">{words.anyLane}</option>
          {lanes.map((name) => (
            <option key={name} value={name}>
              {words.lanes[name]}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}
