import type { Api } from "@liveplane/client";
import { shortPath } from "../board/override-lanes.ts";
import { Rows } from "../parts/listing.tsx";
import { liveSystemTexts, type PlanCounts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";

/** What a deploy would do, as the service plans it. */
export type SystemPlan = Awaited<ReturnType<Api["liveSystems"]["planDeploy"]>>;

const words = liveSystemTexts.plan;

/** What a deploy would do, before it is done. */
export function PlanView({ plan: { components, warnings, error } }: { readonly plan: SystemPlan }) {
  const busy = components.filter(
    ({ action, changes, unmanaged }) => action !== "none" || changes.length + unmanaged.length > 0,
  );
  return (
    <section class="plan" aria-label={words.title}>
      <p role="status">{words.summary(countsOf(components))}</p>
      {error !== null && (
        <p class="notice failed">{texts.component.planFails(shortPath(error.componentId ?? ""), error.detail)}</p>
      )}
      {warnings.map(({ detail }) => (
        <p key={detail} class="notice">
          {detail}
        </p>
      ))}
      {busy.length > 0 && (
        <Rows caption={words.title} columns={[words.component, words.action, words.changes]}>
          {busy.map(({ componentId, action, reason, movedFrom, changes, addsTag, unmanaged }) => (
            <tr key={componentId}>
              <td>{shortPath(componentId)}</td>
              <td>
                {texts.component.actions[action]}
                {movedFrom !== null && ` ${words.from(shortPath(movedFrom))}`}
                {reason !== null && <span class="block small">{reason}</span>}
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
                  {unmanaged.map((pointer) => (
                    <li key={pointer}>
                      <code>{pointer}</code> {words.unmanaged}
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

/** How many components a deploy would do something to, by what it is. */
function countsOf(components: SystemPlan["components"]): PlanCounts {
  const counts = {
    create: 0,
    change: 0,
    move: 0,
    delete: 0,
    release: 0,
    adopted: 0,
    tags: 0,
    stuck: 0,
    held: 0,
    same: 0,
  };
  for (const { action, changes, addsTag } of components) {
    if (addsTag) counts.tags++;
    if (action === "hold") counts.held++;
    else if (changes.some(({ unwritable }) => unwritable !== null)) counts.stuck++;
    else if (action === "adopt" && changes.length === 0) counts.adopted++;
    else if (action === "correct" || action === "adopt") counts.change++;
    else if (action === "none") counts.same++;
    else counts[action]++;
  }
  return counts;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return words.nothing;
  return JSON.stringify(value).replaceAll('"[redacted]"', words.hidden);
}
