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
  /** The run before, whose places are proposed. */
  readonly run: { readonly target: string; readonly region: string | null } | null;
  readonly onBegun: () => Promise<void>;
}

/** Begins to prepare an environment in a cloud. Credentials go with this one request; the service keeps them sealed for the run. */
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

/** What a cloud is shown, by the names that the calls have for it. */
export const credentialNames = {
  "provider-a": ["providerAClientId", "providerAClientSecret"],
  "provider-b": ["providerBServiceAccountEmail", "providerBServiceAccountCredentials"],
} as const;

/** The credentials that go with one request. */
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

/** What was typed into those fields; what is left empty isn't sent. */
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
