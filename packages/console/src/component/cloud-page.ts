import type { ConsoleComponent } from "./keep-changes.ts";

/** The page of a resource in its cloud's own console, where the vendor documents such an address; otherwise `null`. */
export function cloudPage({ provider, type, resourceId }: CloudResource): string | null {
  if (resourceId === null) return null;
  const segments = resourceId.split("/").map(encodeURIComponent);
  if (provider === "provider-a") return `https://portal.azure.com/#@/resource${segments.join("/")}`;
  if (provider === "provider-b" && type.startsWith("storage.") && type.endsWith(".bucket"))
    return `https://console.cloud.google.com/storage/browser/${segments.at(-1)}/`;
  return null;
}

export type CloudResource = Pick<ConsoleComponent, "provider" | "type" | "resourceId">;
