import { createHash } from "node:crypto";

/** The key of the label by which a resource is found whose name Google chose. */
export const intentLabel = "liveplane-intent";

/** The value of that label. */
export function intentDigest(intent: string): string {
  return createHash("sha256").update(intent).digest("hex").slice(0, 32);
}

/** Labels without the one that is only there to find their resource. */
export function withoutIntent({ [intentLabel]: _, ...labels }: Record<string, string>): Record<string, string> {
  return labels;
}
