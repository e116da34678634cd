import type { ConsoleComponent } from "../component/keep-changes.ts";
import { texts } from "../texts.ts";
import { type StateTone, toneShapes } from "./state-word.tsx";

type Health = ConsoleComponent["health"];

const tones: Readonly<Record<Health, StateTone>> = {
  InSync: "good",
  Differs: "bad",
  Uncorrectable: "bad",
  Failing: "bad",
  Missing: "bad",
  Unreadable: "bad",
  Blocked: "busy",
  Held: "busy",
  Working: "busy",
  ReconcileRequested: "busy",
  NotProvisioned: "calm",
  Unknown: "calm",
  Leaving: "calm",
  Overridden: "hand",
  AwaitingReconcileTag: "hand",
};

/** How serious a component's health is. */
export function toneOf({ health }: Pick<ConsoleComponent, "health">): StateTone {
  return tones[health];
}

/** A component with its health. Lists of health alone have no conditions. */
type Judged = Pick<ConsoleComponent, "health"> & Partial<Pick<ConsoleComponent, "conditions">>;

/** A component's health in words. */
export function healthWords({ health, conditions }: Judged): string {
  const isMade = conditions?.exists.value !== false;
  return health === "Uncorrectable" && !isMade ? texts.parts.cantBeCreated : texts.parts.health[health];
}

/** A component's health, as a word and a shape. */
export function StatusBadge({ component }: { readonly component: Judged }) {
  const tone = toneOf(component);
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{toneShapes[tone]}</span> {healthWords(component)}
    </span>
  );
}
