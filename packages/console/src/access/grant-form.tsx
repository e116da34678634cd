import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import type { OrganizationPartProps } from "./named-principals.ts";

const words = accessTexts;

type Granted = Parameters<Api["organizations"]["permissions"]["grant"]>[1];

interface GrantFormProps extends OrganizationPartProps {
  readonly teams: readonly string[];
  readonly groups: readonly string[];
}

/** Grants or revokes a permission on the organization, a team or a resource group. */
export function GrantForm({ organizationId, principals, groups }: GrantFormProps) {
  const { organizations } = useWorkplace().api;
  const said = useSignal("");
  const teams = principals.filter(({ principalType }) => principalType === "Team");
  return (
    <>
      <ActionForm
        label={words.doIt}
        act={async (field) => {
          said.value = "";
          const [kind, shortName = ""] = field("on").split(":");
          const does = field("do") === "revoke" ? "revoke" : "grant";
          const input = {
            ...chosenPrincipal(field("who"), field("id")),
            permissionType: field("permission"),
          } as Granted;
          const at = { organizationId, shortName };
          if (kind === "team") await organizations.teams.permissions[does](at, input);
          else if (kind === "group") await organizations.resourceGroups.permissions[does](at, input);
          else await organizations.permissions[does]({ organizationId }, input);
          said.value = words.done[does];
        }}
      >
        <label>
          {words.what}
          <select name="do">
            <option value="grant">{words.grant}</option>
            <option value="revoke">{words.revoke}</option>
          </select>
        </label>
        <PrincipalFields principals={principals} />
        <label>
          {words.permission}
          <select name="permission">
            {["View", "Edit", "Terminate", "Admin"].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          {words.on}
          <select name="on">
            <option value="organization">{words.onOrganization}</option>
            {teams.map(({ principalId, name }) => (
              <option key={principalId} value={`team:${name.slice(words.team("").length)}`}>
                {name}
              </option>
            ))}
            {groups.map((name) => (
              <option key={name} value={`group:${lastOf(name)}`}>
                {words.onGroup(lastOf(name))}
              </option>
            ))}
          </select>
        </label>
      </ActionForm>
      <p role="status">{said.value}</p>
    </>
  );
}

/** The short name at the end of a full one. */
export function lastOf(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf("/") + 1);
}

/** Chooses a member of the organization, or any principal by ID. */
export function PrincipalFields({ principals }: Pick<OrganizationPartProps, "principals">) {
  return (
    <>
      <label>
        {words.who}
        <select name="who">
          {principals.map(({ principalType, principalId, name }) => (
            <option key={principalId} value={`${principalType}:${principalId}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TextField name="id" label={words.anotherId} />
    </>
  );
}

/** The chosen principal; a typed ID takes precedence. */
export function chosenPrincipal(
  who: string,
  id: string,
): Pick<Granted, "principalType"> & { readonly principalId: string } {
  const [type, principalId = ""] = who.split(":");
  if (id !== "") return { principalType: "Account", principalId: id };
  return { principalType: type === "Team" ? "Team" : "Account", principalId };
}
