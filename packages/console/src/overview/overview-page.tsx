import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { FirstStory } from "../board/first-story.tsx";
import { Holder, OverrideAge } from "../board/override-card.tsx";
import { type BoardOverride, touchesBoard, whyTaken } from "../board/override-lanes.ts";
import { ChangedPlaces } from "../parts/changed-places.tsx";
import { ComponentLink } from "../parts/component-link.tsx";
import { Instant } from "../parts/instant.tsx";
import { firstOf } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";
import { texts } from "../texts.ts";
import {
  countsOf,
  type HealthCounts,
  hasFailed,
  healthGroups,
  readFleet,
  type SystemHealth,
  totalOf,
  touchesHealth,
  troublesIn,
} from "./fleet-health.ts";
import { groupTones } from "./health-bar.tsx";

const words = overviewTexts.overview;
/** How many of each list are shown; the pages behind them have all. */
const most = 8;
const againMs = 30_000;

/** The fleet on one screen: how much is managed, what isn't as declared, who has taken over what, and what fails. */
export function OverviewPage() {
  const { api } = useWorkplace();
  const fleet = useLoaded({
    key: "fleet",
    load: (signal) => readFleet(api, signal),
    isTouchedBy: touchesHealth,
    // Not every change of health is an event.
    againMs,
  }).loaded.value;
  const taken = useLoaded({
    key: "oldest overrides",
    load: (signal) => api.overrides.list({ sort: "age", limit: most, signal }),
    isTouchedBy: touchesBoard,
  }).loaded.value;
  return (
    <>
      <PageHead title={words.title}>
        {fleet.value !== null && (
          <p class="count">{words.managed(totalOf(countsOf(fleet.value)), fleet.value.length)}</p>
        )}
      </PageHead>
      <FailureNotice error={fleet.error ?? taken.error} />
      <MissingFactor />
      {fleet.value === null && fleet.error === null && <Waiting />}
      {fleet.value?.length === 0 && <NothingYet />}
      {fleet.value !== null && fleet.value.length > 0 && (
        <>
          <Totals counts={countsOf(fleet.value)} />
          <div class="overview">
            <Troubles fleet={fleet.value} />
            {taken.value !== null && <TakenOver oldest={taken.value.items} />}
          </div>
        </>
      )}
    </>
  );
}

/** What isn't shown to somebody who signed in without the second factor that an organization requires. */
function MissingFactor() {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "organizations",
    load: (signal) => firstOf(api.organizations.list.all({ limit: 100, signal }), 100),
    isTouchedBy: ({ type }) => type.startsWith("organization."),
  });
  const hidden = loaded.value.value?.filter((one) => "needsSecondFactor" in one && one.needsSecondFactor) ?? [];
  if (hidden.length === 0) return null;
  return (
    <p class="notice">
      {words.hidden(hidden.map(({ id, name }) => name ?? id).join(", "))}{" "}
      <a href={linkTo("account")}>{words.addFactor}</a>
    </p>
  );
}

/** Where somebody begins who has nothing. */
function NothingYet() {
  return (
    <div class="empty">
      <p>{words.nothing}</p>
      <a class="button" href={linkTo("live-systems", ["new"])}>
        {words.begin}
      </a>
    </div>
  );
}

/** The number of components in each group, large enough for a wall. */
function Totals({ counts }: { readonly counts: HealthCounts }) {
  return (
    <dl class="totals">
      {healthGroups.map((group) => (
        <div key={group} class={counts[group] === 0 ? "none" : groupTones[group]}>
          <dt>{words.groups[group]}</dt>
          <dd>{counts[group]}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What needs a person and has none yet. */
function Troubles({ fleet }: { readonly fleet: readonly SystemHealth[] }) {
  const { names } = useWorkplace();
  const troubled = fleet.filter((one) => troublesIn(one) > 0);
  return (
    <section class="sheet" aria-labelledby="trouble">
      <h2 id="trouble">
        {words.trouble} <span class="count">{troubled.reduce((sum, one) => sum + troublesIn(one), 0)}</span>
      </h2>
      {troubled.length === 0 && <p>{words.noTrouble}</p>}
      <ul class="rows">
        {troubled.slice(0, most).flatMap((system) => [
          ...system.troubled.map(({ componentId, health, message, since }) => (
            <li key={componentId}>
              <p class="line">
                <ComponentLink id={componentId}>{names.ofComponent(componentId)}</ComponentLink>
                <StatusBadge component={{ health }} />
              </p>
              <p class="small">
                {message}{" "}
                {since !== null && (
                  <>
                    {texts.times.began} <Instant at={since} />.
                  </>
                )}
              </p>
            </li>
          )),
          ...(hasFailed(system) && system.lastMutation !== null
            ? [
                <li key={system.id}>
                  <p class="line">
                    <a href={linkTo("live-systems", [system.id])}>{system.name}</a>
                    <span class="state bad">{words.failedDeploy[system.lastMutation.kind]}</span>
                  </p>
                </li>,
              ]
            : []),
        ])}
      </ul>
      {troubled.length > 0 && <a href={linkTo("live-systems", [], { show: "trouble" })}>{words.allTrouble}</a>}
    </section>
  );
}

/** Who has had what for longest. */
function TakenOver({ oldest }: { readonly oldest: readonly BoardOverride[] }) {
  const { names } = useWorkplace();
  return (
    <section class="sheet" aria-labelledby="taken-over">
      <h2 id="taken-over">{words.longest}</h2>
      {oldest.length === 0 && (
        <>
          <p>{texts.board.none}</p>
          <FirstStory />
        </>
      )}
      <ol class="rows">
        {oldest.map(({ component, override }) => (
          <li key={component.id}>
            <p class="line">
              <ComponentLink id={component.id}>{names.ofComponent(component.id)}</ComponentLink>
              <OverrideAge since={override.since} />
            </p>
            <p class="line">
              <Holder override={override} />
            </p>
            {whyTaken(override) !== null && <p class="small">{whyTaken(override)}</p>}
            <ChangedPlaces component={component} />
          </li>
        ))}
      </ol>
      {oldest.length > 0 && <a href={linkTo("overrides", [], { view: "table" })}>{words.allOverrides}</a>}
    </section>
  );
}
