import { useContext } from "preact/hooks";
import { Muted } from "../parts/muted.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";
import { MuteButton } from "./mute-button.tsx";

const words = texts.component;

interface DifferenceProps {
  readonly component: ConsoleComponent;
  readonly plan: HandBackPlan;
  readonly isOverridden: boolean;
}

/** The differences in three columns, each with its cause. */
export function DifferenceTable({ component: { muteDrift }, plan, isOverridden }: DifferenceProps) {
  const mayEdit = useContext(MayEdit);
  if (plan.changes.length === 0) return <p>{words.noDifference}</p>;
  return (
    <div class="wide">
      <table class="differences">
        <caption class="small">{words.differencesHelp}</caption>
        <thead>
          <tr>
            <th scope="col">{words.parameter}</th>
            {isOverridden && <th scope="col">{words.declaredThen}</th>}
            <th scope="col">{words.declaredNow}</th>
            <th scope="col">{words.inCloud}</th>
            <th scope="col">{words.cause}</th>
          </tr>
        </thead>
        <tbody>
          {plan.changes.map(({ pointer, parameter, declaredAtOverride, declared, actual, cause, unwritable }) => (
            <tr key={pointer}>
              <th scope="row">
                <code>{pointer}</code> <Muted isMuted={muteDrift.includes(parameter)} />
                {mayEdit && (
                  <MuteButton
                    componentId={plan.componentId}
                    parameter={parameter}
                    isMuted={muteDrift.includes(parameter)}
                  />
                )}
              </th>
              {isOverridden && (
                <td data-column={words.declaredThen} class={cause === "cloud" ? "same" : "moved"}>
                  <Value value={declaredAtOverride} />
                </td>
              )}
              <td data-column={words.declaredNow} class={cause === "cloud" ? "same" : "moved"}>
                <Value value={declared} />
              </td>
              <td data-column={words.inCloud} class={cause === "declaration" ? "same" : "moved"}>
                <Value value={actual} />
              </td>
              <td data-column={words.cause}>
                {words.causes[cause]}
                {unwritable !== null && <span class="block small">{unwritable.message}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
