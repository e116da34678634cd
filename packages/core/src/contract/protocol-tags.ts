/** The tags in which somebody who takes a resource over says why, who has it and for how long. The agent reads them, and no more. */
export const noteTags = { reason: "platform-reason", owner: "platform-owner", until: "platform-until" } as const;

/** The tags that carry the override protocol: nobody declares them, and they are no part of any comparison. */
export const protocolTags: ReadonlySet<string> = new Set(["managed-by", "platform", ...Object.values(noteTags)]);

/** Whether a tag is one of the protocol's, as a cloud compares keys. */
export function isProtocolTag(key: string, { caselessTagKeys }: { readonly caselessTagKeys: boolean }): boolean {
  return protocolTags.has(caselessTagKeys ? key.toLowerCase() : key);
}
