import { shortPath } from "../board/override-lanes.ts";
import { ComponentLink } from "../parts/component-link.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";

const words = texts.component;

interface DependentsProps {
  readonly plan: HandBackPlan;
  readonly isOverridden: boolean;
}

/** Who uses a component's outputs, which of them were changed by hand, and who only comes after it. */
export function Dependents({ plan: { dependents, deployedLater }, isOverridden }: DependentsProps) {
  // An output that a component reads in several places.
  const uses = new Map(dependents.map((one) => [`${one.componentId} ${one.output}`, one]));
  return (
    <section aria-labelledby="dependents">
      <h2 id="dependents">{words.dependents}</h2>
      {dependents.length + deployedLater.length === 0 && <p class="small">{words.dependentsNone}</p>}
      <ul class="dependents-list">
        {[...uses].map(([key, { componentId, output, exists, created, changed, valueAtOverride, valueNow }]) => (
          <li key={key}>
            <ComponentLink id={componentId}>{shortPath(componentId)}</ComponentLink> {words.reads} <code>{output}</code>{" "}
            {changed ? (
              <span class="touched">
                {words.changed}: <Value value={valueAtOverride} /> → <Value value={valueNow} />
              </span>
            ) : (
              <span class="small">{exists ? isOverridden && words.unchanged : words.noOutput}</span>
            )}
            {!created && <span class="small"> {words.notCreated}</span>}
          </li>
        ))}
        {deployedLater.map((id) => (
          <li key={id}>
            <ComponentLink id={id}>{shortPath(id)}</ComponentLink> <span class="small">{words.comesAfter}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The components that come first, because it reads their outputs or says so. */
export function NeededComponents({
  component: { livesystemId, dependsOn },
}: {
  readonly component: Pick<ConsoleComponent, "livesystemId" | "dependsOn">;
}) {
  if (dependsOn.length === 0) return null;
  return (
    <section aria-labelledby="dependencies">
      <h2 id="dependencies">{words.dependencies}</h2>
      <ul class="dependents-list">
        {dependsOn.map((path) => (
          <li key={path}>
            <ComponentLink id={`${livesystemId}/${path}`}>{path}</ComponentLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
