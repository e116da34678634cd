import type { Cloud } from "../../ports/cloud.ts";
import { type DeclaredComponent, pathKey } from "./definition.ts";

/** What is said of a component that has no override of its own, and names no other. */
export const untaggable = "Resources of this type can't have tags. Set overrideWith to a component that can.";

/** The same, with the component that it is most likely a part of. */
export function untaggableBeside(
  declared: DeclaredComponent,
  components: readonly DeclaredComponent[],
  clouds: ReadonlyMap<string, Pick<Cloud, "resourceType">>,
): string {
  const able = components.filter(
    (one) =>
      one !== declared &&
      one.provider === declared.provider &&
      one.overrideWith == null &&
      clouds.get(one.provider)?.resourceType(one.type).taggable === true,
  );
  const owner = likelyOwner(declared, able);
  return owner === null
    ? untaggable
    : `Resources of this type can't have tags. Set overrideWith to ${JSON.stringify(owner.path)}, which contains this one.`;
}

const places = ["resourceId", "resourceName", "path"] as const;

/** The nearest of these that a component is a part of: by its ID, else by its name, else by its path. */
function likelyOwner(declared: DeclaredComponent, able: readonly DeclaredComponent[]): DeclaredComponent | null {
  for (const place of places) {
    const own = pathKey(declared[place] ?? "");
    const around = able.filter((one) => own.startsWith(`${pathKey(one[place] ?? "/")}/`));
    const [nearest] = around.sort((a, b) => (b[place] ?? "").length - (a[place] ?? "").length);
    if (nearest !== undefined) return nearest;
  }
  return null;
}
