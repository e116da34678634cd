import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import { ifFound } from "../app/if-found.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Renaming } from "../parts/renaming.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { GrantForm, GrantList, type GrantPlace, grantsOn, lastOf, PermissionField } from "./grants.tsx";

const words = accessTexts;

type Permission = Parameters<Api["organizations"]["permissions"]["grant"]>[1]["permissionType"];

interface PartPageProps {
  readonly place: GrantPlace & { readonly kind: "team" | "group" };
}

/** A team with its members and grants, or a resource group with its grants. */
export function PartPage({ place }: PartPageProps) {
  const { api, names } = useWorkplace();
  const { kind, organizationId, shortName } = place;
  const { loaded } = useLoaded({
    key: `${kind} ${organizationId} ${shortName}`,
    load: (signal) => readPart(api, place, signal),
    isTouchedBy: ({ type }) => /^(permission|team|resource_group|organization)\./.test(type),
  });
  const within = { type: "Organizational", ownerId: organizationId, groups: kind === "group" ? [shortName] : [] };
  const may = useMay(kind === "team" ? { ...within, team: shortName } : within);
  const mayWithin = useMay(within);
  const { value, error } = loaded.value;
  if (value === null) return <UnreadPage title={shortName} error={error} />;
  const { part, organization } = value;
  const title = kind === "team" ? words.members : words.grants;
  return (
    <>
      <PageHead
        title={part.name ?? shortName}
        within={
          <>
            <a href={linkTo("access")}>{words.title}</a> /{" "}
            {organization === null ? (
              names.in(organizationId)
            ) : (
              <a href={linkTo("access", [organizationId])}>{organization.name ?? organizationId}</a>
            )}
          </>
        }
      >
        {part.description !== null && <p>{part.description}</p>}
      </PageHead>
      <FailureNotice error={error} />
      <div class="halves">
        <section class="sheet" aria-labelledby="grants">
          <h2 id="grants">{title}</h2>
          <GrantList place={place} title={title} may={may} />
          {may("Admin") && <GrantForm place={place} label={kind === "team" ? words.addMember : words.grant} />}
        </section>
        {part.principalId !== null && organization !== null && (
          <TeamGrants
            organizationId={organizationId}
            principalId={part.principalId}
            groups={organization.resourceGroups.map(lastOf)}
            isAdmin={mayWithin("Admin")}
          />
        )}
        {may("Edit") && <Renaming name={part.name} rename={(name) => renamePart(api, place, { ...part, name })} />}
      </div>
    </>
  );
}

interface TeamGrantsProps {
  readonly organizationId: string;
  readonly principalId: string;
  readonly groups: readonly string[];
  readonly isAdmin: boolean;
}

/** What a team was granted on its organization and the resource groups there. */
function TeamGrants({ organizationId, principalId, groups, isAdmin }: TeamGrantsProps) {
  const { api } = useWorkplace();
  const at = (group: string) => ({ organizationId, shortName: group });
  const of = (group: string) => grantsOn(api, group === "" ? "organization" : "group");
  const input = (permissionType: Permission) => ({ principalType: "Team", principalId, permissionType }) as const;
  const nameOf = (group: string) => (group === "" ? words.onOrganization : words.onGroup(group));
  async function* all(signal: AbortSignal) {
    for (const group of ["", ...groups])
      for await (const grant of of(group).list.all(at(group), { limit: 100, signal }))
        if (grant.principalId === principalId) yield { group, permissionType: grant.permissionType };
  }
  return (
    <section class="sheet" aria-labelledby="team-grants">
      <h2 id="team-grants">{words.teamMay}</h2>
      <Listing
        name={`grants of ${principalId} ${groups.join(" ")}`}
        all={all}
        isTouchedBy={({ type }) => type.startsWith("permission.")}
        caption={words.teamMay}
        columns={words.teamGrantColumns}
        keyOf={({ group, permissionType }) => `${group} ${permissionType}`}
        none={words.noGrants}
        cells={({ group, permissionType }) => [
          nameOf(group),
          permissionType,
          isAdmin && (
            <AskedButton
              key="revoke"
              label={words.revoke}
              of={`${permissionType} ${nameOf(group)}`}
              ask={words.revokeAsk}
              act={() => of(group).revoke(at(group), input(permissionType))}
            />
          ),
        ]}
      />
      {isAdmin && (
        <ActionForm
          label={words.grant}
          onRequest={words.newGrant}
          act={(field) => of(field("on")).grant(at(field("on")), input(field("permission") as Permission))}
        >
          <PermissionField />
          <label>
            {words.on}
            <select name="on">
              {["", ...groups].map((group) => (
                <option key={group} value={group}>
                  {nameOf(group)}
                </option>
              ))}
            </select>
          </label>
        </ActionForm>
      )}
    </section>
  );
}

async function readPart(
  { organizations }: Api,
  { organizationId, shortName, kind }: PartPageProps["place"],
  signal: AbortSignal,
) {
  const [part, organization] = await Promise.all([
    kind === "team"
      ? organizations.teams.get({ organizationId, shortName }, { signal })
      : organizations.resourceGroups.get({ organizationId, shortName }, { signal }),
    // Whoever is in a team alone can't read its organization.
    ifFound(organizations.get({ organizationId }, { signal })),
  ]);
  const { description, version } = part;
  const shown =
    "principalId" in part
      ? { name: part.name, description, version, principalId: part.principalId }
      : { name: part.displayName, description, version, principalId: null };
  return { part: shown, organization };
}

function renamePart(
  { organizations: { teams, resourceGroups } }: Api,
  { organizationId, shortName, kind }: PartPageProps["place"],
  { name, version }: { readonly name: string | null; readonly version: string },
) {
  const ifMatch = version;
  return kind === "team"
    ? teams.upsert({ organizationId }, { shortName, name }, { ifMatch })
    : resourceGroups.upsert({ organizationId, shortName }, { displayName: name }, { ifMatch });
}
