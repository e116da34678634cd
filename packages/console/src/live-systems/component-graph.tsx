import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { healthWords, toneOf } from "../parts/status-badge.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { type GraphSpot, placedInLayers } from "./graph-layers.ts";

const words = liveSystemTexts.liveSystems;
/** Beside a state of more letters there is no room for the type, which the title has. */
const longState = 20;
/** In pixels, as the style has them. */
const [width, height, across, down] = [232, 58, 56, 14] as const;

const left = ({ column }: GraphSpot) => column * (width + across);
const top = ({ row }: GraphSpot) => row * (height + down);

/** The components, each to the right of what it needs. Screen readers get a list with each one's state and needs. */
export function ComponentGraph({ components }: { readonly components: readonly ConsoleComponent[] }) {
  const named = new Map(components.map((component) => [shortPath(component.id).toLowerCase(), component]));
  const nodes = [...named].map(([id, { dependsOn }]) => ({ id, needs: dependsOn.map((path) => path.toLowerCase()) }));
  const { edges, columns } = placedInLayers(nodes);
  const rows = Math.max(...columns.map((column) => column.length));
  const size = {
    width: columns.length * (width + across) - across,
    height: rows * (height + down) - down,
  };
  if (components.length === 0) return <p class="empty">{words.noComponents}</p>;
  return (
    <section class="graph" aria-label={words.graph}>
      <div>
        <svg {...size} aria-hidden="true">
          {edges.map(({ from, to }, at) => (
            <path key={at} d={lineOf(from, to)} />
          ))}
        </svg>
        <ol>
          {columns.map((ids, at) => (
            <li key={at}>
              <ol>
                {ids.map((id) => (
                  <li key={id}>
                    <GraphNode component={named.get(id)} />
                  </li>
                ))}
              </ol>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function lineOf(from: GraphSpot, to: GraphSpot): string {
  const [x, y] = [left(from) + width, top(from) + height / 2];
  const [toX, toY] = [left(to), top(to) + height / 2];
  const curve = (toX: number, fromY: number, toY: number) =>
    `C${toX - across / 2} ${fromY} ${toX - across / 2} ${toY} ${toX} ${toY}`;
  if (to.column === from.column + 1) return `M${x} ${y}${curve(toX, y, toY)}`;
  // Lines pass the columns between them in the gap of two rows, because a line through a component would look like a dependency.
  const gap = Math.max(from.row, to.row, 1) * (height + down) - down / 2;
  return `M${x} ${y}${curve(x + across, y, gap)}H${toX - across}${curve(toX, gap, toY)}`;
}

function GraphNode({ component }: { readonly component: ConsoleComponent | undefined }) {
  const { componentLink } = useWorkplace();
  if (component === undefined) return null;
  const { id, type, dependsOn, working, health } = component;
  const progress = working?.progress ?? null;
  const state = healthWords(component);
  return (
    <a class={`node ${toneOf(component)}`} href={componentLink(id)} title={`${shortPath(id)} ${type}`}>
      <strong>{shortPath(id)}</strong>
      <span class="standing">
        {state}
        {health === "Working" && progress !== null && ` ${progress} %`}
      </span>
      {state.length <= longState && <span class="small">{type.split("@")[0]?.split("/").slice(-2).join("/")}</span>}
      {dependsOn.length > 0 && <span class="hidden">{words.needs(dependsOn.join(", "))}</span>}
    </a>
  );
}
