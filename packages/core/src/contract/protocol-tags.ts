/** The tags that carry the override protocol: nobody declares them, and they are no part of any comparison. */
export const protocolTags: ReadonlySet<string> = new Set(["managed-by", "platform"]);

/** Whether a tag is one of the protocol's, as a cloud compares keys. */
export function isProtocolTag(key: string, { caselessTagKeys }: { readonly caselessTagKeys: boolean }): boolean {
  return protocolTags.has(caselessTagKeys ? key.toLowerCase() : key);
}
