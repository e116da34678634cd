import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { rightsIn } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, type Field } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { webhookTexts as words } from "../texts/webhook-texts.ts";
import { againMs } from "./deliveries.tsx";
import { type NewWebhook, type OwnedWebhook, ownSegment, typesAbout, webhooksBy } from "./owned-webhooks.ts";
import { ShownOnce } from "./shown-once.tsx";
import { WebhookPage, WebhookState } from "./webhook-page.tsx";

/** All webhooks that somebody manages; by owner and ID one of them. */
export function WebhooksPage() {
  const [owner, webhookId] = useWorkplace().address?.place.value.segments ?? [];
  if (owner !== undefined && webhookId !== undefined) return <WebhookPage owner={owner} webhookId={webhookId} />;
  return <Webhooks />;
}

interface Managed {
  readonly owner: Owner;
  readonly webhook: OwnedWebhook;
}

/** Whose webhooks somebody manages. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

function Webhooks() {
  const { api, names } = useWorkplace();
  return (
    <>
      <PageHead title={words.title}>
        <p>{words.lead}</p>
      </PageHead>
      <NewWebhookForm />
      <Listing<Managed>
        name="webhooks"
        all={(signal) => allManaged(api, signal)}
        isTouchedBy={({ type }) => type.startsWith("webhook.")}
        againMs={againMs}
        caption={words.title}
        columns={words.columns}
        keyOf={({ webhook }) => webhook.id}
        none={words.none}
        cells={({ owner, webhook }) => [
          <a key="name" href={linkTo("webhooks", [owner.id, webhook.id])}>
            {webhook.name}
          </a>,
          webhook.url,
          owner.name,
          webhook.types.length === 0 ? words.subjects.all : words.counted(webhook.types.length),
          <>
            <WebhookState webhook={webhook} />
            {webhook.leavesOut.length > 0 && words.leavesOutShort(names.in(webhook.leavesOut.join(", ")))}
          </>,
        ]}
      />
    </>
  );
}

interface Made {
  readonly link: string;
  readonly name: string;
  readonly secret: string;
}

function NewWebhookForm() {
  const { api } = useWorkplace();
  const made = useSignal<Made | null>(null);
  const owners = useLoaded({
    key: "owners",
    load: (signal) => ownersOf(api, signal),
    isTouchedBy: ({ type }) => type.startsWith("organization."),
  });
  const all = owners.loaded.value.value ?? [{ id: ownSegment, name: words.mine }];
  async function create(field: Field): Promise<void> {
    const owner = field("owner");
    const about = field("about") as keyof typeof typesAbout;
    const body = { name: field("name"), url: field("url"), format: field("format") as "cloudevents" | "slack" };
    const types = [...typesAbout[about]];
    const input: NewWebhook = types.length === 0 ? body : { ...body, types };
    const { id, name, secret } = await webhooksBy(api, owner).create(input);
    made.value = { link: linkTo("webhooks", [owner, id]), name, secret };
  }
  return (
    <section class="sheet" aria-label={words.make}>
      <ActionForm label={words.create} onRequest={words.make} done={words.made} act={create}>
        <TextField name="name" label={words.name} isRequired />
        <TextField name="url" label={words.url} hint={words.urlHint} isRequired />
        <SelectField name="owner" label={words.owner} choices={all.map(({ id, name }) => [id, name])} />
        <SelectField name="about" label={words.what} choices={Object.entries(words.subjects)} />
        <SelectField name="format" label={words.format} choices={Object.entries(words.formats)} />
      </ActionForm>
      <p class="small">
        {words.urlHelp}{" "}
        <a href={words.guide.href} target="_blank" rel="noreferrer">
          {words.guide.title}
        </a>
      </p>
      {made.value !== null && (
        <ShownOnce secret={made.value.secret} name={made.value.name} hide={() => (made.value = null)}>
          <a href={made.value.link}>{words.deliveries}</a>
        </ShownOnce>
      )}
    </section>
  );
}

/** Whoever is signed in, and the organizations that they administer. */
async function ownersOf(api: Api, signal: AbortSignal): Promise<Owner[]> {
  const owners: Owner[] = [{ id: ownSegment, name: words.mine }];
  for await (const one of api.organizations.list.all({ limit: 100, signal })) {
    const { id, name } = one;
    // Whoever sees only its name doesn't administer it.
    if (!("members" in one)) continue;
    if ((await rightsIn(api, { type: "Organizational", ownerId: id, groups: [] })).includes("Admin"))
      owners.push({ id, name: name ?? id });
  }
  return owners;
}

async function* allManaged(api: Api, signal: AbortSignal): AsyncIterable<Managed> {
  for (const owner of await ownersOf(api, signal))
    for await (const webhook of webhooksBy(api, owner.id).list(signal)) yield { owner, webhook };
}
