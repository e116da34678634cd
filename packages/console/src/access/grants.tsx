import type { Api } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { texts } from "../texts.ts";
import { type NamedPrincipal, type OrganizationPartProps, usePrincipals } from "./named-principals.ts";

const words = accessTexts;

type PermissionType = Parameters<Api["organizations"]["permissions"]["grant"]>[1]["permissionType"];

const permissionTypes: readonly PermissionType[] = ["View", "Edit", "Terminate", "Admin"];

/** What a permission is granted on: an organization, or a team or a resource group of it. */
export interface GrantPlace {
  readonly kind: "organization" | "team" | "group";
  readonly organizationId: string;
  /** Of the team or the resource group. */
  readonly shortName: string;
}

/** The operations on the grants of a place. */
export function grantsOn({ organizations }: Api, kind: GrantPlace["kind"]) {
  const { permissions, teams, resourceGroups } = organizations;
  return { organization: permissions, team: teams.permissions, group: resourceGroups.permissions }[kind];
}

interface GrantsProps extends Pick<OrganizationPartProps, "may"> {
  readonly place: GrantPlace;
  readonly title: string;
}

/** The grants on a place, by name. */
export function GrantList({ place, title, may }: GrantsProps) {
  const permissions = grantsOn(useWorkplace().api, place.kind);
  const { organizationId, shortName } = place;
  const at = { organizationId, shortName };
  return (
    <Listing
      name={`grants ${place.kind} ${organizationId} ${shortName}`}
      all={(signal) => permissions.list.all(at, { limit: 100, signal })}
      isTouchedBy={({ type }) => /^(permission|account)\./.test(type)}
      caption={title}
      columns={words.grantColumns}
      keyOf={({ principalId, permissionType }) => `${principalId} ${permissionType}`}
      none={words.noGrants}
      cells={({ principalType, principalId, name, permissionType }) => {
        const known = (principalType === "Team" && name !== null ? texts.parts.team(name) : name) ?? principalId;
        return [
          <span key="name" title={principalId}>
            {known}
          </span>,
          permissionType,
          may("Admin") && (
            <AskedButton
              key="revoke"
              label={words.revoke}
              of={`${permissionType} ${known}`}
              ask={words.revokeAsk}
              act={() => permissions.revoke(at, { principalType, principalId, permissionType })}
            />
          ),
        ];
      }}
    />
  );
}

interface GrantFormProps extends Pick<GrantsProps, "place"> {
  readonly label: string;
}

/** Grants a permission on a place to somebody by name or address. */
export function GrantForm({ place: { kind, organizationId, shortName }, label }: GrantFormProps) {
  const principals = usePrincipals(organizationId);
  const permissions = grantsOn(useWorkplace().api, kind);
  return (
    <ActionForm
      label={label}
      onRequest={label === words.addMember ? words.newMember : words.newGrant}
      act={async (field) => {
        const permissionType = field("permission") as PermissionType;
        const who = await principals.typed(field("who"));
        await permissions.grant({ organizationId, shortName }, { ...who, permissionType });
      }}
    >
      <PrincipalField offered={principals.offered} />
      <p class="small">{words.invites}</p>
      <PermissionField isOnTeam={kind === "team"} />
      {kind === "team" && <p class="small">{words.memberHelp}</p>}
    </ActionForm>
  );
}

interface PermissionFieldProps {
  /** It is granted on a team, so it makes somebody a member. @default false */
  readonly isOnTeam?: boolean;
}

/** The permission to grant. */
export function PermissionField({ isOnTeam = false }: PermissionFieldProps) {
  const allows = isOnTeam ? words.allowsOnTeam : words.allows;
  return (
    <SelectField
      name="permission"
      label={isOnTeam ? words.permissionOnTeam : words.permission}
      choices={permissionTypes.map((name) => [name, allows[name]])}
    />
  );
}

/** Somebody by name or address; the names that are known are offered. */
export function PrincipalField({ offered }: { readonly offered: readonly NamedPrincipal[] }) {
  return <TextField name="who" label={words.who} offers={offered.map(({ name }) => name)} isRequired />;
}

/** The short name at the end of a full one. */
export function lastOf(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf("/") + 1);
}
