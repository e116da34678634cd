import type { Api } from "@liveplane/client";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import { NotedBy } from "./note-form.tsx";

const words = texts.component;

interface LedgerProps {
  readonly livesystemId: string;
  readonly componentId: string;
}

/** Every override of a component on a timeline, newest first, with the state at its start and end. */
export function Ledger({ livesystemId, componentId }: LedgerProps) {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: `ledger ${componentId}`,
    load: (signal) => api.liveSystems.components.overrides({ id: livesystemId, componentId }, { limit: 20, signal }),
    isTouchedBy: ({ type, subject }) => subject === componentId && type.startsWith("component."),
  });
  const { value, error } = loaded.value;
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger">{words.ledger}</h2>
      <FailureNotice error={error} />
      {value?.items.length === 0 && <p class="small">{words.ledgerNone}</p>}
      <ol class="timeline">
        {value?.items.map((episode) => (
          <li key={episode.id} class={episode.endedAt === null ? "open" : ""}>
            <Episode episode={episode} />
          </li>
        ))}
      </ol>
    </section>
  );
}

type ShownEpisode = Awaited<ReturnType<Api["liveSystems"]["components"]["overrides"]>>["items"][number];

function Episode({ episode }: { readonly episode: ShownEpisode }) {
  const { startedAt, endedAt, outcome, reason, ticket, claimedBy, start, end } = episode;
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
      <p class="small">
        {endedAt === null || outcome === null ? (
          words.stillOpen
        ) : (
          <>
            <Instant at={endedAt} />: {words.outcomes[outcome]}
          </>
        )}
      </p>
    </>
  );
}

/** The parameters that differed at that moment. */
function differingIn({ declared, actual }: ShownEpisode["start"]): readonly string[] {
  const isOther = (name: string) => JSON.stringify(declared[name]) !== JSON.stringify(actual[name]);
  return Object.keys(declared).filter((name) => name in actual && isOther(name));
}
