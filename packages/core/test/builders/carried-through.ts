import type { Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import type { World } from "./override.ts";

/** Carries a mutation to its end while the clock goes on, for clouds that take their time. The world must not follow mutations itself. */
export async function carriedThrough(world: World, asked: Mutation): Promise<Mutation> {
  let isOver = false;
  const running = world.override.mutations.advance(asked.livesystemId).finally(() => {
    isOver = true;
  });
  for (let steps = 0; !isOver && steps < 1000; steps++) await world.runtime.advance(5_000);
  await running;
  return (await world.mutation(asked)) as Mutation;
}
