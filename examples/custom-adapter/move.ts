import { exportStore, importStore, type Store } from "@liveplane/core/store";

/** Copies everything from one store into another, empty one, while the first is in use. Answers how many entries there were. */
export function move(source: Store, target: Store): Promise<number> {
  return importStore(target, exportStore(source), { onProgress: (entries) => console.log(`${entries} entries`) });
}
