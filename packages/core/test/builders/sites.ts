import type { Component, LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { environmentId, overrideWorld, type WorldOptions } from "./override.ts";

/** What is declared where nothing else is said. */
export const site = { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" };

interface Declared {
  readonly path: string;
  readonly [member: string]: unknown;
}

/** A declaration of sites without parameters, or of what is said of each. */
export function sites(...components: Declared[]): LiveSystemDefinition {
  const whole = components.map((one) => ({ ...site, parameters: {}, ...one }));
  return { name: "shop", environmentId, components: whole } as unknown as LiveSystemDefinition;
}

/** The component of a path. */
export function named(components: readonly Component[], path: string): Component {
  const found = components.find(({ id }) => id.endsWith(`/${path}`));
  if (found === undefined) throw new Error(`no component ${path}`);
  return found;
}

/** Notes what the clouds do, in order. */
export function recorded(options: WorldOptions = {}) {
  const calls: string[] = [];
  const onChange: NonNullable<NonNullable<WorldOptions["cloud"]>["onChange"]> = ({ by, operation, resourceId }) => {
    if (by === "caller")
      calls.push(
        `${operation} ${resourceId
          .split("/")
          .at(-1)
          ?.replace(/-[0-9a-f]{10}$/, "")}`,
      );
  };
  return { world: overrideWorld({ ...options, cloud: { onChange, ...options.cloud } }), calls };
}
