import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPlace } from "./environment-place.ts";

const words = environmentTexts.reach;

interface ReachProps {
  readonly place: EnvironmentPlace;
  readonly listed: readonly string[];
  /** Replaces what is listed. */
  readonly change: (listed: readonly string[]) => Promise<unknown>;
}

/** Where its resources may be besides its own group or project. */
export function ResourceScopes({ listed, change }: Omit<ReachProps, "place">) {
  return (
    <section class="sheet" aria-labelledby="scopes">
      <h2 id="scopes">{words.scopes}</h2>
      <p class="small">{words.scopesHelp}</p>
      <Listed listed={listed} ask={words.scopeAsk} change={change} />
      <ActionForm
        label={words.add}
        onRequest={words.newScope}
        act={(field) => change([...listed, field("resourceScopes")])}
      >
        <TextField name="resourceScopes" label={words.scope} hint={words.scopeHint} isRequired />
      </ActionForm>
    </section>
  );
}

/** The resource groups of its organization that it is in. */
export function EnvironmentGroups({ place: { type, ownerId: organizationId }, listed, change }: ReachProps) {
  const { api, names } = useWorkplace();
  const { resourceGroups } = api.organizations;
  const { loaded } = useLoaded({
    key: `groups ${organizationId}`,
    load: async (signal) => (await resourceGroups.list({ organizationId }, { limit: 200, signal })).items,
    isTouchedBy: (event) => event.type.startsWith("resource_group."),
  });
  const known = listed.map((name) => name.toLowerCase());
  const free = (loaded.value.value ?? [])
    .map(
      ({ id: { shortName }, displayName }) =>
        [`${type}/${organizationId}/${shortName}`, displayName ?? shortName] as const,
    )
    .filter(([name]) => !known.includes(name.toLowerCase()));
  return (
    <section class="sheet" aria-labelledby="groups">
      <h2 id="groups">{words.groups}</h2>
      <p class="small">{words.groupsHelp}</p>
      <Listed listed={listed} ask={words.groupAsk} change={change} shown={names.in} />
      {free.length > 0 && (
        <ActionForm
          label={words.add}
          onRequest={words.newGroup}
          act={(field) => change([...listed, field("resourceGroups")])}
        >
          <SelectField name="resourceGroups" label={words.group} choices={free} />
        </ActionForm>
      )}
    </section>
  );
}

interface ListedProps extends Omit<ReachProps, "place"> {
  readonly ask: string;
  /** @default as it is */
  readonly shown?: (one: string) => string;
}

function Listed({ listed, ask, change, shown = String }: ListedProps) {
  if (listed.length === 0) return null;
  return (
    <ul class="changes">
      {listed.map((one) => (
        <li key={one}>
          <code>{shown(one)}</code>{" "}
          <AskedButton
            label={words.remove}
            of={shown(one)}
            ask={ask}
            act={() => change(listed.filter((other) => other !== one))}
          />
        </li>
      ))}
    </ul>
  );
}
