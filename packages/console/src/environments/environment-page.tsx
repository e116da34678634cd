import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { firstOf } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Renaming } from "../parts/renaming.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { texts } from "../texts.ts";
import { CiCdProfiles } from "./ci-cd-profiles.tsx";
import { EnvironmentAccounts } from "./environment-accounts.tsx";
import type { EnvironmentPlace } from "./environment-place.ts";
import { EnvironmentReach } from "./environment-reach.tsx";
import { EnvironmentSecrets } from "./environment-secrets.tsx";
import { EnvironmentState, SimulatedClouds } from "./environment-state.tsx";
import { InitializationView } from "./initialization-view.tsx";
import { WithinEnvironments } from "./within-environments.tsx";

const words = environmentTexts.environments;
const mostMembers = 500;

/** One environment: its initialization in each cloud, and its contents. */
export function EnvironmentPage({ place }: { readonly place: EnvironmentPlace }) {
  const { api, address } = useWorkplace();
  const fullName = `${place.type}/${place.ownerId}/${place.shortName}`;
  const { loaded, reload } = useLoaded({
    key: fullName,
    load: (signal) => api.environments.get(place, { signal }),
    isTouchedBy: ({ subject }) => subject === fullName,
  });
  const { value, error } = loaded.value;
  const groups = value?.resourceGroups.map((name) => name.slice(name.lastIndexOf("/") + 1));
  const may = useMay(groups === undefined ? null : { ...place, groups });
  if (value === null) return <UnreadPage title={texts.titles.environments} error={error} />;
  const change = (to: Parameters<typeof api.environments.update>[1]) =>
    api.environments.update(place, to, { ifMatch: value.version }).then(reload);
  return (
    <>
      <PageHead title={value.name ?? place.shortName} within={<WithinEnvironments place={place} />}>
        <EnvironmentState {...value} />
        <SimulatedClouds />
        <a href={linkTo("live-systems", [], { environment: fullName })}>{texts.titles.liveSystems}</a>
        {may("Edit") && <a href={resourcesOf(place)}>{environmentTexts.resources.title}</a>}
      </PageHead>
      <FailureNotice error={error} />
      {!may("Admin") && (
        <div class="notice">
          <p>
            {!may("Edit") && texts.actions.viewOnly} {environmentTexts.initialization.whoMay} <Admins place={place} />
          </p>
        </div>
      )}
      <div class="pair">
        <InitializationView key={`a ${fullName}`} cloud="provider-a" place={place} may={may} />
        <InitializationView key={`b ${fullName}`} cloud="provider-b" place={place} may={may} />
      </div>
      <div class="halves">
        <EnvironmentSecrets place={place} may={may} />
        <CiCdProfiles place={place} may={may} />
        {may("Admin") && <EnvironmentAccounts place={place} may={may} />}
        {may("Admin") && <EnvironmentReach place={place} environment={value} change={change} />}
        {may("Edit") && <Renaming name={value.name} rename={(name) => change({ name })} />}
      </div>
      {may("Terminate") && (
        <AskedButton
          label={words.delete}
          ask={words.deleteAsk(place.shortName)}
          act={async () => {
            await api.environments.delete(place, { ifMatch: value.version });
            address?.go(linkTo("environments"));
          }}
        />
      )}
    </>
  );
}

/** The people who may initialize an environment, as far as they can be seen. */
function Admins({ place }: { readonly place: EnvironmentPlace }) {
  const { api, names } = useWorkplace();
  const { type, ownerId: organizationId } = place;
  const { loaded } = useLoaded({
    key: `admins ${organizationId}`,
    load: (signal) =>
      type === "Personal"
        ? Promise.resolve([])
        : firstOf(api.organizations.members.list.all({ organizationId }, { limit: 100, signal }), mostMembers),
    isTouchedBy: (event) => /^(permission|team)\./.test(event.type),
  });
  const admins = (loaded.value.value ?? []).filter(({ permissions }) => permissions.includes("Admin"));
  if (admins.length === 0) return null;
  return (
    <>
      {words.admins}{" "}
      {admins.map(({ principalId }, at) => (
        <span key={principalId}>
          {at > 0 && ", "}
          <a href={linkTo("access", [organizationId])}>{names.in(principalId)}</a>
        </span>
      ))}
      .
    </>
  );
}

function resourcesOf({ type, ownerId, shortName }: EnvironmentPlace): string {
  return linkTo("environments", [type, ownerId, shortName, "resources"]);
}
