import { isLiveplaneError } from "../errors.ts";
import type { Logger } from "../ports/runtime.ts";
import type { Sealed, SealedStock, Unopened } from "../ports/secrets.ts";
import type { Key } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Collection } from "../records/records.ts";
import type { Services } from "../services.ts";

/** Reseals a value under the current key-encryption key, or returns it if it already is. */
export type Rewrap = (sealed: Sealed, place: readonly string[]) => Promise<Sealed>;

/** A kind of record with sealed values. */
export interface SealedRecords<T extends object> {
  readonly collection: Collection<T, string, string>;
  /** The record with each sealed value rewrapped for its place. */
  rewrapped(record: T, rewrap: Rewrap): Promise<T>;
}

const cause = { actor: "system", requestId: "key-rotation" };

/** Rewraps the sealed values of one kind of record. Each record is changed against its version, so no write is undone. */
export function sealedStock<T extends object>(
  { records, sealer }: Pick<Services, "records" | "sealer">,
  kind: SealedRecords<T>,
): SealedStock {
  /** The record with every openable value rewrapped; `null` if nothing changes. */
  async function rewrapped(record: T): Promise<{ readonly moved: T | null; readonly unopened: readonly Unopened[] }> {
    let moved = 0;
    const unopened: Unopened[] = [];
    const result = await kind.rewrapped(record, async (sealed, place) => {
      const again = await unlessUnopened(sealed, { place, unopened }, () => sealer.rewrap(sealed, place));
      if (again !== null) moved += 1;
      return again ?? sealed;
    });
    return { moved: moved > 0 ? result : null, unopened };
  }

  async function rewrapOne(record: T): Promise<{ readonly isMoved: boolean; readonly unopened: readonly Unopened[] }> {
    const { moved, unopened } = await rewrapped(record);
    if (moved === null) return { isMoved: false, unopened };
    const isMoved = await records.change(cause, async (change) => {
      const known = await change.get(kind.collection, kind.collection.key(record));
      const fresh = known && (await rewrapped(known)).moved;
      if (fresh) change.put(kind.collection, fresh);
      return fresh !== null;
    });
    return { isMoved, unopened };
  }

  return {
    name: kind.collection.name,
    async rewrap(from, limit) {
      const listed = await records.list(kind.collection, { limit, ...(from && { after: from }) });
      const unopened: Unopened[] = [];
      let rewrapped = 0;
      for (const { record } of listed) {
        const done = await rewrapOne(record);
        if (done.isMoved) rewrapped += 1;
        unopened.push(...done.unopened);
      }
      const after = listed.length < limit ? null : (listed.at(-1)?.position ?? null);
      return { rewrapped, failed: unopened.length, unopened, after };
    },
  };
}

/** Uses a sealed value; `null` if it can't be opened. Such a value is logged and delays nothing else. */
export async function unlessUnopened<R>(
  { keyId }: Sealed,
  { place, unopened }: { readonly place: readonly string[]; readonly unopened: Unopened[] },
  work: () => Promise<R>,
): Promise<R | null> {
  try {
    return await work();
  } catch (error) {
    // A lost race or an unavailable store is retried.
    if (!isLiveplaneError(error, "InternalError")) throw error;
    unopened.push({ keyId, place });
    return null;
  }
}

/** The progress of the rotation to a key. One record per installation, so that any process can continue. */
interface RotationRecord {
  readonly name: "rotation";
  readonly keyId: string;
  /** The keys in the ring when the pass began. @default unknown */
  readonly keyIds?: readonly string[];
  /** The stock in progress; `null` when all are done. */
  readonly stock: string | null;
  readonly after: Key | null;
  /** In this pass. */
  readonly rewrapped: number;
  readonly failed: number;
  /** In epoch milliseconds. */
  readonly finishedAt: number | null;
}

const rotations = collection<RotationRecord>()("key-rotation", { key: ({ name }) => [name] });

/** Reseals everything under the current key-encryption key, in the background. */
export interface Rotation {
  /** Continues for a while, or returns at once if there is nothing to do. */
  housekeep(): Promise<void>;
  /** Whether a whole pass found everything under the current key: older ones can be dropped. */
  isComplete(): Promise<boolean>;
}

/** A pass that found nothing is repeated after this time, because another process may have sealed with its cached older key. */
const againMs = 86_400_000;

