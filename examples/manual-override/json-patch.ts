interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** Applies a plan's `keepPatch` (RFC 6902) to a copy of the declaration. A failed test means that the declaration has changed. */
export function patched<T>(document: T, patch: readonly Operation[]): T {
  const copy = structuredClone(document);
  for (const { op, path, value } of patch) {
    const steps = path.split("/").slice(1).map(unescaped);
    const last = steps.pop() ?? "";
    const parent = steps.reduce<unknown>(memberOf, copy);
    if (op === "replace") Object.assign(parent as object, { [last]: value });
    else if (op !== "test" || memberOf(parent, last) !== value)
      throw new RangeError(`The patch doesn't fit at ${path}.`);
  }
  return copy;
}

function memberOf(parent: unknown, name: string): unknown {
  return Object(parent)[name];
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
