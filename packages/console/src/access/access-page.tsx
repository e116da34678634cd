import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { Listing } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { PartPage } from "./part-page.tsx";
import { PlanTerms } from "./plan-terms.tsx";

const words = accessTexts;

/** The organizations that somebody is in, and their own plan; by its ID one of them, and a team or a resource group of it. */
export function AccessPage() {
  const [organizationId, kind, shortName] = useWorkplace().address?.place.value.segments ?? [];
  if (organizationId === undefined) return <Organizations />;
  if ((kind === "team" || kind === "group") && shortName !== undefined)
    return <PartPage place={{ kind, organizationId, shortName }} />;
  return <OrganizationPage organizationId={organizationId} />;
}

function Organizations() {
  const { api, address } = useWorkplace();
  return (
    <>
      <PageHead title={words.title} />
      <Listing
        name="organizations"
        all={(signal) => api.organizations.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("organization.") || type.startsWith("permission.")}
        caption={words.organizations}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={(one) => {
          const name = one.name ?? one.id;
          const link = <a href={linkTo("access", [one.id])}>{name}</a>;
          if ("members" in one) return [link, one.memberCount, one.teams.length, one.status];
          // Its page says what to do without the factor, and nothing to somebody who was granted only something in it.
          return one.needsSecondFactor
            ? [link, "", "", <a href={linkTo("account")}>{words.needsFactor}</a>]
            : [name, "", <OwnTeams key="teams" organizationId={one.id} />, words.partly];
        }}
      />
      <section class="sheet" aria-label={words.make}>
        <ActionForm
          label={words.create}
          onRequest={words.make}
          done={null}
          act={async (field) => {
            const { id } = await api.organizations.create({ name: field("name") });
            // Its first team comes next.
            address?.go(linkTo("access", [id], { new: "team" }));
          }}
        >
          <TextField name="name" label={words.name} isRequired />
        </ActionForm>
      </section>
      <OwnPlan />
    </>
  );
}

/** The teams of an organization that somebody sees who sees nothing else of it. */
function OwnTeams({ organizationId }: { readonly organizationId: string }) {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: `teams ${organizationId}`,
    load: async (signal) => (await api.organizations.teams.list({ organizationId }, { limit: 100, signal })).items,
    isTouchedBy: ({ type }) => /^(permission|team)\./.test(type),
  });
  return (loaded.value.value ?? []).map(({ id: { shortName }, name }) => (
    <a class="block" key={shortName} href={linkTo("access", [organizationId, "team", shortName])}>
      {name ?? shortName}
    </a>
  ));
}

function OwnPlan() {
  const { api, door } = useWorkplace();
  const { loaded } = useLoaded({
    key: "plan",
    load: (signal) => ownSubscription(api, signal),
    isTouchedBy: ({ type }) => type.startsWith("subscription."),
  });
  const { value, error, isLoading } = loaded.value;
  return (
    <section class="sheet" aria-labelledby="plan">
      <h2 id="plan">{words.ownPlan}</h2>
      <FailureNotice error={error} />
      {value !== null && <PlanTerms plan={value} />}
      {value === null && isLoading && <Waiting />}
      {value === null && !isLoading && error === null && <p>{words.noPlan}</p>}
      {door !== null && <a href={linkTo("plans")}>{words.allPlans}</a>}
    </section>
  );
}

async function ownSubscription(api: Api, signal: AbortSignal) {
  const { subscriptionId } = await api.accounts.me({ signal });
  return subscriptionId === null ? null : api.subscriptions.get({ subscriptionId }, { signal });
}
