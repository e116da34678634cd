import type { Api } from "@liveplane/client";
import { useMemo } from "preact/hooks";
import { type CloudsHere, useWorkplace } from "../app/workplace.ts";
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

/** Prepares an environment in a cloud. Credentials go with this one request; the service keeps them sealed for the run. */
export function InitializationForm({ cloud, place, run, onBegun }: InitializationFormProps) {
  const { api, clouds } = useWorkplace();
  const isSimulated = clouds.kind === "simulated";
  const proposed = useMemo(() => proposals(cloud, run, clouds), [cloud, run, clouds]);
  return (
    <details>
      <summary>{run === null ? words.begin : words.again}</summary>
      <ActionForm
        label={words.start}
        done={null}
        class="stack"
        act={async (field) => {
          await begin(api, { cloud, place, field });
          await onBegun();
        }}
      >
        {isSimulated && <p class="small">{words.simulated}</p>}
        {Object.entries(words.places[cloud]).map(([name, label]) => (
          <TextField
            key={name}
            name={name}
            label={label}
            value={proposed[name] ?? ""}
            isRequired={name === targets[cloud]}
          />
        ))}
        <CredentialFields cloud={cloud} proposed={proposed} />
      </ActionForm>
    </details>
  );
}

/** What an environment is prepared in. */
export const targets = { "provider-a": "subscriptionId", "provider-b": "projectId" } as const;

/** What the fields begin with: the places of the run before; in a simulated cloud values that it accepts. */
export function proposals(
  cloud: InitializedCloud,
  run: InitializationFormProps["run"],
  clouds: CloudsHere,
): Readonly<Record<string, string>> {
  const before =
    run === null ? {} : { [targets[cloud]]: run.target, ...(run.region !== null && { region: run.region }) };
  if (clouds.kind === "real") return before;
  const project = "simulated-project";
  const simulated =
    cloud === "provider-a"
      ? {
          subscriptionId: crypto.randomUUID(),
          region: "westeurope",
          providerAClientId: crypto.randomUUID(),
          providerAClientSecret: crypto.randomUUID(),
        }
      : {
          projectId: project,
          region: "europe-west1",
          providerBServiceAccountEmail: `liveplane@${project}.iam.gserviceaccount.com`,
          providerBServiceAccountCredentials: JSON.stringify({ type: "service_account", project_id: project }),
        };
  return { ...simulated, ...before };
}

/** A cloud's credentials, by the names of the call's options. */
export const credentialNames = {
  "provider-a": ["providerAClientId", "providerAClientSecret"],
  "provider-b": ["providerBServiceAccountEmail", "providerBServiceAccountCredentials"],
} as const;

interface CredentialFieldsProps {
  readonly cloud: InitializedCloud;
  /** What the fields begin with. */
  readonly proposed: Readonly<Record<string, string>>;
}

/** The credentials that go with one request. */
export function CredentialFields({ cloud, proposed }: CredentialFieldsProps) {
  const [who, secret] = credentialNames[cloud];
  return (
    <>
      <TextField name={who} label={words.who[cloud]} value={proposed[who] ?? ""} />
      <TextField name={secret} label={words.proof[cloud]} kind="secret" value={proposed[secret] ?? ""} />
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
