import type { ComponentChildren } from "preact";
import { exactTime, lasted, present } from "../app/clock.ts";
import { holderOf, shortPath } from "../board/override-lanes.ts";
import { Ending } from "../parts/ending.tsx";
import { Instant } from "../parts/instant.tsx";
import { Named } from "../parts/named.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";
import { NotedBy, NoteForm } from "./note-form.tsx";

const words = texts.component;

/** An override of its own, not that of its tag owner. */
type Taken = Extract<NonNullable<ConsoleComponent["override"]>, { readonly said: unknown }>;

interface HoldingProps {
  readonly component: ConsoleComponent;
  readonly onNoted: () => Promise<void>;
}

/** Who has it, since when and why, as far as known: by the cloud's log, tags, or a note. */
export function Holding({ component, onNoted }: HoldingProps) {
  const { override, status } = component;
  if (override === null) return null;
  if ("heldBy" in override)
    return (
      <section class="holding" aria-label={words.holding}>
        <p class="lead">
          {words.heldWith} <strong>{shortPath(override.heldBy)}</strong>
        </p>
      </section>
    );
  const { since, takenOverBy, said, reason, ticket, claimedBy, remindAt, awaiting } = override;
  const holder = holderOf(override);
  return (
    <section class="holding" aria-label={words.holding}>
      <p class="lead">
        {words.heldFor} <strong>{lasted(Date.parse(since), present.value)}</strong>
        {holder !== null && (
          <>
            {" "}
            {words.by}{" "}
            <strong>
              <Named text={holder} />
            </strong>
          </>
        )}
        , {words.since} <time dateTime={since}>{exactTime(Date.parse(since))}</time>
        {awaiting !== null && <span class="small"> · {words.awaiting[awaiting]}</span>}
        {status === "ReconcileRequested" && <span class="small"> · {words.requested}</span>}
      </p>
      <dl class="facts">
        {takenOverBy !== null && (
          <Fact name={words.cloudSays}>
            {takenOverBy.name}, <code>{takenOverBy.operation}</code>, <Instant at={takenOverBy.at} />
          </Fact>
        )}
        {said !== null && (
          <Fact name={words.tagsSay}>
            <TagsSay said={said} />
          </Fact>
        )}
        {(reason !== null || ticket !== null || remindAt !== null) && (
          <Fact name={words.noteSays}>
            {reason !== null && <q>{reason}</q>} {ticket} <NotedBy by={claimedBy} />{" "}
            {remindAt !== null && (
              <>
                {words.reminder} <Instant at={remindAt} />
              </>
            )}
          </Fact>
        )}
      </dl>
      <NoteForm component={component} onNoted={onNoted} />
    </section>
  );
}

/** Why, whose and until when, by the tags. */
function TagsSay({ said: { reason, owner, until } }: { readonly said: NonNullable<Taken["said"]> }) {
  return (
    <>
      {reason !== null && <q>{reason}</q>}{" "}
      {owner !== null && (
        <>
          {words.owner} <Named text={owner} />
        </>
      )}
      {until !== null && (
        <>
          {owner === null ? " " : ", "}
          <Ending at={until} />
        </>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
