import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { knownKinds, type NamedKind } from "./google-kinds.ts";

/** Kinds by the name that Cloud Asset Inventory has for them: `compute.googleapis.com/Disk`. */
const byAssetType: ReadonlyMap<string, NamedKind> = new Map(
  knownKinds.map((kind) => [
    `${kind.service}.googleapis.com/${kind.name.slice(kind.service.length + 1)}`.toLowerCase(),
    kind,
  ]),
);

/** The kind of an asset type, or of the bindings in its policies; `null`: an unknown one. */
export function kindOfAsset(assetType: unknown, of: "resource" | "binding" = "resource"): NamedKind | null {
  const own = `${String(assetType)}${of === "binding" ? "IamBinding" : ""}`.toLowerCase();
  return byAssetType.get(own) ?? byAssetType.get(own.replace(/\/(global|region|zone)/, "/")) ?? null;
}

/** The path in a full resource name. Some services use the project's number, and a few resources have other names than in their IDs. */
export function pathOfAsset(
  name: string,
  { scope, kind, email }: { readonly scope: string; readonly kind: NamedKind | null; readonly email: unknown },
): string {
  const path = name.replace(/^\/\/[^/]+\//, "").replace(/^projects\/\d+(?=\/|$)/, `projects/${scope}`);
  const own = kind?.service === "container" ? path.replace(/\/zones\//, "/locations/") : path;
  if (kind?.name === "storage.bucket") return `projects/${scope}/buckets/${own}`;
  if (kind?.name === "iam.serviceAccount" && typeof email === "string")
    return `projects/${scope}/serviceAccounts/${email}`;
  return own;
}

/** What continues a list; `null` on its last page. */
export function nextToken({ nextPageToken }: JsonObject): string | null {
  return typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : null;
}

/** The objects in a list of an answer, which may be left out. */
export function objectsIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(isObject);
}
