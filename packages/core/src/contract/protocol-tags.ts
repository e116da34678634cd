/** The tags by which a person who takes over a resource says why, who has it and for how long. The agent only reads them. */
export const noteTags = { reason: "platform-reason", owner: "platform-owner", until: "platform-until" } as const;

/** The tags of the override protocol: they can't be declared, and comparisons ignore them. */
export const protocolTags: ReadonlySet<string> = new Set(["managed-by", "platform", ...Object.values(noteTags)]);

/** Whether a tag belongs to the protocol, as the cloud compares keys. */
export function isProtocolTag(key: string, { caselessTagKeys }: { readonly caselessTagKeys: boolean }): boolean {
  return protocolTags.has(caselessTagKeys ? key.toLowerCase() : key);
}
