import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { webhookTexts as words } from "../texts/webhook-texts.ts";
import { againMs, Deliveries } from "./deliveries.tsx";
import { type OwnedWebhook, webhooksBy } from "./owned-webhooks.ts";
import { ShownOnce } from "./shown-once.tsx";

interface WebhookPageProps {
  /** An organization's ID, or the person's own segment. */
  readonly owner: string;
  readonly webhookId: string;
}

/** One webhook: what it sends where, its secret, and its deliveries. */
export function WebhookPage({ owner, webhookId }: WebhookPageProps) {
  const { api, address, names } = useWorkplace();
  const webhooks = webhooksBy(api, owner);
  const secret = useSignal<string | null>(null);
  const tests = useSignal(0);
  const { loaded } = useLoaded({
    key: webhookId,
    load: (signal) => webhooks.get(webhookId, signal),
    isTouchedBy: ({ type }) => type.startsWith("webhook."),
    againMs,
  });
  const { value, error } = loaded.value;
  if (value === null) return <UnreadPage title={words.title} error={error} />;
  const { name, url, types, format, pausedBecause, leavesOut } = value;
  return (
    <>
      <PageHead title={name} within={<a href={linkTo("webhooks")}>{words.title}</a>}>
        <WebhookState webhook={value} />
      </PageHead>
      <FailureNotice error={error} />
      <section class="sheet" aria-label={name}>
        <p>
          <code>{url}</code> · {types.length === 0 ? words.subjects.all : types.join(", ")} · {words.formats[format]}
        </p>
        {pausedBecause !== null && <p>{words.pausedBecause[pausedBecause]}</p>}
        {leavesOut.length > 0 && <p class="notice">{words.leavesOut(names.in(leavesOut.join(", ")))}</p>}
        <div class="buttons">
          <ActionForm
            label={words.test}
            done={words.tested}
            act={() => webhooks.test(webhookId).then(() => tests.value++)}
          />
          {value.status === "Paused" && (
            <ActionForm label={words.resume} done={words.resumed} act={() => webhooks.resume(webhookId)} />
          )}
          <AskedButton
            label={words.issue}
            kind="calm"
            ask={words.issueAsk}
            done={null}
            act={async () => {
              secret.value = await webhooks.issueSecret(webhookId);
            }}
          />
          <AskedButton
            label={words.delete}
            ask={words.deleteAsk}
            done={words.deleted(name)}
            act={async () => {
              await webhooks.delete(webhookId);
              address?.go(linkTo("webhooks"));
            }}
          />
        </div>
        {secret.value !== null && <ShownOnce secret={secret.value} name={name} hide={() => (secret.value = null)} />}
      </section>
      <Deliveries webhooks={webhooks} webhookId={webhookId} tests={tests.value} />
    </>
  );
}

/** Whether a webhook sends, and whether what it sends arrives. */
export function WebhookState({ webhook: { status, failingSince } }: { readonly webhook: OwnedWebhook }) {
  const isGood = status === "Active" && failingSince === null;
  return (
    <StateWord tone={isGood ? "good" : "bad"}>
      {status === "Active" && failingSince !== null ? (
        <>
          {words.failingFirst} <Instant at={failingSince} />
        </>
      ) : (
        words.states[status]
      )}
    </StateWord>
  );
}
