import { type StateTone, toneShapes } from "../parts/state-word.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";
import { type HealthCounts, type HealthGroup, healthGroups } from "./fleet-health.ts";

/** How serious each group is. */
export const groupTones: Readonly<Record<HealthGroup, StateTone>> = {
  inSync: "good",
  busy: "calm",
  drifted: "bad",
  taken: "hand",
  blocked: "busy",
  failing: "bad",
  missing: "bad",
};

/** The counts as words with shapes; groups without components are left out. */
export function HealthCountList({ counts }: { readonly counts: HealthCounts }) {
  const shown = healthGroups.filter((group) => counts[group] > 0);
  if (shown.length === 0) return <span class="small">{overviewTexts.overview.empty}</span>;
  return (
    <ul class="health-counts">
      {shown.map((group) => (
        <li key={group} class={`state ${groupTones[group]}`}>
          <span aria-hidden="true">{toneShapes[groupTones[group]]}</span> {counts[group]}{" "}
          {overviewTexts.overview.groups[group]}
        </li>
      ))}
    </ul>
  );
}
