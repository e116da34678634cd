import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Commit, Store } from "../../src/ports/store.ts";

/** A store in memory. `isIt`: the commits before which something happens, once, when it is asked for by `before`. */
export function meanwhileStore(isIt: (commit: Commit) => boolean, now?: () => number) {
  const kept = memoryStore(now && { now });
  let next: (() => Promise<unknown>) | null = null;
  const store: Store = {
    ...kept,
    async commit(commit, options) {
      const act = isIt(commit) ? next : null;
      if (act !== null) next = null;
      await act?.();
      return kept.commit(commit, options);
    },
  };
  return {
    store,
    before(act: () => Promise<unknown>) {
      next = act;
    },
    /** Whether it still waits for such a commit. */
    waits: () => next !== null,
  };
}
