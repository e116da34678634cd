import type { Deed } from "./plan.ts";
import { type SimulatedWorld, startProcess } from "./world.ts";

/** Ends a process without warning, and starts it again later. */
export async function crash(world: SimulatedWorld, { process: slot, afterCalls, downMs }: Deed & { kind: "crash" }) {
  const process = world.processes[slot];
  if (process == null) return;
  process.life.endAfter(afterCalls);
  await world.time.sleep(downMs);
  process.life.end();
  await world.time.sleep(downMs);
  if (world.processes[slot] === process) await startProcess(world, slot);
}

/** Stops a process cleanly, and starts it again. */
export async function restart(world: SimulatedWorld, slot: number): Promise<void> {
  const process = world.processes[slot];
  if (process == null || process.life.isOver()) return;
  const { override, life } = process;
  await override.stop();
  if (life.isOver() || world.processes[slot] !== process) return;
  life.end();
  await startProcess(world, slot);
}

/** Ends a process at this very moment, and starts it again later. */
export function crashAt(world: SimulatedWorld, slot: number): void {
  crash(world, { kind: "crash", process: slot, afterCalls: 0, downMs: 12_000 }).catch((error: unknown) =>
    world.watch.fail("failures-have-codes", String(error)),
  );
}
