import { type Cloud, type CloudCall, isObject, type TypeDescription } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { nearIt, nearNames } from "../cloud-http/near-names.ts";
import { azureResourceType, kindOf, knownNamespaces } from "./azure-kinds.ts";
import { providersVersion } from "./azure-providers.ts";
import type { AzureRequests } from "./azure-requests.ts";

/** A type as a resource provider reports it. */
interface Offered {
  /** Without the namespace: `virtualNetworks/subnets`. */
  readonly name: string;
  readonly versions: readonly string[];
  readonly taggable: boolean;
}

/**
 * Describes types: those in the tables by the tables, others by their resource provider in this subscription, with one request each. A type
 * outside the tables must name its version, so that no process needs to remember the answer.
 */
export function azureTypes({ send }: Pick<AzureRequests, "send">): NonNullable<Cloud["describeTypes"]> {
  /** The types of a namespace; `null` if Azure has no such namespace. */
  async function offered(subscriptionId: string, namespace: string, call: CloudCall): Promise<Offered[] | null> {
    const path = `/subscriptions/${subscriptionId}/providers/${namespace}`;
    try {
      const { body } = await send({ method: "GET", path, version: providersVersion }, call);
      return Array.isArray(body.resourceTypes) ? body.resourceTypes.flatMap(offeredIn) : [];
    } catch (error) {
      if (isLiveplaneError(error) && isUnknownNamespace(error.details.reason)) return null;
      throw error;
    }
  }

  return async (types, { scope }, call) => {
    const lacking = types.filter((type) => kindOf(type) === null);
    const namespaces = new Map<string, readonly Offered[] | null>();
    for (const type of lacking) {
      const namespace = namespaceOf(type);
      const key = namespace.toLowerCase();
      if (!namespaces.has(key)) namespaces.set(key, await offered(scope, namespace, call));
    }
    return types.map((type) =>
      kindOf(type) === null
        ? described(type, namespaces.get(namespaceOf(type).toLowerCase()) ?? null)
        : { taggable: azureResourceType(type).taggable },
    );
  };
}

function described(type: string, offered: readonly Offered[] | null): TypeDescription {
  const [bare = "", version] = type.split("@");
  const namespace = namespaceOf(type);
  if (offered === null)
    return { refused: `Azure has no resource provider ${namespace}.${near(namespace, knownNamespaces)}` };
  const own = offered.find(({ name }) => `${namespace}/${name}`.toLowerCase() === bare.toLowerCase());
  const whole = offered.map(({ name }) => `${namespace}/${name}`);
  if (own === undefined) return { refused: `${namespace} has no such type.${near(bare, whole)}` };
  const newest = newestOf(own.versions);
  if (version === undefined)
    return { refused: `This type isn't in the tables. Add its API version, such as ${bare}@${newest[0]}.` };
  if (!own.versions.includes(version))
    return { refused: `The type doesn't have this API version.${nearIt(newest.map((one) => `@${one}`))}` };
  return { taggable: own.taggable };
}

/** Nearly all begin with `Microsoft.`, which distinguishes nothing. */
function near(name: string, known: readonly string[]): string {
  return nearIt(nearNames(name, known, (one) => one.toLowerCase().replace(/^microsoft\./, "")));
}

/** The newest version that isn't a preview, otherwise the newest of all. */
function newestOf(versions: readonly string[]): string[] {
  const settled = versions.filter((one) => !/-[a-z]+$/i.test(one));
  return [...(settled.length > 0 ? settled : versions)].sort().reverse().slice(0, 3);
}

function offeredIn(value: unknown): Offered[] {
  if (!isObject(value) || typeof value.resourceType !== "string") return [];
  const { resourceType: name, apiVersions, capabilities } = value;
  const versions = Array.isArray(apiVersions) ? apiVersions.filter((one) => typeof one === "string") : [];
  const words = typeof capabilities === "string" ? capabilities.split(/,\s*/) : [];
  // A type without versions is only for Azure's internal use.
  return versions.length === 0 ? [] : [{ name, versions, taggable: words.includes("SupportsTags") }];
}

function namespaceOf(type: string): string {
  return type.split(/[/@]/, 1)[0] ?? "";
}

function isUnknownNamespace(reason: unknown): boolean {
  return ["invalidresourcenamespace", "resourceprovidernotfound"].includes(String(reason).toLowerCase());
}
