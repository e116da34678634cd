import type { Api } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPartProps } from "./environment-place.ts";
import { RevealedValue } from "./environment-secrets.tsx";

const words = environmentTexts.serviceAccounts;
/** The service refuses a third one. */
const mostSecrets = 2;

type Assigned = Awaited<ReturnType<Api["environments"]["serviceAccounts"]["get"]>>;

/** The service accounts that have a role in an environment. */
export function EnvironmentAccounts({ place }: EnvironmentPartProps) {
  const { api, names } = useWorkplace();
  const { serviceAccounts } = api.environments;
  return (
    <section class="sheet" aria-labelledby="service-accounts">
      <h2 id="service-accounts">{words.title}</h2>
      <Listing
        name="service accounts"
        all={(signal) => serviceAccounts.list.all(place, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("service_account.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ principalId }) => principalId}
        none={words.none}
        cells={(account) => [
          <>
            {account.description || names.of(account.principalId)}{" "}
            <span class="small">
              {words.clientId} <code>{account.principalId}</code>
            </span>
          </>,
          account.serviceAccountRole,
          <StateWord key="state" tone={account.active ? "good" : "calm"}>
            {account.active ? words.active : words.inactive}
          </StateWord>,
          account.secrets.length === 0 ? (
            words.noSecret
          ) : (
            <IssuedSecrets key="secrets" account={account} place={place} />
          ),
          <AccountActions key="actions" account={account} place={place} />,
        ]}
      />
      <ActionForm
        label={words.assign}
        onRequest={words.make}
        act={(field) =>
          serviceAccounts.assign(
            { ...place, principalId: field("principalId") || crypto.randomUUID() },
            {
              serviceAccountRole: field("role") as Assigned["serviceAccountRole"],
              description: field("description") || null,
            },
          )
        }
      >
        <TextField name="principalId" label={words.clientId} hint={words.newOne} />
        <SelectField name="role" label={words.role} choices={Object.entries(words.roles)} />
        <TextField name="description" label={words.columns[0]} />
      </ActionForm>
      <p class="small">{words.use}</p>
    </section>
  );
}

interface AssignedProps extends Pick<EnvironmentPartProps, "place"> {
  readonly account: Assigned;
}

function IssuedSecrets({ account: { secrets, principalId }, place }: AssignedProps) {
  const { serviceAccounts } = useWorkplace().api.environments;
  return (
    <ul>
      {secrets.map(({ id, expiresAt }) => (
        <li key={id} class="buttons">
          {words.expires} <Instant at={expiresAt} />
          <AskedButton
            label={words.revoke}
            ask={words.revokeAsk}
            act={() => serviceAccounts.revokeSecret({ ...place, principalId, secretId: id })}
          />
        </li>
      ))}
    </ul>
  );
}

function AccountActions({ account, place }: AssignedProps) {
  const { principalId, active, version, description, serviceAccountRole } = account;
  const { serviceAccounts } = useWorkplace().api.environments;
  const called = description || serviceAccountRole;
  const at = { ...place, principalId };
  return (
    <div class="buttons">
      <RevealedValue
        label={words.issue}
        of={called}
        ask={words.issueAsk}
        refusal={account.secrets.length < mostSecrets ? null : words.mostSecrets}
        read={async () => (await serviceAccounts.issueSecret(at)).secret}
      />
      <ActionForm
        label={active ? words.switchOff : words.switchOn}
        act={() => serviceAccounts.update(at, { active: !active }, { ifMatch: version })}
      />
      <AskedButton
        label={words.remove}
        of={called}
        ask={words.removeAsk}
        act={() => serviceAccounts.delete(at, { ifMatch: version })}
      />
    </div>
  );
}
