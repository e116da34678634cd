import { createHash } from "node:crypto";

/** Begins the key of the tag by which a resource is found whose identifier AWS chose. Its value is the resource's type. */
const prefix = "liveplane:intent:";

/** Whether a tag is only there to find its resource. */
export function isIntentTag(key: string): boolean {
  return key.startsWith(prefix);
}

/** The key of the tag of a creation. */
export function intentKey(intent: string): string {
  return `${prefix}${hexDigest(intent).slice(0, 32)}`;
}

/** A digest in hexadecimal digits. */
export function hexDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
