// Moves a control plane from one store to any other. The source may be in use if it has snapshots; the target must be empty. Sealed values
// stay sealed, so the target needs the same key ring.
import { exportStore, importStore, type Store } from "@liveplane/core/store";

/** Copies everything from one store to another, empty one, while the first is in use. Returns the number of entries. */
export function move(source: Store, target: Store): Promise<number> {
  return importStore(target, exportStore(source), { onProgress: (entries) => console.log(`${entries} entries`) });
}
