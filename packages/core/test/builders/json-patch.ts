import { childOf, isObject, stepsOf } from "../../src/json-pointer.ts";
import type { PatchOperation } from "../../src/override/protocol/keep-patch.ts";
import type { Json } from "../../src/ports/store.ts";

/** Applies a patch of the operations that `keepPatch` writes; `null` when a test doesn't hold. */
export function applyPatch(document: Json, patch: readonly PatchOperation[]): Json | null {
  let result: Json = document;
  for (const operation of patch) {
    const steps = stepsOf(operation.path);
    if (operation.op === "test") {
      const found = steps.reduce<Json | undefined>((value, step) => childOf(value, step), result);
      if (JSON.stringify(found) !== JSON.stringify(operation.value)) return null;
    } else result = edited(result, steps, operation.value);
  }
  return result;
}

function edited(value: Json | undefined, [step, ...rest]: readonly string[], replacement: Json): Json {
  if (step === undefined) return replacement;
  const child = edited(childOf(value, step), rest, replacement);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === step ? child : item));
  return { ...(isObject(value) ? value : {}), [step]: child };
}
