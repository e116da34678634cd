/** One metric value of a process: its name, its labels, its value. */
export interface Figure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface CloudFigures {
  readonly provider: string;
  readonly checks: number;
  readonly calls: number;
  readonly failed: number;
  readonly throttled: number;
  readonly heldSeconds: number;
  /** `null` if there was no call. */
  readonly meanSeconds: number | null;
  readonly drifting: number;
  readonly corrected: number;
}

/** Parses Prometheus metrics. Other lines are skipped. */
export function parseFigures(text: string): readonly Figure[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value = ""] = /^(liveplane_\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
}

function labelsOf(text: string): Figure["labels"] {
  const found = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, value.replace(/\\(.)/g, "$1")]));
}

/** The sum of a metric over all matching values. */
export function sumOf(figures: readonly Figure[], name: string, labels: Figure["labels"] = {}): number {
  return figures
    .filter((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** The metrics of each cloud that was called or has resources. */
export function figuresByCloud(figures: readonly Figure[]): readonly CloudFigures[] {
  const providers = new Set(figures.flatMap(({ labels: { provider } }) => (provider === undefined ? [] : [provider])));
  return [...providers].toSorted().map((provider) => {
    const sum = (name: string, labels = {}) => sumOf(figures, `liveplane_${name}`, { provider, ...labels });
    const calls = sum("cloud_calls_total");
    const timed = sum("cloud_call_seconds_count");
    return {
      provider,
      checks: sum("checks_total"),
      calls,
      failed: calls - sum("cloud_calls_total", { outcome: "ok" }),
      throttled: sum("cloud_throttled_seconds_count"),
      heldSeconds: sum("cloud_throttled_seconds_sum"),
      meanSeconds: timed === 0 ? null : sum("cloud_call_seconds_sum") / timed,
      drifting: sum("drifting_components"),
      corrected: sum("corrections_total", { outcome: "corrected" }),
    };
  });
}
