import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPartProps } from "./environment-place.ts";

const words = environmentTexts.profiles;

/** The CI/CD profiles of an environment: facts of the keys, never the keys. */
export function CiCdProfiles({ place, may }: EnvironmentPartProps) {
  const { api } = useWorkplace();
  const { ciCdProfiles } = api.environments;
  return (
    <section class="sheet" aria-labelledby="profiles">
      <h2 id="profiles">{words.title}</h2>
      <Listing
        name="profiles"
        all={(signal) => ciCdProfiles.list.all(place, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("cicd_profile.") || type === "environment.updated"}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={({ shortName, displayName, keyType, keyBits, fingerprint, isDefault, version }) => [
          <>
            <strong>{shortName}</strong> {displayName} {isDefault && <span class="small">{words.isDefault}</span>}
          </>,
          `${keyType} ${keyBits}`,
          <code key="print">{fingerprint}</code>,
          may("Edit") && (
            <div class="buttons">
              <ActionForm
                label={isDefault ? words.noDefault : words.makeDefault}
                act={() =>
                  api.environments.update(place, { defaultCiCdProfileShortName: isDefault ? null : shortName })
                }
              />
              <AskedButton
                label={words.delete}
                of={shortName}
                ask={words.deleteAsk}
                act={() => ciCdProfiles.delete({ ...place, profileShortName: shortName }, { ifMatch: version })}
              />
            </div>
          ),
        ]}
      />
      {may("Edit") && <ProfileForm place={place} />}
    </section>
  );
}

function ProfileForm({ place }: Pick<EnvironmentPartProps, "place">) {
  const { ciCdProfiles } = useWorkplace().api.environments;
  return (
    <ActionForm
      label={words.create}
      onRequest={words.make}
      class="stack"
      act={(field) =>
        ciCdProfiles.create(place, {
          shortName: field("shortName"),
          displayName: field("displayName") || null,
          sshPrivateKeyData: field("key"),
          sshPrivateKeyPassphrase: field("passphrase") || null,
        })
      }
    >
      <TextField name="shortName" label={words.shortName} isRequired />
      <TextField name="displayName" label={environmentTexts.environments.name} />
      <TextField name="key" label={words.key} kind="text" isRequired />
      <TextField name="passphrase" label={words.passphrase} kind="secret" />
    </ActionForm>
  );
}
