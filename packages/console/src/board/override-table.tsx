import { type Signal, useSignal } from "@preact/signals";
import { present } from "../app/clock.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ChangedPlaces } from "../parts/changed-places.tsx";
import { ComponentLink } from "../parts/component-link.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { texts } from "../texts.ts";
import { BulkHandBack } from "./bulk-hand-back.tsx";
import { Holder, OverrideAge } from "./override-card.tsx";
import { type AgeGroup, type BoardOverride, laneOfListed, whyTaken } from "./override-lanes.ts";
import { inGroups, inOrder, type OverrideGroup, parseSorting, sortings } from "./override-order.ts";

const words = texts.board;
/** How many rows are shown at a time. */
const lot = 200;

interface OverrideTableProps {
  readonly all: readonly BoardOverride[];
  /** Those that match the filters. */
  readonly found: readonly BoardOverride[];
  /** Names an environment. */
  readonly placed: (place: BoardOverride["environmentId"]) => string;
  readonly query: Readonly<Record<string, string>>;
  readonly filter: (changes: Readonly<Record<string, string>>) => void;
}

type Chosen = Signal<ReadonlySet<string>>;

/** The overrides as rows: sorted, grouped, and several handed back at once. */
export function OverrideTable({ all, found, placed, query: { sort = "", group = "" }, filter }: OverrideTableProps) {
  const { names } = useWorkplace();
  const most = useSignal(lot);
  const chosen: Chosen = useSignal<ReadonlySet<string>>(new Set());
  const around = { named: names.in, now: present.value };
  const shown = inOrder(found, sort, around).slice(0, most.value);
  return (
    <>
      <BulkHandBack
        chosen={all.filter(({ component }) => chosen.value.has(component.id))}
        onLeave={() => {
          chosen.value = new Set();
        }}
      />
      <table class="list overrides">
        <caption class="hidden">{words.title}</caption>
        <SortableHead sort={sort} onSort={(next) => filter({ sort: next })} shown={shown} chosen={chosen} />
        {inGroups(shown, group, around).map((one) => (
          <GroupRows key={one.name} group={one} isTitled={group !== ""} placed={placed} chosen={chosen} />
        ))}
      </table>
      <MoreButton most={most} count={found.length} lot={lot} />
    </>
  );
}

interface HeadProps {
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly shown: readonly BoardOverride[];
  readonly chosen: Chosen;
}

function SortableHead({ sort, onSort, shown, chosen }: HeadProps) {
  const { by, isReverse } = parseSorting(sort);
  const direction = isReverse ? "descending" : "ascending";
  const isAll = shown.every(({ component }) => chosen.value.has(component.id));
  return (
    <thead>
      <tr>
        <td>
          <input
            type="checkbox"
            aria-label={words.chooseAll}
            checked={isAll}
            onChange={() => {
              chosen.value = new Set(isAll ? [] : shown.map(({ component }) => component.id));
            }}
          />
        </td>
        {sortings.map((name) => (
          <th key={name} scope="col" aria-sort={name === by ? direction : undefined}>
            <button type="button" class="plain" onClick={() => onSort(name === by && !isReverse ? `-${name}` : name)}>
              {words.columns[name]}
            </button>
          </th>
        ))}
        <th scope="col">{words.columns.differences}</th>
      </tr>
    </thead>
  );
}

interface GroupRowsProps {
  readonly group: OverrideGroup;
  readonly isTitled: boolean;
  readonly placed: OverrideTableProps["placed"];
  readonly chosen: Chosen;
}

function GroupRows({ group: { name, items }, isTitled, placed, chosen }: GroupRowsProps) {
  return (
    <tbody>
      {isTitled && (
        <tr class="group">
          <th colSpan={sortings.length + 2} scope="rowgroup">
            {titleOf(name)} <span class="count">{items.length}</span>
          </th>
        </tr>
      )}
      {items.map((listed) => (
        <Row key={listed.component.id} listed={listed} place={placed(listed.environmentId)} chosen={chosen} />
      ))}
    </tbody>
  );
}

function titleOf(name: string | null): string {
  if (name === null) return words.nobody;
  return name in words.ages ? words.ages[name as AgeGroup] : name;
}

interface RowProps {
  readonly listed: BoardOverride;
  readonly place: string;
  readonly chosen: Chosen;
}

function Row({ listed, place, chosen }: RowProps) {
  const { component, override } = listed;
  const name = useWorkplace().names.ofComponent(component.id);
  const reason = [whyTaken(override), override.ticket].filter((one) => one !== null).join(" · ");
  const toggle = () => {
    const next = new Set(chosen.value);
    if (!next.delete(component.id)) next.add(component.id);
    chosen.value = next;
  };
  return (
    <tr>
      <td class="choose">
        <input
          type="checkbox"
          aria-label={words.choose(name)}
          checked={chosen.value.has(component.id)}
          onChange={toggle}
        />
      </td>
      <th scope="row">
        <ComponentLink id={component.id}>{name}</ComponentLink>
        <span class="block small">{component.type.split("@")[0]}</span>
      </th>
      <td data-column={words.columns.environment}>{place}</td>
      <td data-column={words.columns.person}>
        <Holder override={override} />
        {reason !== "" && <span class="block small">{reason}</span>}
      </td>
      <td data-column={words.columns.age}>
        <OverrideAge since={override.since} />
      </td>
      <td data-column={words.columns.lane}>{words.lanes[laneOfListed(listed)]}</td>
      <td data-column={words.columns.differences}>
        <ChangedPlaces component={component} />
      </td>
    </tr>
  );
}
