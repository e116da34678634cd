/** Begins the key of the tag by which a resource is found whose identifier AWS chose. Its value is the resource's type. */
const prefix = "liveplane:intent:";

/** Whether a tag is only there to find its resource. */
export function isIntentTag(key: string): boolean {
  return key.startsWith(prefix);
}

/** The key of the tag of a creation. */
export async function intentKey(intent: string): Promise<string> {
  return `${prefix}${(await hexDigest(intent)).slice(0, 32)}`;
}

/** A digest in hexadecimal digits. */
export async function hexDigest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("hex");
}
