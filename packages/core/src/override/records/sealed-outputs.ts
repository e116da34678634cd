import { fromUtf8, utf8 } from "../../encoding.ts";
import type { JsonObject } from "../../json-pointer.ts";
import type { SealedRecords } from "../../keys/rotation.ts";
import type { Sealed, Sealer } from "../../ports/secrets.ts";
import { type ComponentRecord, components, idOf, operationPlace } from "./component-record.ts";

const outputsPlace = (source: Pick<ComponentRecord, "liveSystemId" | "path">) => ["component-outputs", idOf(source)];

/** The hidden outputs of a component. */
export async function openOutputs(sealed: Sealed, source: ComponentRecord, sealer: Sealer): Promise<JsonObject> {
  return JSON.parse(fromUtf8(await sealer.open(sealed, outputsPlace(source)))) as JsonObject;
}

/** Seals hidden outputs, for components that refer to them. */
export function sealOutputs(outputs: JsonObject, source: ComponentRecord, sealer: Sealer): Promise<Sealed> {
  return sealer.seal(utf8(JSON.stringify(outputs)), outputsPlace(source));
}

/** A component's sealed values, bound to another path: its hidden outputs, and the address of its running operation. */
export async function movedSecrets(
  record: ComponentRecord,
  path: string,
  sealer: Sealer,
): Promise<Pick<ComponentRecord, "observed" | "operation">> {
  const { observed, operation } = record;
  const now = { ...record, path };
  const hidden = observed.hidden && {
    ...observed.hidden,
    sealed: await sealOutputs(await openOutputs(observed.hidden.sealed, record, sealer), now, sealer),
  };
  if (operation === null) return { observed: { ...observed, hidden }, operation };
  const address = await sealer.open(operation.sealed, operationPlace(record));
  const sealed = await sealer.seal(address, operationPlace(now));
  return { observed: { ...observed, hidden }, operation: { ...operation, sealed } };
}

/** The sealed values of components. */
export const sealedOutputs: SealedRecords<ComponentRecord> = {
  collection: components,
  async rewrapped(record, rewrap) {
    const { observed, operation } = record;
    if (observed.hidden === null && operation === null) return record;
    const hidden = observed.hidden && {
      ...observed.hidden,
      sealed: await rewrap(observed.hidden.sealed, outputsPlace(record)),
    };
    const followed = operation && { ...operation, sealed: await rewrap(operation.sealed, operationPlace(record)) };
    return { ...record, observed: { ...observed, hidden }, ...(followed && { operation: followed }) };
  },
};
