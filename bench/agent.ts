import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fastDeepEqual from "fast-deep-equal";
import type { Expected } from "../packages/core/src/override/protocol/drift.ts";
import { compare } from "../packages/core/src/override/protocol/drift.ts";
import { type DatedObservation, type Managed, transition } from "../packages/core/src/override/protocol/lifecycle.ts";
import { fleet, fleetStores } from "./fleet.ts";
import { type Bench, median, type Ratio } from "./harness.ts";

/** The rate for a million components, each checked every three minutes. */
const needPerSecond = 1_000_000 / 180;

/** The agent: its comparison, its transition, and how many checks without news a process can make. */
export const bench: Bench = {
  name: "agent",
  async run({ quick, compare: race }) {
    const ratios = [...(await race(driftRace(quick))), ...(await race(transitionRace(quick)))];
    const size = quick ? 2_000 : 100_000;
    ratios.push(...(await checks("memory", size, 3)));
    ratios.push(...(await checks("sqlite", size, 2)));
    ratios.push(...(await checks("postgres", size, 2)));
    ratios.push(...(await growth(quick ? [200, 2_000] : [1_000, 10_000, 100_000, 1_000_000])));
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
    scope: "own",
    settled: new Map(),
    extraItems: {},
    parameters: structuredClone(resource),
    secrets: [],
    type,
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set(),
    ignored: [],
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

/** The minimum for any comparison: every declared leaf, nothing else. */
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
  const observation: DatedObservation = {
    at: "",
    newId: "",
    reading: { state: "present", identity: "one" },
    managementTag: true,
    reconcileTag: false,
    differs: false,
    adoption: { state: "none" },
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
            if (
              table.get(`${component.status} ${observation.reading.state} ${at >= 0 ? "on" : "off"}`)?.next !== "Active"
            )
              throw new TypeError("never");
          }
        },
      },
    ],
  };
}

/** Rounds of checks without news, after an uncounted one. */
async function checks(kind: keyof typeof fleetStores, components: number, goal: number): Promise<Ratio[]> {
  const rounds = 5;
  const { rates, calls } = await measured(kind, components, rounds);
  const [rate, read] = [median(rates), calls / (rounds * components)];
  return [
    {
      bench: "agent",
      what: `no-op checks, ${kind}, ${named(components)}`,
      peer: "what a million components need",
      ratio: rate / needPerSecond,
      goal,
      unit: "checks/s",
      ours: rate,
      theirs: needPerSecond,
    },
    {
      bench: "agent",
      what: `cloud calls of these checks, ${kind}`,
      peer: "one for fifty checks",
      ratio: 0.02 / read,
      goal: 1,
      unit: "calls/check",
      ours: read,
      theirs: 0.02,
    },
  ];
}

/** How the cost of a check, and the memory of an in-memory store, grow with the fleet. */
async function growth(sizes: readonly number[]): Promise<Ratio[]> {
  const lines: Ratio[] = [];
  const [smallest = 0] = sizes;
  let first: { rate: number; bytes: number } | null = null;
  for (const components of sizes) {
    const { rates, bytes } = await measured("memory", components, components > 100_000 ? 1 : 3);
    const rate = median(rates);
    first ??= { rate, bytes };
    const line = { bench: "agent", peer: `of ${named(smallest)}`, goal: null };
    lines.push({
      ...line,
      what: `checks of ${named(components)}`,
      ratio: rate / first.rate,
      unit: "checks/s",
      ours: rate,
      theirs: first.rate,
    });
    lines.push({
      ...line,
      what: `memory for each of ${named(components)}`,
      ratio: first.bytes / bytes,
      unit: "bytes",
      ours: bytes,
      theirs: first.bytes,
    });
  }
  return lines;
}

/**
 * At least this many checks a round: a thousand could pass between two garbage collections, and would seem cheaper than in a large fleet.
 */
const leastLooks = 20_000;

/** The cost of a fleet's rounds: checks per second, total cloud calls, heap bytes per component. */
async function measured(kind: keyof typeof fleetStores, components: number, rounds: number) {
  const before = heapUsed();
  const opened = await fleetStores[kind]();
  try {
    const { sweep, calls } = await fleet(opened.store, components);
    await sweep();
    const bytes = (heapUsed() - before) / components;
    const callsBefore = calls();
    const sweeps = Math.ceil(leastLooks / components);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      for (let swept = 0; swept < sweeps; swept++) await sweep();
      rates.push((sweeps * components * 1000) / (performance.now() - start));
    }
    return { rates, calls: (calls() - callsBefore) / sweeps, bytes };
  } finally {
    await opened.close();
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function named(components: number): string {
  return `${components.toLocaleString("en")} components`;
}
