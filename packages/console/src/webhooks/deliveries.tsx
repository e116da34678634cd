import { present, tickMs } from "../app/clock.ts";
import { ActionForm } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { Named } from "../parts/named.tsx";
import { type StateTone, StateWord } from "../parts/state-word.tsx";
import { webhookTexts as words } from "../texts/webhook-texts.ts";
import { texts } from "../texts.ts";
import type { Delivery, OwnedWebhooks } from "./owned-webhooks.ts";

const tones: Readonly<Record<Delivery["status"], StateTone>> = {
  Waiting: "busy",
  Delivered: "good",
  SetAside: "bad",
  Failed: "bad",
  Withheld: "calm",
};

/** New events are looked for every three seconds, and a delivery emits no event of its own. */
export const againMs = 2000;

interface DeliveriesProps {
  readonly webhooks: OwnedWebhooks;
  readonly webhookId: string;
  /** How many tests were sent from here: each is listed at once. */
  readonly tests: number;
}

/** What a webhook has sent in the last seven days and waits to send, latest first. */
export function Deliveries({ webhooks, webhookId, tests }: DeliveriesProps) {
  return (
    <section class="sheet" aria-labelledby="deliveries">
      <h2 id="deliveries">{words.deliveries}</h2>
      <Listing
        name={`deliveries ${webhookId} ${tests}`}
        all={(signal) => webhooks.deliveries(webhookId, signal)}
        isTouchedBy={() => false}
        againMs={againMs}
        lot={25}
        caption={words.deliveries}
        columns={words.deliveryColumns}
        keyOf={({ id }) => id}
        none={words.noDeliveries}
        cells={(delivery) => [
          <>
            <code>{delivery.sequence === null ? words.isTest : delivery.type}</code>{" "}
            {!delivery.type.startsWith("webhook.") && <Named text={delivery.subject} />}
          </>,
          <Instant key="at" at={delivery.triedAt ?? delivery.eventAt} />,
          <StateWord key="state" tone={tones[delivery.status]}>
            {words.statuses[delivery.status]}
          </StateWord>,
          <Answer key="answer" delivery={delivery} />,
          isTried(delivery) && delivery.sequence !== null && (
            <ActionForm
              key="again"
              label={words.again}
              done={words.sentAgain}
              act={() => webhooks.redeliver(webhookId, delivery.id)}
            />
          ),
        ]}
      />
    </section>
  );
}

/** What was asked for is about to be sent. What waits after an attempt needn't wait: its receiver may work again. */
function isTried({ status, attempts }: Delivery): boolean {
  return status !== "Waiting" || attempts > 0;
}

/** What the receiver said, how often it was asked, and when it is asked again. */
function Answer({ delivery: { status, answerStatus, failure, attempts, nextTryAt } }: { readonly delivery: Delivery }) {
  if (status === "Withheld") return <>{words.withheld}</>;
  const said = [
    ...(answerStatus === null ? [] : [words.answered(answerStatus)]),
    ...(failure === null ? [] : [words.failures[failure] ?? failure]),
    ...(attempts > 1 ? [words.attempts(attempts)] : []),
  ];
  return (
    <>
      {said.join(", ")}
      {nextTryAt !== null && attempts > 0 && (
        <>
          {" "}
          <span class="small">
            {words.nextTry}{" "}
            {Date.parse(nextTryAt) <= present.value + tickMs ? texts.times.soon : <Instant at={nextTryAt} />}
          </span>
        </>
      )}
    </>
  );
}
