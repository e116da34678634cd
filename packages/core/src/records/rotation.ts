import { isLiveplaneError } from "../errors.ts";
import type { Logger, Runtime } from "../ports/runtime.ts";
import type { Sealed, SealedStock, Sealer } from "../ports/secrets.ts";
import type { Key } from "../ports/store.ts";
import { collection } from "./collection.ts";
import type { Collection, Records } from "./records.ts";

/** Gives a sealed value under the current key-encryption key: the same one where it is that already. */
export type Rewrap = (sealed: Sealed, place: readonly string[]) => Promise<Sealed>;

/** A kind of record that keeps sealed values. */
export interface SealedRecords<T extends object> {
  readonly collection: Collection<T, string, string>;
  /** The record with each of its sealed values re-wrapped for its place. */
  rewrapped(record: T, rewrap: Rewrap): Promise<T>;
}

/** What re-wrapping records needs. */
export interface SealedRecordsDeps {
  readonly records: Records;
  readonly sealer: Pick<Sealer, "rewrap">;
}

const cause = { actor: "system", requestId: "key-rotation" };

/** Goes through the sealed values of one kind of record. Each is changed against its version, so that no write is undone. */
export function sealedStock<T extends object>(
  { records, sealer }: SealedRecordsDeps,
  kind: SealedRecords<T>,
): SealedStock {
  async function rewrapped(record: T): Promise<T | null> {
    let moved = 0;
    const result = await kind.rewrapped(record, async (sealed, place) => {
      const again = await sealer.rewrap(sealed, place);
      if (again !== null) moved += 1;
      return again ?? sealed;
    });
    return moved > 0 ? result : null;
  }

  async function rewrapOne(record: T): Promise<boolean> {
    if ((await rewrapped(record)) === null) return false;
    return records.change(cause, async (change) => {
      const known = await change.get(kind.collection, kind.collection.key(record));
      const fresh = known && (await rewrapped(known));
      if (fresh) change.put(kind.collection, fresh);
      return fresh !== null;
    });
  }

  return {
    name: kind.collection.name,
    async rewrap(after, limit) {
      const listed = await records.list(kind.collection, { limit, ...(after && { after }) });
      const done = { rewrapped: 0, failed: 0 };
      for (const { record } of listed) {
        try {
          if (await rewrapOne(record)) done.rewrapped += 1;
        } catch (error) {
          // A lost race or a store that is away comes round again; what doesn't open must not hold up the rest.
          if (!isLiveplaneError(error, "InternalError")) throw error;
          done.failed += 1;
        }
      }
      return { ...done, after: listed.length < limit ? null : (listed.at(-1)?.position ?? null) };
    },
  };
}

/** How far the rotation to a key is. One record for the installation, so that whoever goes on knows where. */
interface RotationRecord {
  readonly name: "rotation";
  readonly keyId: string;
  /** The stock under way; `null`: all are through. */
  readonly stock: string | null;
  readonly after: Key | null;
  /** In this pass. */
  readonly rewrapped: number;
  readonly failed: number;
  /** Milliseconds of the epoch. */
  readonly finishedAt: number | null;
}

const rotations = collection<RotationRecord>()("key-rotation", { key: ({ name }) => [name] });

/** What rotation needs. */
export interface RotationDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly sealer: Pick<Sealer, "currentKeyId">;
  readonly stocks: readonly SealedStock[];
  /** How many sealed records are looked at between two notes of how far it is. @default 100 */
  readonly batch?: number;
  /** How many batches one round takes. @default 20 */
  readonly batches?: number;
}

/** Brings everything that is sealed under the current key-encryption key, in the background. */
export interface Rotation {
  /** Goes on for a while, or returns at once when there is nothing to do. */
  housekeep(): Promise<void>;
  /** Whether a whole pass found nothing under another key than the current one: older ones can be given up. */
  isComplete(): Promise<boolean>;
}

/** A pass that found nothing is repeated after it: another process may have sealed with what it still held for the current key. */
const againMs = 86_400_000;

/** Creates the rotation over everything that keeps sealed values. */
export function createRotation(deps: RotationDeps): Rotation {
  const { records, runtime, sealer, stocks, batch = 100, batches = 20 } = deps;
  const read = () => records.get(rotations, ["rotation"]);
  const write = (record: RotationRecord) => records.change(cause, (change) => void change.put(rotations, record));

  const begun = (keyId: string): RotationRecord => ({
    name: "rotation",
    keyId,
    stock: stocks[0]?.name ?? null,
    after: null,
    rewrapped: 0,
    failed: 0,
    finishedAt: null,
  });

  const isOver = ({ finishedAt }: RotationRecord) => finishedAt !== null && runtime.clock.now() - finishedAt < againMs;

  async function step(record: RotationRecord): Promise<RotationRecord> {
    const at = stocks.findIndex(({ name }) => name === record.stock);
    const done = await stocks[at]?.rewrap(record.after, batch);
    const counted = {
      ...record,
      rewrapped: record.rewrapped + (done?.rewrapped ?? 0),
      failed: record.failed + (done?.failed ?? 0),
    };
    if (done?.after) return { ...counted, after: done.after };
    const next = stocks[at + 1];
    return next === undefined ? ended(counted) : { ...counted, stock: next.name, after: null };
  }

  /** Only a pass that moved nothing is the last: while one ran, others may have sealed behind it with the old key. */
  function ended(record: RotationRecord): RotationRecord {
    const { keyId, rewrapped, failed } = record;
    tell(runtime.logger, { keyId, rewrapped, failed });
    return rewrapped > 0 ? begun(keyId) : { ...record, stock: null, after: null, finishedAt: runtime.clock.now() };
  }

  return {
    async housekeep() {
      const keyId = await sealer.currentKeyId();
      const known = await read();
      if (known?.keyId === keyId && isOver(known)) return;
      let record: RotationRecord = known?.keyId === keyId && known.finishedAt === null ? known : begun(keyId);
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

function tell(
  logger: Logger,
  pass: { readonly keyId: string; readonly rewrapped: number; readonly failed: number },
): void {
  if (pass.failed > 0) logger.warn(pass, "Some sealed values don't open, and stay under their older key.");
  else if (pass.rewrapped > 0) logger.info(pass, "Sealed values were brought under the current key.");
  else logger.info(pass, "Everything is sealed under the current key: older ones can be dropped.");
}
