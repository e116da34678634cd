import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { Named } from "../parts/named.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Renaming } from "../parts/renaming.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { texts } from "../texts.ts";
import { GrantForm, GrantList, type GrantPlace } from "./grants.tsx";
import type { OrganizationPartProps } from "./named-principals.ts";
import { OrganizationParts } from "./organization-parts.tsx";
import { removeMember } from "./removal.ts";
import { RequiredFactor } from "./required-factor.tsx";
import { WhyForm } from "./why-form.tsx";

const words = accessTexts;

/** One organization: its members by name, what they may do, and why. */
export function OrganizationPage({ organizationId }: { readonly organizationId: string }) {
  const { api, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: organizationId,
    load: (signal) => api.organizations.get({ organizationId }, { signal }),
    isTouchedBy: ({ type, subject }) => subject.startsWith(organizationId) || /^(permission|team)\./.test(type),
  });
  const may = useMay({ type: "Organizational", ownerId: organizationId, groups: [] });
  const { value: organization, error } = loaded.value;
  if (organization === null) return <UnreadPage title={words.title} error={error} />;
  const shared = { organizationId, may };
  return (
    <>
      <PageHead title={organization.name ?? organizationId} within={<a href={linkTo("access")}>{words.title}</a>}>
        {organization.status !== "Active" && <p>{organization.status}</p>}
      </PageHead>
      <FailureNotice error={error} />
      {!may("Edit") && <p class="notice">{texts.actions.viewOnly}</p>}
      <div class="halves">
        <Members {...shared} />
        <section class="sheet" aria-labelledby="grants">
          <h2 id="grants">{words.grants}</h2>
          <GrantList place={placeOf(organizationId)} title={words.grants} may={may} />
        </section>
        <WhyForm {...shared} groups={organization.resourceGroups} />
        <OrganizationParts {...shared} />
        <RequiredFactor organization={organization} may={may} />
        {may("Edit") && (
          <Renaming
            name={organization.name}
            rename={(name) => api.organizations.update({ organizationId, name }, { ifMatch: organization.version })}
          />
        )}
      </div>
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

function placeOf(organizationId: string): GrantPlace {
  return { kind: "organization", organizationId, shortName: "" };
}

/** Who is in an organization, by name, with the form that adds somebody. */
function Members({ organizationId, may }: OrganizationPartProps) {
  const { api, names } = useWorkplace();
  return (
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
        cells={({ principalId, kind, email, isInvited, permissions, direct, through }) => [
          <>
            <Named text={principalId} /> {isInvited && <span class="small">{words.invited}</span>}
          </>,
          email,
          permissions.join(", "),
          [...(direct ? [words.directly] : []), ...through.map(texts.parts.team)].join(", "),
          may("Admin") && kind === "Account" && (
            <AskedButton
              key="remove"
              label={words.remove}
              of={names.in(principalId)}
              ask={words.removeAsk}
              act={() => removeMember(api, organizationId, principalId)}
            />
          ),
        ]}
      />
      {may("Admin") && <GrantForm place={placeOf(organizationId)} label={words.addMember} />}
    </section>
  );
}
