import type { LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { definition, deployed, overridden } from "./handed-over.ts";

/** A kind of each simulated cloud that takes any parameters. */
export const bothClouds = [
  { provider: "provider-a", type: "Microsoft.Compute/virtualMachines@2024-03-01" },
  { provider: "provider-b", type: "storage.v1.bucket" },
] as const;

type Part = Parameters<typeof definition>[0][number];

/** What tests are told in, of that kind where nothing else is said. */
export function toldIn(kind: (typeof bothClouds)[number]) {
  return {
    declared: (...parts: Part[]): LiveSystemDefinition => definition(parts.map((one) => ({ ...kind, ...one }))),
    deployed: (component: Record<string, unknown> = {}, options: Parameters<typeof deployed>[1] = {}) =>
      deployed({ ...kind, ...component }, options),
    overridden: (component: Record<string, unknown> = {}, options: Parameters<typeof deployed>[1] = {}) =>
      overridden({ ...kind, ...component }, options),
  };
}
