import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import type { OrganizationPartProps } from "./named-principals.ts";

const words = accessTexts;

/** The teams and the resource groups of an organization. */
export function OrganizationParts(props: OrganizationPartProps) {
  return (
    <>
      <Teams {...props} />
      <ResourceGroups {...props} />
    </>
  );
}

function Teams({ organizationId, may }: OrganizationPartProps) {
  const { api, address } = useWorkplace();
  const { teams } = api.organizations;
  return (
    <section class="sheet" aria-labelledby="teams">
      <h2 id="teams">{words.teams}</h2>
      <Listing
        name={`teams ${organizationId}`}
        all={(signal) => teams.list.all({ organizationId }, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("team.")}
        caption={words.teams}
        columns={words.teamColumns}
        keyOf={({ principalId }) => principalId}
        none={may("Admin") ? words.noTeams : words.noTeamsSeen}
        cells={({ id: { shortName }, name, description, isPrivate, version }) => [
          <a key="name" href={linkTo("access", [organizationId, "team", shortName])}>
            {name ?? shortName}
          </a>,
          description,
          isPrivate ? words.itsMembers : words.everybody,
          may("Terminate") && (
            <AskedButton
              key="delete"
              label={words.delete}
              of={shortName}
              ask={words.deleteAsk}
              act={() => teams.delete({ organizationId, shortName }, { ifMatch: version })}
            />
          ),
        ]}
      />
      {may("Edit") && (
        <ActionForm
          label={words.makeTeam}
          onRequest={words.newTeam}
          isOpen={address?.place.value.query.new === "team"}
          done={null}
          act={async (field) => {
            const shortName = field("shortName");
            await teams.upsert(
              { organizationId },
              { shortName, name: field("name") || null, isPrivate: field("isPrivate") === "on" },
            );
            address?.go(linkTo("access", [organizationId, "team", shortName]));
          }}
        >
          <TextField name="shortName" label={words.shortName} hint={words.shortNameHint} isRequired />
          <TextField name="name" label={words.name} />
          <label class="check">
            <input type="checkbox" name="isPrivate" /> {words.isPrivate}
          </label>
        </ActionForm>
      )}
    </section>
  );
}

function ResourceGroups({ organizationId, may }: OrganizationPartProps) {
  const { resourceGroups } = useWorkplace().api.organizations;
  return (
    <section class="sheet" aria-labelledby="groups">
      <h2 id="groups">{words.groups}</h2>
      <Listing
        name={`groups ${organizationId}`}
        all={(signal) => resourceGroups.list.all({ organizationId }, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("resource_group.") || type.startsWith("livesystem.")}
        caption={words.groups}
        columns={words.groupColumns}
        keyOf={({ id }) => id.shortName}
        none={may("Admin") ? words.noGroups : words.noGroupsSeen}
        cells={({ id: { shortName }, displayName, description, livesystems, version }) => [
          <a key="name" href={linkTo("access", [organizationId, "group", shortName])}>
            {displayName ?? shortName}
          </a>,
          description,
          livesystems.length,
          may("Terminate") && (
            <AskedButton
              key="delete"
              label={words.delete}
              of={shortName}
              ask={words.deleteAsk}
              act={() => resourceGroups.delete({ organizationId, shortName }, { ifMatch: version })}
            />
          ),
        ]}
      />
      {may("Edit") && (
        <ActionForm
          label={words.makeGroup}
          onRequest={words.newGroup}
          act={(field) =>
            resourceGroups.upsert(
              { organizationId, shortName: field("shortName") },
              { displayName: field("name") || null },
            )
          }
        >
          <TextField name="shortName" label={words.shortName} hint={words.shortNameHint} isRequired />
          <TextField name="name" label={words.name} />
        </ActionForm>
      )}
    </section>
  );
}
