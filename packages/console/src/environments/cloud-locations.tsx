import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { firstOf } from "../parts/listing.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPlace, InitializedCloud } from "./environment-place.ts";
import { CredentialFields, credentialNames, proposals, said, targets } from "./initialization-form.tsx";

const words = environmentTexts.locations;
const most = 500;

type Location = Awaited<ReturnType<Api["environments"]["providerA"]["locations"]>>["items"][number];

interface LocationsProps {
  readonly cloud: InitializedCloud;
  readonly place: EnvironmentPlace;
  /** The initialized subscription or project. */
  readonly target: string;
}

/** The locations that a cloud offers now. */
export function CloudLocations({ cloud, place, target }: LocationsProps) {
  const { api, clouds } = useWorkplace();
  const proposed = useMemo(() => proposals(cloud, null, clouds), [cloud, clouds]);
  const found = useSignal<readonly Location[] | null>(null);
  const isA = cloud === "provider-a";
  const { providerA, providerB } = api.environments;
  return (
    <details>
      <summary>{words.title}</summary>
      <ActionForm
        label={words.ask}
        done={null}
        class="stack"
        act={async (field) => {
          const of = field("of");
          const credentials = said(field, credentialNames[cloud]);
          const all = isA
            ? providerA.locations.all(place, { subscriptionId: of, ...credentials })
            : providerB.locations.all(place, { projectName: of, ...credentials });
          found.value = await firstOf(all, most);
        }}
      >
        <TextField
          name="of"
          label={isA ? words.subscription : words.project}
          value={target || (proposed[targets[cloud]] ?? "")}
          isRequired
        />
        <CredentialFields cloud={cloud} proposed={proposed} />
      </ActionForm>
      {found.value !== null && (
        <div role="status">
          <ul class="columns">
            {found.value.map(({ id, name, displayName, geography }) => (
              <li key={id}>
                <code>{name}</code> {displayName} {geography !== null && <span class="small">{geography}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </details>
  );
}
