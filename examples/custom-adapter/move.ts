// Moves a control plane from one store to another, whatever the two are.
// The source may be in use meanwhile, if it has snapshots; the target must be empty.
// Sealed values stay sealed: the target needs the same key ring.
import { exportStore, importStore, type Store } from "@liveplane/core/store";

/** Copies everything from one store into another, empty one, while the first is in use. Answers how many entries there were. */
export function move(source: Store, target: Store): Promise<number> {
  return importStore(target, exportStore(source), { onProgress: (entries) => console.log(`${entries} entries`) });
}
