/** A node of a graph, with the nodes that it needs. */
export interface LayeredNode {
  readonly id: string;
  readonly needs: readonly string[];
}

/** The position of a node: columns from left to right, rows from top to bottom. */
export interface GraphSpot {
  readonly column: number;
  readonly row: number;
}

export interface PlacedGraph {
  readonly columns: readonly (readonly string[])[];
  readonly edges: readonly { readonly from: GraphSpot; readonly to: GraphSpot }[];
}

/** The most nodes in a column; a larger layer takes several columns. */
const tallest = 14;

/** Places each node after everything it needs. Missing needs are skipped; a cycle is cut where it closes. */
export function placedInLayers(nodes: readonly LayeredNode[]): PlacedGraph {
  const spots = new Map<string, GraphSpot>();
  const columns: string[][] = [];
  for (const layer of layersOf(nodes)) {
    const ids = nearTheirNeeds(layer, spots).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += tallest) {
      const column = ids.slice(at, at + tallest);
      for (const [row, id] of column.entries()) spots.set(id, { column: columns.length, row });
      columns.push(column);
    }
  }
  const edges = nodes.flatMap(({ id, needs }) => {
    const to = spots.get(id);
    const starts = needs.map((need) => spots.get(need)).filter((spot) => spot !== undefined);
    return to === undefined ? [] : starts.map((from) => ({ from, to }));
  });
  return { columns, edges };
}

function layersOf(nodes: readonly LayeredNode[]): LayeredNode[][] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const found = depths.get(id);
    if (found !== undefined) return found;
    depths.set(id, 0);
    const before = (known.get(id)?.needs ?? []).filter((need) => known.has(need) && need !== id);
    const depth = before.reduce((most, need) => Math.max(most, depthOf(need) + 1), 0);
    depths.set(id, depth);
    return depth;
  };
  const layers: LayeredNode[][] = [];
  for (const node of nodes) {
    const depth = depthOf(node.id);
    for (let at = layers.length; at <= depth; at++) layers.push([]);
    layers[depth]?.push(node);
  }
  return layers.filter((layer) => layer.length > 0);
}

/** Sorted by what they need, so that few lines cross. */
function nearTheirNeeds(layer: readonly LayeredNode[], spots: ReadonlyMap<string, GraphSpot>): LayeredNode[] {
  const middle = ({ needs }: LayeredNode) => {
    const rows = needs.map((need) => spots.get(need)?.row).filter((row) => row !== undefined);
    return rows.length === 0 ? tallest : rows.reduce((sum, row) => sum + row, 0) / rows.length;
  };
  return layer.toSorted((one, other) => middle(one) - middle(other) || one.id.localeCompare(other.id));
}
