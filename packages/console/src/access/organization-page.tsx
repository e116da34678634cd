import type { Api } from "@liveplane/client";
import type { ComponentChildren } from "preact";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { Named } from "../parts/named.tsx";
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

/** One organization: who is in it, by name, and what they may, and why. */
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
          cells={({ principalId, email, permissions, direct, through }) => [
            <Named key="name" text={principalId} />,
            email,
            permissions.join(", "),
            [...(direct ? [words.directly] : []), ...through.map(words.team)].join(", "),
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

/** What is granted on the organization itself, to whom by name. */
function Grants({ organizationId, may, children }: GrantsProps) {
  const { api, names } = useWorkplace();
  const { permissions } = api.organizations;
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
          <Named key="who" text={grant.principalId} />,
          grant.permissionType,
          may("Admin") && (
            <AskedButton
              key="revoke"
              label={words.revoke}
              of={names.in(grant.principalId)}
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
