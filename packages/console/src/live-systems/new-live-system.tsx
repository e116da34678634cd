import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";
import { DeclarationEditor } from "./declaration-editor.tsx";

type Environment = Awaited<ReturnType<Api["environments"]["list"]>>["items"][number];

/** A new live system: declared in an environment of the person's, and deployed. */
export function NewLiveSystem() {
  const { api, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: "places",
    load: (signal) => api.environments.list({ limit: 100, signal }),
    isTouchedBy: ({ type }) => type === "environment.created",
  });
  const { value, error } = loaded.value;
  const environments = value?.items ?? [];
  const { environment: wanted } = address?.place.value.query ?? {};
  const chosen =
    environments.find(({ id }) => fullNameOf(id) === wanted) ??
    environments.find(({ status }) => status === "Active") ??
    environments[0];
  return (
    <>
      <PageHead
        title={liveSystemTexts.liveSystems.make}
        within={<a href={linkTo("live-systems")}>{texts.titles.liveSystems}</a>}
      />
      <FailureNotice error={error} />
      {value !== null && chosen === undefined && (
        <p class="empty">
          {liveSystemTexts.liveSystems.needsEnvironment}{" "}
          <a href={linkTo("environments")}>{liveSystemTexts.liveSystems.makeEnvironment}</a>
        </p>
      )}
      {chosen !== undefined && (
        <DeclarationEditor
          system={null}
          initial={{ name: "", environmentId: chosen.id, components: [exampleFor(chosen)] }}
          environments={environments.map(({ id }) => id)}
          onBegun={({ livesystemId }) => address?.go(linkTo("live-systems", [livesystemId]))}
        />
      )}
    </>
  );
}

/** A component to begin with, for the cloud in which the environment is initialized. */
function exampleFor({ initializations }: Environment): SystemDeclaration["components"][number] {
  const isOnlyGoogle = !("provider-a" in initializations) && "provider-b" in initializations;
  if (isOnlyGoogle)
    return { path: "files", provider: "provider-b", type: "storage.v1.bucket", parameters: { location: "EU" } };
  return {
    path: "files",
    provider: "provider-a",
    type: "Microsoft.Storage/storageAccounts@2023-05-01",
    parameters: { location: "westeurope", kind: "StorageV2", sku: { name: "Standard_LRS" } },
  };
}
