import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useOffered } from "../app/offered.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy-line.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { texts } from "../texts.ts";
import type { EnvironmentPartProps } from "./environment-place.ts";

const words = environmentTexts.secrets;
/** A revealed value is hidden after this time. */
const shownMs = 60_000;

type Secret = Awaited<ReturnType<Api["environments"]["secrets"]["list"]>>["items"][number];

/** The secrets of an environment by name; a value only on request. */
export function EnvironmentSecrets({ place, may }: EnvironmentPartProps) {
  const { api, clouds } = useWorkplace();
  const { secrets } = api.environments;
  const canReveal = useOffered()?.revealSecrets;
  return (
    <section class="sheet" aria-labelledby="secrets">
      <h2 id="secrets">{words.title}</h2>
      <p class="small">{words.use}</p>
      <Listing
        name="secrets"
        all={(signal) => secrets.list.all(place, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("secret.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={(secret) => [
          <span key="name">
            <strong>{secret.shortName}</strong>
            {secret.displayName !== null && <span class="block small">{secret.displayName}</span>}
          </span>,
          secret.description,
          secret.currentVersion,
          <Instant key="at" at={secret.updatedAt} />,
          <SecretActions key="actions" secret={secret} place={place} may={may} canReveal={canReveal === true} />,
        ]}
      />
      {may("Admin") && canReveal === false && (
        <p class="small">
          {words.noReveal} {clouds.kind === "simulated" && words.simulated}
        </p>
      )}
      {may("Edit") && (
        <ActionForm
          label={words.create}
          onRequest={words.make}
          act={(field) =>
            secrets.create(place, {
              shortName: field("shortName"),
              value: field("value"),
              description: field("description") || null,
            })
          }
        >
          <TextField name="shortName" label={words.name} hint={words.nameHint} isRequired />
          <TextField name="value" label={words.value} kind="secret" isRequired />
          <TextField name="description" label={words.description} />
        </ActionForm>
      )}
    </section>
  );
}

interface SecretActionsProps extends EnvironmentPartProps {
  readonly secret: Secret;
  /** Whether the server reveals secrets at all. */
  readonly canReveal: boolean;
}

function SecretActions({ secret, place, may, canReveal }: SecretActionsProps) {
  const { api } = useWorkplace();
  const { secrets } = api.environments;
  const at = { ...place, secretShortName: secret.shortName };
  return (
    <div class="buttons">
      {may("Admin") && canReveal && (
        <RevealedValue
          label={words.reveal}
          of={secret.shortName}
          ask={words.revealAsk}
          read={async () => (await secrets.reveal(at)).value}
        />
      )}
      {may("Edit") && (
        <>
          <details>
            <summary>{words.renew}</summary>
            <ActionForm
              label={words.keep}
              act={(field) => secrets.update(at, { value: field("value") }, { ifMatch: secret.version })}
            >
              <TextField name="value" label={words.value} kind="secret" isRequired />
            </ActionForm>
          </details>
          <AskedButton
            label={words.delete}
            of={secret.shortName}
            ask={words.deleteAsk(secret.shortName)}
            act={() => secrets.delete(at, { ifMatch: secret.version })}
          />
        </>
      )}
    </div>
  );
}

interface RevealedProps {
  readonly label: string;
  /** The name of its secret. */
  readonly of: string;
  readonly ask: string;
  /** Why it can't be asked for; shown in place of the button. */
  readonly refusal?: string | null;
  readonly read: () => Promise<string>;
}

/** Shows a secret value for a short time: it is only in this element, and removed with it. */
export function RevealedValue({ label, of, ask, refusal = null, read }: RevealedProps) {
  const value = useSignal<string | null>(null);
  const isShown = value.value !== null;
  const hide = () => {
    value.value = null;
  };
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(hide, shownMs);
    return () => clearTimeout(timer);
  });
  if (!isShown && refusal !== null) return <span class="small">{refusal}</span>;
  if (!isShown)
    return (
      <AskedButton
        label={label}
        of={of}
        kind="calm"
        done={null}
        ask={ask}
        act={async () => {
          value.value = await read();
        }}
      />
    );
  return (
    <div class="revealed">
      <output>{value.value}</output>
      <CopyButton text={value.value ?? ""} label={texts.parts.copy} />
      <button type="button" class="quiet" onClick={hide}>
        {words.hide}
      </button>
    </div>
  );
}
