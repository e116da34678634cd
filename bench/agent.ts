import { performance } from "node:perf_hooks";
import fastDeepEqual from "fast-deep-equal";
import type { Expected } from "../packages/core/src/override/drift.ts";
import { compare } from "../packages/core/src/override/drift.ts";
import { type Managed, type Observation, transition } from "../packages/core/src/override/lifecycle.ts";
import { type Fleet, fleet, fleetStores } from "./fleet.ts";
import type { Bench, Ratio } from "./harness.ts";

/** What a million components need, each looked at every three minutes. */
const needPerSecond = 1_000_000 / 180;

/** The agent: its comparison, its transition, and how many looks at nothing new a process bears. */
export const bench: Bench = {
  name: "agent",
  async run({ quick, compare: race }) {
    const ratios = [...(await race(driftRace(quick))), ...(await race(transitionRace(quick)))];
    const size = quick ? 2_000 : 100_000;
    for (const [store, open] of Object.entries(fleetStores)) {
      const opened = await open();
      if (opened === null) continue;
      try {
        const components = store === "memory" ? size : size / 10;
        ratios.push(
          ...(await checks(await fleet(opened.store, components), {
            store,
            components,
            goal: store === "memory" ? 3 : 2,
          })),
        );
      } finally {
        await opened.close();
      }
    }
    if (!quick) ratios.push(...(await growth()));
    return ratios;
  },
};

const resource = {
  location: "westeurope",
  sku: { name: "Standard_D4s_v5", tier: "Standard", capacity: 3 },
  network: {
    subnets: ["10.0.0.0/24", "10.0.1.0/24"],
    rules: [
      { port: 80, allow: true },
      { port: 443, allow: true },
    ],
    dns: { servers: ["a", "b"] },
  },
  settings: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`setting${at}`, `value ${at}`])),
};

function driftRace(quick: boolean) {
  const type = {
    taggable: true,
    sets: ["/network/subnets"],
    caseless: ["/location"],
    immutable: [],
    writeOnly: [],
    sensitiveOutputs: [],
  };
  const expected: Expected = {
    parameters: structuredClone(resource),
    secrets: [],
    type,
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set(),
  };
  const actual = { parameters: structuredClone(resource), tags: { "managed-by": "platform" } };
  const count = quick ? 1_000 : 100_000;
  const repeat = (work: () => unknown) => () => {
    for (let at = 0; at < count; at++) if (work() === null) throw new TypeError("never");
  };
  return {
    what: "drift of an unchanged component",
    ours: { name: "compare", count, work: repeat(() => compare(expected, actual)) },
    peers: [
      {
        name: "a plain recursive comparison",
        goal: 0.5,
        count,
        work: repeat(() => plainEqual(expected.parameters, actual.parameters)),
      },
      {
        name: "fast-deep-equal",
        goal: 1.3,
        count,
        work: repeat(() => fastDeepEqual(expected.parameters, actual.parameters)),
      },
    ],
  };
}

/** The least that any comparison does: every declared leaf, nothing else. */
function plainEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!plainEqual(a[at], b[at])) return false;
    return true;
  }
  for (const name in a) {
    if (!plainEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name])) return false;
  }
  return true;
}

function transitionRace(quick: boolean) {
  const component: Managed = { status: "Active", identity: "one", lost: false, request: null, override: null };
  const observation: Observation = {
    at: "",
    newId: "",
    seen: "present",
    identity: "one",
    managementTag: true,
    reconcileTag: false,
    drift: false,
    fingerprint: "",
  };
  const policy = { restoredTag: "resume-when-clean", redeploy: false } as const;
  const table = new Map([["Active present on", { next: "Active" }]]);
  const count = quick ? 1_000 : 1_000_000;
  return {
    what: "lifecycle transition",
    ours: {
      name: "transition",
      count,
      work: () => {
        for (let at = 0; at < count; at++)
          if (transition(component, observation, policy).effect !== null) throw new TypeError("never");
      },
    },
    peers: [
      {
        name: "a table lookup",
        goal: 0.1,
        count,
        work: () => {
          for (let at = 0; at < count; at++) {
            if (table.get(`${component.status} ${observation.seen} ${at >= 0 ? "on" : "off"}`)?.next !== "Active")
              throw new TypeError("never");
          }
        },
      },
    ],
  };
}

interface ChecksOptions {
  readonly store: string;
  readonly components: number;
  readonly goal: number | null;
}

async function checks({ sweep, calls }: Fleet, { store, components, goal }: ChecksOptions): Promise<Ratio[]> {
  await sweep();
  const before = calls();
  const rates: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    await sweep();
    rates.push((components * 1000) / (performance.now() - start));
  }
  const rate = rates.sort((a, b) => a - b)[2] ?? Number.NaN;
  const read = (calls() - before) / (5 * components);
  const line = (
    what: string,
    peer: string,
    rest: Pick<Ratio, "ratio" | "goal" | "unit" | "ours" | "theirs">,
  ): Ratio => ({ bench: "agent", what, peer, ...rest });
  return [
    line(`no-op checks, ${store}, ${components.toLocaleString("en")} components`, "a million components", {
      ratio: rate / needPerSecond,
      goal,
      unit: "checks/s",
      ours: rate,
      theirs: needPerSecond,
    }),
    line(`cloud calls for ${store}'s checks`, "one each (at most 0.02 of them)", {
      ratio: 0.02 / read,
      goal: 1,
      unit: "calls/check",
      ours: read,
      theirs: 0.02,
    }),
  ];
}

/** How a look and its memory grow with the fleet. A million are taken on request: they need some gigabytes. */
async function growth(): Promise<Ratio[]> {
  const sizes = [1_000, 10_000, 100_000, ...(process.env.LIVEPLANE_BENCH_MILLION === "1" ? [1_000_000] : [])];
  const lines: Ratio[] = [];
  let first: { rate: number; bytes: number } | null = null;
  for (const components of sizes) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const opened = await fleetStores.memory();
    if (opened === null) return lines;
    const { sweep } = await fleet(opened.store, components);
    await sweep();
    const start = performance.now();
    await sweep();
    const rate = (components * 1000) / (performance.now() - start);
    globalThis.gc?.();
    const bytes = (process.memoryUsage().heapUsed - before) / components;
    first ??= { rate, bytes };
    const what = `${components.toLocaleString("en")} components`;
    lines.push({
      bench: "agent",
      what: `checks of ${what}`,
      peer: "of 1,000",
      ratio: rate / first.rate,
      goal: null,
      unit: "checks/s",
      ours: rate,
      theirs: first.rate,
    });
    lines.push({
      bench: "agent",
      what: `memory for each of ${what}`,
      peer: "of 1,000",
      ratio: first.bytes / bytes,
      goal: null,
      unit: "bytes",
      ours: bytes,
      theirs: first.bytes,
    });
  }
  return lines;
}
