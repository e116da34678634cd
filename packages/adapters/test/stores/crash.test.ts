import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordRun } from "../../../../quality/record-run.ts";
import { emptyFolder } from "../empty-folder.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { halves, type Kind, openStore, recordsOver } from "./crash-stores.ts";

const kinds: readonly Kind[] = ["sqlite", "node-sqlite", "postgres", "pglite", "keyv"];
const runs = Math.ceil(Number(process.env.LIVEPLANE_CRASH_RUNS ?? 12) / kinds.length);
const seed = Number(process.env.LIVEPLANE_CRASH_SEED ?? 20_261_121);
/** How long each process was left alone after its first answer, and what it had acknowledged, by store. */
const tried = new Map<Kind, { readonly pauses: number[]; acknowledged: number }>();
const program = join(import.meta.dirname, "crash-process.ts");
const folder = emptyFolder(afterAll);
let postgres: SharedPostgres;
const addresses = {} as Record<Kind, string>;

beforeAll(async () => {
  postgres = await sharedPostgres();
  addresses.sqlite = join(folder, "crash.db");
  addresses["node-sqlite"] = join(folder, "node-crash.db");
  addresses.pglite = join(folder, "pglite");
  addresses.keyv = join(folder, "keyv");
  addresses.postgres = await postgres.freshSchema();
});
afterAll(async () => {
  const outcomes = kinds.map((kind) => [kind, tried.get(kind)] as const);
  if (outcomes.every(([, outcome]) => outcome?.pauses.length === runs))
    recordRun("kills", {
      kills: runs * kinds.length,
      seed,
      digest: createHash("sha256")
        .update(JSON.stringify(outcomes.map(([kind, of]) => [kind, of?.pauses])))
        .digest("hex"),
      acknowledged: Object.fromEntries(outcomes.map(([kind, of]) => [kind, of?.acknowledged])),
    });
});

/** Up to 150 ms, the same for the same seed; where in a commit that falls the machine decides. */
function pauseOf(kind: Kind, run: number): number {
  return (createHash("sha256").update(`${seed} ${kind} ${run}`).digest().readUInt16BE() / 65_536) * 150;
}

/** Lets a process commit for a while of its seed after its first answer, kills it, and gives what it had acknowledged. */
async function killed(kind: Kind, run: number): Promise<string[]> {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", program, kind, addresses[kind], `${run}`]);
  const pause = pauseOf(kind, run);
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    if (output === "") setTimeout(() => child.kill("SIGKILL"), pause);
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  await once(child, "close");
  expect(child.signalCode, errors).toBe("SIGKILL");
  // The last line may have been cut by the kill.
  return output.split("\n").slice(0, -1);
}

/** Everything that has to hold after a crash. Answers the subjects of all events. */
async function verify(kind: Kind): Promise<Set<string>> {
  const store = await openStore(kind, addresses[kind]);
  try {
    const { records, log } = recordsOver(store);
    await log.sequence();
    const head = await log.head();
    expect(await log.verify()).toEqual({ verified: head, broken: null, waiting: 0 });
    const subjects: string[] = [];
    for (let after = 0; after < head; ) {
      for (const { sequence, subject } of await log.read(after, 1000)) {
        expect(sequence).toBe(++after);
        subjects.push(subject);
      }
    }
    expect(new Set(subjects).size).toBe(subjects.length);

    const kept = (await records.list(halves, { limit: 1e6 })).map(({ record }) => record);
    const state = new Map(kept.map(({ id, side, state }) => [`${id} ${side}`, state]));
    const latest = new Map(subjects.map((subject) => subject.split(" ") as [string, string]));
    for (const [id, last] of latest)
      for (const side of ["left", "right"])
        expect(state.get(`${id} ${side}`), `${id} ${side}`).toBe(last === "gone" ? undefined : last);
    expect(state.size).toBe([...latest.values()].filter((last) => last !== "gone").length * 2);
    for (const table of ["index", "unique"])
      expect(await store.list({ prefix: [table, "half"], limit: 1e6 })).toHaveLength(kept.length);
    for (const state of ["new", "changed"]) {
      const listed = await records.list(halves, { index: "byState", prefix: [state], limit: 1e6 });
      expect(listed).toHaveLength(kept.filter((half) => half.state === state).length);
    }
    return new Set(subjects);
  } finally {
    await store.close();
  }
}

test.for(kinds)(
  "%s loses nothing that was acknowledged, and keeps no commit by half, when its process is killed",
  { timeout: 30_000 + runs * 10_000 },
  async (kind) => {
    const acknowledged: string[] = [];
    const pauses = Array.from({ length: runs }, (_, run) => pauseOf(kind, run));
    for (let run = 0; run < runs; run++) {
      acknowledged.push(...(await killed(kind, run)));
      const found = await verify(kind);
      expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(runs);
    tried.set(kind, { pauses, acknowledged: acknowledged.length });
  },
);
