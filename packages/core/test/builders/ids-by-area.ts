import type { OperationId } from "../../src/contract/routes.ts";

/** The ids of operations that are written down by their area, a line for each, in order. */
export function idsByArea(text: string): OperationId[] {
  const lines = text.trim().split("\n");
  return lines
    .flatMap((line) => {
      const [area, ...names] = line.trim().split(/ +/);
      return names.map((name) => `${area}.${name}` as OperationId);
    })
    .sort();
}
