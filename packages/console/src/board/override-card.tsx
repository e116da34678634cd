import { lasted, momentOf, present } from "../app/clock.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ComponentLink } from "../parts/component-link.tsx";
import { Instant } from "../parts/instant.tsx";
import { Named } from "../parts/named.tsx";
import { texts } from "../texts.ts";
import { useNearSight } from "./near-sight.ts";
import { type BoardOverride, driftOf, holderOf } from "./override-lanes.ts";
import { TouchedDependents } from "./touched-dependents.tsx";

const words = texts.board;
const named = 3;

interface OverrideCardProps {
  readonly listed: BoardOverride;
  /** One of many: it is drawn when it comes near the viewport, and shows only its name and link before. */
  readonly isOfMany: boolean;
}

/** One override: since when, who, why, and what differs. */
export function OverrideCard({ listed, isOfMany }: OverrideCardProps) {
  const { place, isNear } = useNearSight<HTMLElement>({ isAtOnce: !isOfMany });
  const { id } = listed.component;
  const { names } = useWorkplace();
  return (
    <article class={isNear ? "card" : "card far"} ref={place}>
      <h3>
        <ComponentLink id={id}>{names.ofComponent(id)}</ComponentLink>
      </h3>
      {isNear && <Said listed={listed} />}
    </article>
  );
}

function Said({ listed }: Pick<OverrideCardProps, "listed">) {
  const { component, override, environmentId, driftCount } = listed;
  const reason = override.reason ?? override.said?.reason ?? null;
  const drift = driftOf(component);
  return (
    <>
      <p class="age">
        <time dateTime={override.since} title={override.since}>
          {lasted(Date.parse(override.since), present.value)}
        </time>
      </p>
      <p class="small kind">
        {component.type.split("@")[0]} · {environmentId.shortName}
      </p>
      <p class="holder">
        <Holder override={override} />
      </p>
      {reason !== null && <blockquote>{reason}</blockquote>}
      <Promises override={override} />
      <p class="differs">
        <span>
          {driftCount === 0 ? words.same : words.differs(driftCount)}
          {component.lookedAt !== null && (
            <span class="small">
              {" "}
              {words.asOf} <time dateTime={component.lookedAt}>{momentOf(component.lookedAt, present.value)}</time>
            </span>
          )}
        </span>
        {drift.slice(0, named).map((name) => (
          <code key={name}>{name}</code>
        ))}
        {drift.length > named && <span class="small"> {words.others(drift.length - named)}</span>}
      </p>
      {component.health === "Uncorrectable" && <p class="late">{words.stuck(component.conditions.inSync.message)}</p>}
      {driftCount > 0 && <TouchedDependents component={component} />}
    </>
  );
}

function Holder({ override }: Pick<BoardOverride, "override">) {
  const holder = holderOf(override);
  if (holder === null) return <span class="small">{words.nobody}</span>;
  const { takenOverBy, said } = override;
  return (
    <>
      {words.by}{" "}
      <strong>
        <Named text={holder} />
      </strong>
      {takenOverBy !== null && said?.owner != null && said.owner !== holder && ` ${words.owner} ${said.owner}`}
    </>
  );
}

/** Until when it should last, its reminder, and its ticket. */
function Promises({ override: { said, remindAt, ticket } }: Pick<BoardOverride, "override">) {
  const until = said?.until ?? null;
  if (until === null && remindAt === null && ticket === null) return null;
  const isPast = (at: string) => Date.parse(at) <= present.value;
  return (
    <p class="small promises">
      {until !== null && (
        <span class={isPast(until) ? "late" : ""}>
          {isPast(until) ? words.wasToEnd : words.toEnd} <Instant at={until} />
        </span>
      )}
      {remindAt !== null && (
        <span class={isPast(remindAt) ? "late" : ""}>
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
