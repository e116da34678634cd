import type { Api } from "@liveplane/client";
import { shortPath } from "../board/override-lanes.ts";
import { Rows } from "../parts/listing.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";

/** What a deploy would do, as the service plans it. */
export type SystemPlan = Awaited<ReturnType<Api["liveSystems"]["planDeploy"]>>;

const words = liveSystemTexts.plan;

/** What a deploy would do, before it is done. */
export function PlanView({ plan: { components, warnings } }: { readonly plan: SystemPlan }) {
  const busy = components.filter(({ action, changes }) => action !== "none" || changes.length > 0);
  const adopted = busy.filter(({ action, changes }) => action === "adopt" && changes.length === 0).length;
  const tags = busy.filter(({ addsTag }) => addsTag).length;
  return (
    <section class="plan" aria-label={words.title}>
      <p role="status">
        {words.summary({ changing: busy.length - adopted, adopted, tags, same: components.length - busy.length })}
      </p>
      {warnings.map(({ componentId, detail }) => (
        <p key={componentId} class="notice">
          {detail}
        </p>
      ))}
      {busy.length > 0 && (
        <Rows caption={words.title} columns={[words.component, words.action, words.changes]}>
          {busy.map(({ componentId, action, movedFrom, changes, addsTag }) => (
            <tr key={componentId}>
              <td>{shortPath(componentId)}</td>
              <td>
                {texts.component.actions[action]}
                {movedFrom !== null && ` ${words.from(shortPath(movedFrom))}`}
              </td>
              <td>
                <ul>
                  {addsTag && <li>{words.addsTag}</li>}
                  {changes.map(({ pointer, declared, actual, unwritable }) => (
                    <li key={pointer}>
                      <code>
                        {pointer} {action !== "create" && <del>{shown(actual)}</del>} <ins>{shown(declared)}</ins>
                      </code>
                      {unwritable !== null && <span class="block late">{unwritable.message}</span>}
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </section>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return words.nothing;
  return JSON.stringify(value).replaceAll('"[redacted]"', words.hidden);
}
