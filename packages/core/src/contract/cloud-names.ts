/** What people call the clouds in which environments are initialized. */
export const cloudNames: Readonly<Record<string, string>> = { "provider-a": "Azure", "provider-b": "Google Cloud" };

/** A cloud by the name that people know, beside the one that the API takes. A host's own cloud has only that one. */
export function cloudName(provider: string): string {
  return Object.hasOwn(cloudNames, provider) ? `${cloudNames[provider]} (${provider})` : provider;
}
