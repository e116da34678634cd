import { type Lane, laneOf } from "../board/override-lanes.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { texts } from "../texts.ts";

const shapes: Readonly<Record<Lane | "active" | "leaving", string>> = {
  active: "●",
  leaving: "◌",
  taken: "◆",
  awaiting: "◔",
  requested: "↺",
  missing: "✕",
};

/** How a component stands, by a word and a shape. */
export function StatusBadge({ component }: { readonly component: ConsoleComponent }) {
  const kind = kindOf(component);
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{shapes[kind]}</span> {texts.parts.status[kind]}
    </span>
  );
}

function kindOf(component: ConsoleComponent): keyof typeof shapes {
  if (component.leaving) return "leaving";
  return component.status === "Active" ? "active" : laneOf(component);
}
