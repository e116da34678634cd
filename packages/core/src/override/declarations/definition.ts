import { type EnvironmentRef, groupPath } from "../../contract/target.ts";
import type { JsonObject } from "../../json-pointer.ts";

/** The definition of a live system, validated by the contract. */
export interface Definition {
  readonly name: string;
  readonly description?: string | null;
  readonly environmentId: EnvironmentRef;
  readonly resourceGroupId?: DeclaredGroupId | null;
  /** Components that name a resource adopt it unchanged: only the management tag is written. */
  readonly adopt?: "exact" | null;
  readonly components: readonly DeclaredComponent[];
}

/** A resource group's ID, as the specification spells it. */
export interface DeclaredGroupId {
  readonly resourceGroupType: "Personal" | "Organizational";
  readonly ownerId: string;
  readonly shortName: string;
}

/** A component as a definition declares it. */
export interface DeclaredComponent {
  readonly path: string;
  /** Its previous path: it keeps its resource and its records. */
  readonly movedFrom?: string | null;
  readonly provider: string;
  readonly type: string;
  readonly resourceId?: string | null;
  readonly resourceName?: string | null;
  readonly parameters: JsonObject;
  readonly dependsOn?: readonly string[] | null;
  readonly overrideWith?: string | null;
  readonly muteDrift?: readonly string[] | null;
  readonly ignoreChanges?: readonly string[] | null;
  readonly allowExtraItems?: readonly string[] | null;
  readonly unconditionalWrites?: boolean | null;
  readonly deletionPolicy?: "Delete" | "Retain" | null;
}

/** A group's name as one string, as environments list it. */
export function declaredGroupPath({ resourceGroupType, ownerId, shortName }: DeclaredGroupId): string {
  return groupPath({ type: resourceGroupType, ownerId, shortName });
}

/** The form in which names of environments and groups are compared: uuids and short names without case. */
export function plainName(name: string): string {
  return name.toLowerCase();
}

/** The form in which paths are compared: without case. */
export function pathKey(path: string): string {
  return path.toLowerCase();
}

/** A component's ID: its live system's ID, then its path. */
export function componentId(liveSystemId: string, path: string): string {
  return `${liveSystemId}/${path}`;
}
