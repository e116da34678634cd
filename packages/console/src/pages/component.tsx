import { useLoaded } from "../app/loaded.ts";
import { shortPath } from "../app/override-lanes.ts";
import { useWorkplace } from "../app/workplace.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";

/** A component: how it stands, and why. */
export function ComponentPage() {
  const { api, address } = useWorkplace();
  const componentId = (address?.place.value.segments ?? []).join("/");
  const id = componentId.split("/")[0] ?? "";
  const { loaded } = useLoaded({
    key: componentId,
    load: (signal) => api.liveSystems.components.get({ id, componentId }, { signal }),
    isTouchedBy: ({ subject }) => subject === componentId,
  });
  const { value, error } = loaded.value;
  return (
    <>
      <PageHead title={shortPath(componentId)} />
      <FailureNotice error={error} />
      {value !== null && <p>{value.status}</p>}
    </>
  );
}
