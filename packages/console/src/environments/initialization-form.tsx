import type { Api } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, type Field } from "../parts/action.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPlace, InitializedCloud } from "./environment-place.ts";

const words = environmentTexts.initialization;

interface InitializationFormProps {
  readonly cloud: InitializedCloud;
  readonly place: EnvironmentPlace;
  /** The previous run, whose places are suggested. */
  readonly run: { readonly target: string; readonly region: string | null } | null;
  readonly onBegun: () => Promise<void>;
}

/** Starts an initialization in a cloud. Credentials are sent with this one request; the service keeps them sealed for the run. */
export function InitializationForm({ cloud, place, run, onBegun }: InitializationFormProps) {
  const { api } = useWorkplace();
  return (
    <details>
      <summary>{run === null ? words.begin : words.again}</summary>
      <ActionForm
        label={words.start}
        class="stack"
        act={async (field) => {
          await begin(api, { cloud, place, field });
          await onBegun();
        }}
      >
        {Object.entries(words.places[cloud]).map(([name, label]) => (
          <TextField key={name} name={name} label={label} value={proposed(name, run)} />
        ))}
        <CredentialFields cloud={cloud} />
      </ActionForm>
    </details>
  );
}

function proposed(name: string, run: InitializationFormProps["run"]): string {
  if (name === "region") return run?.region ?? "";
  return name === "subscriptionId" || name === "projectId" ? (run?.target ?? "") : "";
}

/** A cloud's credentials, by the names of the call's options. */
export const credentialNames = {
  "provider-a": ["providerAClientId", "providerAClientSecret"],
  "provider-b": ["providerBServiceAccountEmail", "providerBServiceAccountCredentials"],
} as const;

/** The credentials for one request. */
export function CredentialFields({ cloud }: { readonly cloud: InitializedCloud }) {
  const [who, secret] = credentialNames[cloud];
  return (
    <>
      <TextField name={who} label={words.who[cloud]} />
      <TextField name={secret} label={words.proof[cloud]} kind="secret" />
      <p class="small">{words.credentials}</p>
    </>
  );
}

/** The typed values; empty fields aren't sent. */
export function said(field: Field, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, field(name)]).filter(([, value]) => value !== ""));
}

function begin(api: Api, { cloud, place, field }: Begun): Promise<unknown> {
  const { providerA, providerB } = api.environments;
  const [where, credentials] = [said(field, Object.keys(words.places[cloud])), said(field, credentialNames[cloud])];
  return cloud === "provider-a"
    ? providerA.initialize(place, where, credentials)
    : providerB.initialize(place, where, credentials);
}

interface Begun {
  readonly cloud: InitializedCloud;
  readonly place: EnvironmentPlace;
  readonly field: Field;
}
