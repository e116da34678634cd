import type { Api } from "@liveplane/client";
import type { ComponentChildren } from "preact";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { texts } from "../texts.ts";
import { GrantForm } from "./grant-form.tsx";
import type { NamedPrincipal, OrganizationPartProps } from "./named-principals.ts";
import { OrganizationParts } from "./organization-parts.tsx";
import { WhyForm } from "./why-form.tsx";

const words = accessTexts;

/** One organization: its members by name, what they may do, and why. */
export function OrganizationPage({ organizationId }: { readonly organizationId: string }) {
  const { api, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: organizationId,
    load: (signal) => readOrganization(api, organizationId, signal),
    isTouchedBy: ({ type, subject }) => subject.startsWith(organizationId) || /^(permission|team)\./.test(type),
  });
  const may = useMay({ type: "Organizational", ownerId: organizationId, groups: [] });
  const { value, error } = loaded.value;
  if (value === null) return <UnreadPage title={words.title} error={error} />;
  const { organization, principals } = value;
  const shared = { organizationId, principals, may };
  return (
    <>
      <PageHead title={organization.name ?? organizationId} within={<a href={linkTo("access")}>{words.title}</a>}>
        {organization.status !== "Active" && <p>{organization.status}</p>}
      </PageHead>
      <FailureNotice error={error} />
      {!may("Edit") && <p class="notice">{texts.actions.viewOnly}</p>}
      <section class="sheet" aria-labelledby="members">
        <h2 id="members">{words.members}</h2>
        <Listing
          name={`members ${organizationId}`}
          all={(signal) => api.organizations.members.list.all({ organizationId }, { limit: 100, signal })}
          isTouchedBy={({ type }) => /^(permission|team)\./.test(type)}
          caption={words.members}
          columns={words.memberColumns}
          keyOf={({ principalId }) => principalId}
          none={words.noMembers}
          cells={({ principalId, name, kind, email, permissions, through }) => [
            <span key="name" title={principalId}>
              {name ?? principalId} {kind === "ServiceAccount" && <span class="small">{words.serviceAccount}</span>}
            </span>,
            email,
            permissions.join(", "),
            through.length === 0 ? words.directly : through.map(words.team).join(", "),
          ]}
        />
      </section>
      <Grants {...shared}>
        {may("Admin") && <GrantForm {...shared} teams={organization.teams} groups={organization.resourceGroups} />}
      </Grants>
      <WhyForm {...shared} groups={organization.resourceGroups} />
      <OrganizationParts {...shared} />
      {may("Terminate") && (
        <AskedButton
          label={words.leave}
          ask={words.leaveAsk(organization.name ?? organizationId)}
          act={async () => {
            await api.organizations.delete({ organizationId }, { ifMatch: organization.version });
            address?.go(linkTo("access"));
          }}
        />
      )}
    </>
  );
}

interface GrantsProps extends OrganizationPartProps {
  readonly children: ComponentChildren;
}

/** The grants on the organization itself, by name. */
function Grants({ organizationId, principals, may, children }: GrantsProps) {
  const { permissions } = useWorkplace().api.organizations;
  const nameOf = (id: string) => principals.find(({ principalId }) => principalId === id)?.name ?? id;
  return (
    <section class="sheet" aria-labelledby="grants">
      <h2 id="grants">{words.grants}</h2>
      <Listing
        name={`grants ${organizationId}`}
        all={(signal) => permissions.list.all({ organizationId }, { limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("permission.")}
        caption={words.grants}
        columns={words.grantColumns}
        keyOf={({ principalId, permissionType }) => `${principalId} ${permissionType}`}
        none={words.noGrants}
        cells={(grant) => [
          nameOf(grant.principalId),
          grant.permissionType,
          may("Admin") && (
            <AskedButton
              key="revoke"
              label={words.revoke}
              of={nameOf(grant.principalId)}
              ask={words.revokeAsk}
              act={() => permissions.revoke({ organizationId }, grant)}
            />
          ),
        ]}
      />
      {children}
    </section>
  );
}

async function readOrganization(api: Api, organizationId: string, signal: AbortSignal) {
  const principals: NamedPrincipal[] = [];
  const { organizations } = api;
  const at = { organizationId };
  const organization = await organizations.get(at, { signal });
  for await (const { principalId, id } of organizations.teams.list.all(at, { limit: 200, signal }))
    principals.push({ principalType: "Team", principalId, name: words.team(id.shortName) });
  for await (const { principalId, name } of organizations.members.list.all(at, { limit: 200, signal }))
    principals.push({ principalType: "Account", principalId, name: name ?? principalId });
  return { organization, principals };
}
