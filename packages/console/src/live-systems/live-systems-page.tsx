import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf, tellingApart } from "../board/override-lanes.ts";
import {
  countsOf,
  type HealthCounts,
  hasFailed,
  readFleet,
  type SystemHealth,
  totalOf,
  touchesHealth,
  troublesIn,
} from "../overview/fleet-health.ts";
import { HealthCountList } from "../overview/health-bar.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Rows } from "../parts/listing.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";
import { LiveSystemPage } from "./live-system-page.tsx";
import { mutationTones } from "./mutation-view.tsx";
import { NewLiveSystem } from "./new-live-system.tsx";

const words = liveSystemTexts.liveSystems;
/** How many rows are shown at a time. */
const lot = 200;

/** The live systems that the person may see; with an ID, one of them, with `new`, a form for a new one. */
export function LiveSystemsPage() {
  const [id] = useWorkplace().address?.place.value.segments ?? [];
  if (id === "new") return <NewLiveSystem />;
  return id === undefined ? <LiveSystemList /> : <LiveSystemPage id={id} />;
}

function LiveSystemList() {
  const { api, address } = useWorkplace();
  const { environment = "", q = "", show = "" } = address?.place.value.query ?? {};
  const { value, error } = useLoaded({
    key: environment,
    load: (signal) => readFleet(api, signal, environment),
    isTouchedBy: touchesHealth,
  }).loaded.value;
  const found = (value ?? []).filter(
    (one) => one.name.toLowerCase().includes(q.toLowerCase()) && (show === "" || troublesIn(one) > 0),
  );
  return (
    <>
      <PageHead title={words.title}>
        {value !== null && (
          <p class="count" role="status">
            {words.count(found.length)}
          </p>
        )}
        <Filters q={q} show={show} filter={address?.filter} />
        <a class="button" href={linkTo("live-systems", ["new"], { environment })}>
          {words.make}
        </a>
      </PageHead>
      {environment !== "" && (
        <p>
          {words.within(environment.slice(environment.lastIndexOf("/") + 1))}{" "}
          <a href={linkTo("live-systems")}>{words.all}</a>
        </p>
      )}
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      {value !== null && found.length === 0 && <p class="empty">{value.length === 0 ? words.none : words.noneFound}</p>}
      {found.length > 0 && <SystemRows found={found} />}
    </>
  );
}

interface FiltersProps {
  readonly q: string;
  readonly show: string;
  readonly filter: ((changes: Readonly<Record<string, string>>) => void) | undefined;
}

function Filters({ q, show, filter }: FiltersProps) {
  return (
    <search class="filters">
      <SearchField label={texts.board.search} value={q} onType={(text) => filter?.({ q: text })} />
      <ChoiceField
        label={words.show}
        value={show}
        onChoose={(value) => filter?.({ show: value })}
        options={[["trouble", words.inTrouble]]}
      />
    </search>
  );
}

function SystemRows({ found }: { readonly found: readonly SystemHealth[] }) {
  const most = useSignal(lot);
  const { names } = useWorkplace();
  const placed = tellingApart(
    found.map(({ environmentId }) => environmentId),
    names.in,
  );
  return (
    <>
      <Rows caption={words.title} columns={words.columns}>
        {found.slice(0, most.value).map((system) => (
          <SystemRow key={system.id} system={system} counts={countsOf([system])} place={placed(system.environmentId)} />
        ))}
      </Rows>
      <MoreButton most={most} count={found.length} lot={lot} />
    </>
  );
}

interface SystemRowProps {
  readonly system: SystemHealth;
  readonly counts: HealthCounts;
  /** The name of its environment. */
  readonly place: string;
}

/** One live system: its health, and its deploy while that runs or after it failed. */
function SystemRow({ system, counts, place }: SystemRowProps) {
  const { id, name, environmentId, status, lastMutation } = system;
  const isNews = lastMutation?.status === "Failed" ? hasFailed(system) : lastMutation?.status !== "Succeeded";
  const [nameColumn, inColumn, componentsColumn, healthColumn] = words.columns;
  return (
    <tr>
      <td data-column={nameColumn}>
        <a href={linkTo("live-systems", [id])}>{name}</a>
      </td>
      <td data-column={inColumn}>
        <a href={linkTo("environments", fullNameOf(environmentId).split("/"))}>{place}</a>
      </td>
      <td data-column={componentsColumn}>{totalOf(counts)}</td>
      <td data-column={healthColumn}>
        <HealthCountList counts={counts} />
        {status !== "Active" && <span class="late">{words.statuses[status]} </span>}
        {lastMutation !== null && isNews && (
          <StateWord tone={mutationTones[lastMutation.status]}>
            {liveSystemTexts.mutation.heads[lastMutation.kind][lastMutation.status]}
          </StateWord>
        )}
      </td>
    </tr>
  );
}
