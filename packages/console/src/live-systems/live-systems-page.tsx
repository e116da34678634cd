import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { LiveSystemPage } from "./live-system-page.tsx";
import { mutationTones } from "./mutation-view.tsx";
import { NewLiveSystem } from "./new-live-system.tsx";

const words = liveSystemTexts.liveSystems;

/** The live systems that the person may see; with an ID, one of them, with `new`, a form for a new one. */
export function LiveSystemsPage() {
  const [id] = useWorkplace().address?.place.value.segments ?? [];
  if (id === "new") return <NewLiveSystem />;
  return id === undefined ? <LiveSystemList /> : <LiveSystemPage id={id} />;
}

function LiveSystemList() {
  const { api, address } = useWorkplace();
  const { environment = "" } = address?.place.value.query ?? {};
  return (
    <>
      <PageHead title={words.title}>
        <a class="button" href={linkTo("live-systems", ["new"], { environment })}>
          {words.make}
        </a>
      </PageHead>
      {environment !== "" && (
        <p>
          {words.within(environment.slice(environment.lastIndexOf("/") + 1))}{" "}
          <a href={linkTo("live-systems")}>{words.all}</a>
        </p>
      )}
      <Listing
        name={environment}
        all={(signal) => api.liveSystems.list.all({ limit: 100, signal, ...(environment !== "" && { environment }) })}
        isTouchedBy={({ type }) => type.startsWith("livesystem.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={({ id, name, environmentId, definition, status, lastMutation, updatedAt }) => [
          <a key="name" href={linkTo("live-systems", [id])}>
            {name}
          </a>,
          <a key="in" href={linkTo("environments", fullNameOf(environmentId).split("/"))}>
            {environmentId.shortName}
          </a>,
          definition.components.length,
          lastMutation === null || status !== "Active" ? (
            words.statuses[status]
          ) : (
            <StateWord key="state" tone={mutationTones[lastMutation.status]}>
              {liveSystemTexts.mutation.heads[lastMutation.kind][lastMutation.status]}
            </StateWord>
          ),
          <Instant key="at" at={updatedAt} />,
        ]}
      />
    </>
  );
}
