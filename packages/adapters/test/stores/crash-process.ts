// A process that commits until it is killed, and says each commit that was acknowledged: `node … <kind> <address> <run>`.
import { writeSync } from "node:fs";
import { type Half, halves, type Kind, openStore, recordsOver } from "./crash-stores.ts";

const [, , kind, address = "", run = ""] = process.argv;
const { records } = recordsOver(await openStore(kind as Kind, address));
const cause = { actor: "crash", requestId: run };

/** Makes two records, changes both, and removes them from every third pair again: each step is one commit with one event. */
async function work(worker: number): Promise<never> {
  for (let round = 0; ; round++) {
    const id = `${run}.${worker}.${round}`;
    const pair = (state: string): Half[] => [
      { id, side: "left", state },
      { id, side: "right", state },
    ];
    for (const state of round % 3 === 0 ? ["new", "changed", "gone"] : ["new", "changed"]) {
      await records.change(cause, async (change) => {
        for (const half of pair(state)) {
          await change.get(halves, [half.id, half.side]);
          if (state === "gone") change.delete(halves, [half.id, half.side]);
          else change.put(halves, half);
        }
        change.emit({
          type: "environment.updated",
          subject: `${id} ${state}`,
          about: { kind: "installation" },
          data: { changed: [] },
        });
      });
      writeSync(1, `${id} ${state}\n`);
    }
  }
}

await Promise.all([1, 2, 3, 4].map(work));
