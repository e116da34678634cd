import { Muted } from "../parts/muted.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import { type ConsoleComponent, type HandBackPlan, stuckIn } from "./keep-changes.ts";

const words = texts.component;

interface RevertsProps {
  readonly component: Pick<ConsoleComponent, "muteDrift">;
  readonly plan: HandBackPlan;
}

/** What a hand-back would write, and which components that affects. */
export function Reverts({ component, plan }: RevertsProps) {
  const { changes, unobservable, dependents } = plan;
  const touched = new Set(dependents.filter(({ changed }) => changed).map(({ componentId }) => componentId)).size;
  if (changes.length === 0 && unobservable.length === 0) return <p>{words.revertsNothing}</p>;
  const stuck = stuckIn(plan);
  const reverted = changes.filter((one) => !stuck.includes(one));
  return (
    <>
      {stuck.length > 0 && (
        <div class="notice">
          <p>{words.cannotRevert}</p>
          <ul class="changes">
            {stuck.map(({ pointer, unwritable }) => (
              <li key={pointer}>
                <code>{pointer}</code>: {unwritable?.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {reverted.length > 0 && <p>{words.reverts}</p>}
      <ul class="changes">
        {reverted.map(({ pointer, parameter, actual, declared }) => (
          <li key={pointer}>
            <code>{pointer}</code> <Value value={actual} /> → <Value value={declared} />{" "}
            <Muted isMuted={component.muteDrift.includes(parameter)} />
          </li>
        ))}
      </ul>
      {unobservable.length > 0 && <p>{words.rewrites(unobservable.join(", "))}</p>}
      {touched > 0 && <p class="small">{words.revertTouches(touched)}</p>}
    </>
  );
}
