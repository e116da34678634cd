import { namespaceKinds, type OfferedType } from "./double-shapes.ts";

/** The resource providers of all subscriptions: what they offer, and whether they are registered. */
export function doubleProviders(now: () => number) {
  const registrations = new Map<string, { state: string; until: number }>();

  return (
    path: string,
    method: string,
    { unregistered, offered }: { readonly unregistered: Set<string>; readonly offered: readonly OfferedType[] },
  ) => {
    const [, subscription = "", asked = ""] = /^\/subscriptions\/([^/]+)\/providers\/([^/]+)/i.exec(path) ?? [];
    const types = [...namespaceKinds(asked), ...offered.filter(({ type }) => isIn(asked, type))];
    const namespace = types[0]?.type.split("/")[0] ?? asked;
    if (types.length === 0) return null;
    const known = registrations.get(namespace);
    if (known !== undefined && known.until <= now()) {
      registrations.delete(namespace);
      unregistered.delete(namespace);
    }
    if (method === "POST" && unregistered.has(namespace))
      registrations.set(namespace, { state: "Registering", until: now() + 30_000 });
    const isNot = unregistered.has(namespace);
    const registrationState = isNot ? (registrations.get(namespace)?.state ?? "NotRegistered") : "Registered";
    const resourceTypes = types.map(({ type, versions, taggable }) => ({
      resourceType: type.slice(type.indexOf("/") + 1),
      locations: ["West Europe", "East US"],
      apiVersions: versions,
      capabilities: taggable ? "CrossResourceGroupResourceMove, SupportsTags, SupportsLocation" : "None",
    }));
    const id = `/subscriptions/${subscription}/providers/${namespace}`;
    return { status: 200, headers: {}, body: { id, namespace, registrationState, resourceTypes } };
  };
}

function isIn(namespace: string, type: string): boolean {
  return type.split("/", 1)[0]?.toLowerCase() === namespace.toLowerCase();
}