/** Creates the rotation over everything with sealed values. */
export function createRotation(
  deps: Pick<Services, "records" | "runtime" | "sealer"> & {
    readonly stocks: readonly SealedStock[];
    readonly onComplete?: (keyId: string) => Promise<void>;
    readonly batch?: number;
    readonly batches?: number;
  },
): Rotation {
  const { records, runtime, sealer, stocks, onComplete, batch = 100, batches = 20 } = deps;
  const read = () => records.get(rotations, ["rotation"]);
  const write = (record: RotationRecord) => records.change(cause, (change) => void change.put(rotations, record));
  let isFirstLook = true;

  const begun = (keyId: string, keyIds: readonly string[] | undefined): RotationRecord => ({
    name: "rotation",
    keyId,
    ...(keyIds && { keyIds }),
    stock: stocks[0]?.name ?? null,
    after: null,
    rewrapped: 0,
    failed: 0,
    finishedAt: null,
  });

  const isOver = ({ finishedAt }: RotationRecord) => finishedAt !== null && runtime.clock.now() - finishedAt < againMs;

  /** A pass that left values behind may succeed after a restart, or with other keys. */
  const isDoubtful = (record: RotationRecord, keyIds: readonly string[] | undefined) =>
    (isFirstLook && record.finishedAt !== null && record.failed > 0) || !sameKeys(record.keyIds, keyIds);

  async function step(record: RotationRecord): Promise<RotationRecord> {
    const at = stocks.findIndex(({ name }) => name === record.stock);
    const done = await stocks[at]?.rewrap(record.after, batch);
    name(stocks[at]?.name ?? "", done?.unopened ?? []);
    const counted = {
      ...record,
      rewrapped: record.rewrapped + (done?.rewrapped ?? 0),
      failed: record.failed + (done?.failed ?? 0),
    };
    if (done?.after) return { ...counted, after: done.after };
    const next = stocks[at + 1];
    return next === undefined ? ended(counted) : { ...counted, stock: next.name, after: null };
  }

  function name(stock: string, unopened: readonly Unopened[]): void {
    for (const { keyId, place } of unopened)
      runtime.logger.error(
        { stock, keyId, place: place.join("/") },
        "A sealed value could not be opened and was left unchanged.",
      );
    if (unopened.length > 0) runtime.metrics.count("liveplane_unopened_total", { stock }, unopened.length);
  }

  /** Only a pass that rewrapped nothing is the last: during one, others may have sealed with the old key. */
  async function ended(record: RotationRecord): Promise<RotationRecord> {
    const { keyId, keyIds, rewrapped, failed } = record;
    // A ring of one key has none to remove.
    if (failed > 0 || rewrapped > 0 || keyIds?.length !== 1) tell(runtime.logger, { keyId, rewrapped, failed });
    runtime.metrics.gauge("liveplane_unopened_values", failed);
    if (rewrapped > 0) return begun(keyId, keyIds);
    if (failed === 0) await onComplete?.(keyId);
    return { ...record, stock: null, after: null, finishedAt: runtime.clock.now() };
  }

  return {
    async housekeep() {
      const keyId = await sealer.currentKeyId();
      const keyIds = await sealer.keyIds?.();
      const found = await read();
      const known = found === null || found.keyId !== keyId || isDoubtful(found, keyIds) ? null : found;
      isFirstLook = false;
      if (known !== null && isOver(known)) return;
      let record: RotationRecord = known?.finishedAt === null ? known : begun(keyId, keyIds);
      for (let round = 0; round < batches && record.finishedAt === null; round++) {
        record = await step(record);
        await write(record);
        await runtime.yield();
      }
    },
    async isComplete() {
      const known = await read();
      return known?.keyId === (await sealer.currentKeyId()) && known.finishedAt !== null && known.failed === 0;
    },
  };
}

/** Whether two rings hold the same keys, as far as is known. */
function sameKeys(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return [...(one ?? [])].sort().join() === [...(other ?? [])].sort().join();
}

function tell(
  logger: Logger,
  pass: { readonly keyId: string; readonly rewrapped: number; readonly failed: number },
): void {
  if (pass.failed > 0) logger.warn(pass, "Some sealed values could not be opened and stay under their old key.");
  else if (pass.rewrapped > 0) logger.info(pass, "Sealed values were re-encrypted with the current key.");
  else logger.info(pass, "Everything is sealed with the current key. Older keys can be removed.");
}
