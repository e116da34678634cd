import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { ActionForm } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { EnvironmentPage } from "./environment-page.tsx";
import type { EnvironmentPlace } from "./environment-place.ts";
import { EnvironmentState, SimulatedClouds } from "./environment-state.tsx";
import { ExistingResources } from "./existing-resources.tsx";

const words = environmentTexts.environments;

/** The environments that the person may see; with a full name, one of them. */
export function EnvironmentsPage() {
  const [type, ownerId, shortName, part] = useWorkplace().address?.place.value.segments ?? [];
  if (type === undefined || ownerId === undefined || shortName === undefined) return <EnvironmentList />;
  const place: EnvironmentPlace = { type: type as EnvironmentPlace["type"], ownerId, shortName };
  return part === "resources" ? <ExistingResources place={place} /> : <EnvironmentPage place={place} />;
}

function EnvironmentList() {
  const { api } = useWorkplace();
  const names = useLoaded({
    key: "owners",
    load: (signal) => ownersOf(api, signal),
    isTouchedBy: ({ type }) => type.startsWith("organization."),
  });
  const owners = names.loaded.value.value ?? [];
  const nameOf = (ownerId: string) => owners.find(({ id }) => id === ownerId)?.name ?? ownerId;
  return (
    <>
      <PageHead title={words.title}>
        <SimulatedClouds />
      </PageHead>
      <Listing
        name="environments"
        all={(signal) => api.environments.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("environment.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => fullNameOf(id)}
        none={words.none}
        cells={({ id, name, status, initializations, updatedAt }) => [
          <a key="name" href={linkTo("environments", [id.type, id.ownerId, id.shortName])}>
            {id.shortName}
          </a>,
          name,
          nameOf(id.ownerId),
          <EnvironmentState key="state" status={status} initializations={initializations} />,
          <Instant key="at" at={updatedAt} />,
        ]}
      />
      <NewEnvironment owners={owners} />
    </>
  );
}

/** The name and owner of a new environment. */
function NewEnvironment({ owners }: { readonly owners: readonly Owner[] }) {
  const { api, address } = useWorkplace();
  return (
    <section class="sheet" aria-label={words.make}>
      <ActionForm
        label={words.create}
        onRequest={words.make}
        done={null}
        act={async (field) => {
          const [type, ownerId = ""] = field("owner").split("/");
          const id = { type: type as EnvironmentPlace["type"], ownerId, shortName: field("shortName") };
          await api.environments.create(id, { name: field("name") || null });
          address?.go(linkTo("environments", [id.type, id.ownerId, id.shortName]));
        }}
      >
        <TextField name="shortName" label={words.shortName} hint={words.shortNameHint} isRequired />
        <TextField name="name" label={words.name} />
        <SelectField
          name="owner"
          label={words.owner}
          choices={owners.map(({ type, id, name }) => [`${type}/${id}`, name])}
        />
      </ActionForm>
    </section>
  );
}

type Owner = Awaited<ReturnType<typeof ownersOf>>[number];

/** The possible owners of an environment: the person, or an organization. */
async function ownersOf(api: Api, signal: AbortSignal) {
  const { id } = await api.accounts.me({ signal });
  const owners = [{ type: "Personal", id, name: words.mine as string }];
  for await (const one of api.organizations.list.all({ limit: 100, signal }))
    owners.push({ type: "Organizational", id: one.id, name: one.name ?? one.id });
  return owners;
}
