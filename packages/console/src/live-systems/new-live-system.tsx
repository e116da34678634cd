import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";
import { DeclarationEditor } from "./declaration-editor.tsx";

/** A new live system: declared in an environment of the person's, and deployed. */
export function NewLiveSystem() {
  const { api, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: "place",
    load: async (signal) => {
      const { items } = await api.environments.list({ limit: 100, signal });
      return items.find(({ status }) => status === "Active") ?? items[0] ?? null;
    },
    isTouchedBy: ({ type }) => type === "environment.created",
  });
  const { value, error, isLoading } = loaded.value;
  return (
    <>
      <PageHead
        title={liveSystemTexts.liveSystems.make}
        within={<a href={linkTo("live-systems")}>{texts.titles.liveSystems}</a>}
      />
      <FailureNotice error={error} />
      {value === null && !isLoading && (
        <p class="empty">
          {liveSystemTexts.liveSystems.needsEnvironment}{" "}
          <a href={linkTo("environments")}>{texts.titles.environments}</a>
        </p>
      )}
      {value !== null && (
        <DeclarationEditor
          system={null}
          initial={{ name: "", environmentId: value.id, components: [] }}
          onBegun={({ livesystemId }) => address?.go(linkTo("live-systems", [livesystemId]))}
        />
      )}
    </>
  );
}
