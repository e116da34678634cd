import { exactTime, isExact, lasted, momentOf, present } from "../app/clock.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ChangedPlaces } from "../parts/changed-places.tsx";
import { CloudLink } from "../parts/cloud-link.tsx";
import { ComponentLink } from "../parts/component-link.tsx";
import { Ending } from "../parts/ending.tsx";
import { Instant } from "../parts/instant.tsx";
import { Named } from "../parts/named.tsx";
import { Person } from "../parts/person.tsx";
import { texts } from "../texts.ts";
import { ageGroupOf, type BoardOverride, holderOf, whyTaken } from "./override-lanes.ts";
import { TouchedDependents } from "./touched-dependents.tsx";

const words = texts.board;

/** One override: what, since when, who, why, and what differs. A click anywhere opens the component. */
export function OverrideCard({ listed, place }: { readonly listed: BoardOverride; readonly place: string }) {
  const { component, override, driftCount } = listed;
  const { names } = useWorkplace();
  const reason = whyTaken(override);
  return (
    <article class="card">
      <h3>
        <ComponentLink id={component.id}>{names.ofComponent(component.id)}</ComponentLink>
      </h3>
      <OverrideAge since={override.since} />
      <p class="small kind">
        {component.type.split("@")[0]} · {place}
      </p>
      <p class="holder">
        <Holder override={override} />
      </p>
      {reason !== null && <blockquote>{reason}</blockquote>}
      <Promises override={override} />
      <ChangedPlaces component={component} />
      {component.health === "Uncorrectable" && <p class="late">{words.stuck(component.conditions.inSync.message)}</p>}
      {driftCount > 0 && <TouchedDependents component={component} />}
      <p class="small foot">
        {component.lookedAt !== null && (
          <span>
            {words.asOf}{" "}
            <time dateTime={component.lookedAt}>
              {isExact.value ? exactTime(Date.parse(component.lookedAt)) : momentOf(component.lookedAt, present.value)}
            </time>
          </span>
        )}
        {component.conditions.exists.value !== false && <CloudLink component={component} />}
      </p>
    </article>
  );
}

/** How long it has lasted, coloured by the days. */
export function OverrideAge({ since }: { readonly since: string }) {
  return (
    <time class={`age ${ageGroupOf(since, present.value)}`} dateTime={since} title={exactTime(Date.parse(since))}>
      {isExact.value ? exactTime(Date.parse(since)) : lasted(Date.parse(since), present.value)}
    </time>
  );
}

/** Who has it, as far as known. */
export function Holder({ override }: Pick<BoardOverride, "override">) {
  const holder = holderOf(override);
  if (holder === null) return <span class="small">{words.nobody}</span>;
  const { takenOverBy, said } = override;
  return (
    <>
      <Person text={holder} />
      {takenOverBy !== null && said?.owner != null && said.owner !== holder && (
        <>
          {" "}
          {words.owner} <Named text={said.owner} />
        </>
      )}
    </>
  );
}

/** Until when it should last, its reminder, and its ticket. */
function Promises({ override: { said, remindAt, ticket } }: Pick<BoardOverride, "override">) {
  const until = said?.until ?? null;
  if (until === null && remindAt === null && ticket === null) return null;
  return (
    <p class="small promises">
      {until !== null && <Ending at={until} />}
      {remindAt !== null && (
        <span class={Date.parse(remindAt) <= present.value ? "late" : ""}>
          {words.reminder} <Instant at={remindAt} />
        </span>
      )}
      {ticket !== null && (
        <span>
          {words.ticket} {ticket}
        </span>
      )}
    </p>
  );
}
