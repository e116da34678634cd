import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { accountTexts } from "../texts/account-texts.ts";
import { namedAgent } from "./user-agent.ts";

const words = accountTexts.sessions;

/** The person's sessions, and how each was started. */
export function OwnSessions() {
  const { sessions } = useWorkplace().api;
  return (
    <section class="sheet" aria-labelledby="sessions">
      <h2 id="sessions">{words.title}</h2>
      <Listing
        name="sessions"
        all={(signal) => sessions.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => /^(session|factor|account)\./.test(type)}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none=""
        lot={20}
        cells={({ id, createdAt, lastUsedAt, userAgent, signedInBy, current }) => [
          <span key="with" title={userAgent ?? undefined}>
            {words.with(namedAgent(userAgent ?? ""))}
          </span>,
          words.by[signedInBy],
          <Instant key="begun" at={createdAt} />,
          <Instant key="used" at={lastUsedAt} />,
          current ? (
            words.current
          ) : (
            <AskedButton
              key="end"
              label={words.end}
              ask={words.endAsk}
              act={() => sessions.delete({ sessionId: id })}
            />
          ),
        ]}
      />
    </section>
  );
}
