import type { Api } from "@liveplane/client";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { ComponentLink } from "../parts/component-link.tsx";
import { Mark, markOf } from "../parts/mark.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { texts } from "../texts.ts";

const words = texts.liveSystem;

type ListedComponent = Awaited<ReturnType<Api["liveSystems"]["components"]["list"]>>["items"][number];

/** The components of a live system with their states. */
export function LiveSystemView({ id }: { readonly id: string }) {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: id,
    async load(signal) {
      const system = await api.liveSystems.get({ id }, { signal });
      const components: ListedComponent[] = [];
      for await (const one of api.liveSystems.components.list.all({ id }, { limit: 200, signal })) components.push(one);
      return { name: system.name, components };
    },
    isTouchedBy: ({ subject }) => subject === id || subject.startsWith(`${id}/`),
  });
  const { value, error } = loaded.value;
  return (
    <>
      <PageHead title={value?.name ?? ""} />
      <FailureNotice error={error} />
      {value !== null && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.component}</th>
              <th scope="col">{words.status}</th>
              <th scope="col">{words.declared}</th>
            </tr>
          </thead>
          <tbody>
            {value.components.map((component) => (
              <tr key={component.id}>
                <th scope="row">
                  <ComponentLink id={component.id}>{shortPath(component.id)}</ComponentLink>{" "}
                  <span class="small">{component.type.split("@")[0]}</span>
                </th>
                <td>
                  <StatusBadge component={component} />
                </td>
                <td>
                  <Mark kind={markOf(component.conditions.inSync.value)} />{" "}
                  <span class="small">{component.conditions.inSync.reason}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
