import type { Api } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import type { Arguments } from "./arguments.ts";
import type { CommandCall } from "./command.ts";

/** Puts names in place of the IDs in texts, as far as the caller may see them; all IDs of one call are looked up together. */
export type InNames = (texts: readonly (string | null)[]) => Promise<readonly (string | null)[]>;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The service looks up this many at once. */
const mostAtOnce = 100;

/** What a command shows IDs by. With `--ids` they stay as they are, and so do those without a name. */
export function namesFor({
  api,
  host,
  given,
}: Pick<CommandCall, "api" | "host"> & { readonly given: Pick<Arguments, "isSet"> }): InNames {
  const known = new Map<string, string>();
  return async (texts) => {
    if (given.isSet("ids")) return texts;
    const ids = new Set(texts.flatMap((text) => text?.match(uuid) ?? []));
    await learn(api, known, { ids: [...ids].filter((id) => !known.has(id)), signal: host.signal });
    return texts.map((text) => text?.replace(uuid, (id) => known.get(id) ?? id) ?? null);
  };
}

interface Unknown {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

async function learn({ names }: Pick<Api, "names">, known: Map<string, string>, { ids, signal }: Unknown) {
  for (let at = 0; at < ids.length; at += mostAtOnce) {
    const asked = ids.slice(at, at + mostAtOnce);
    for (const id of asked) known.set(id, id);
    try {
      // A service account goes by the name of its owner, who may have several.
      for (const { id, kind, name } of (await names.find({ id: asked, signal })).items)
        known.set(id, kind === "ServiceAccount" ? `${name} (service account ${id.slice(0, 8)})` : name);
    } catch (error) {
      // A service that doesn't resolve names shows what it showed before.
      if (!isLiveplaneError(error)) throw error;
    }
  }
}

/**
 * Addresses such as `Type/owner/name` with the owner's name, in the form that commands take: organizations by name, the caller as `me`.
 */
export function inAddressesOf({
  api,
  host,
  inNames,
}: Pick<CommandCall, "api" | "host"> & { readonly inNames: InNames }) {
  return async (addresses: readonly string[]): Promise<readonly string[]> => {
    const named = await inNames(addresses);
    const own = addresses.some(isPersonal) ? await ownId(api, host.signal) : null;
    return addresses.map((address, at) => {
      const [type, owner, ...rest] = address.split("/");
      if (isPersonal(address)) return owner === own ? [type, "me", ...rest].join("/") : address;
      const spoken = named[at] ?? address;
      // A name with a slash would read as another address.
      return spoken.split("/").length === rest.length + 2 ? spoken : address;
    });
  };
}

const isPersonal = (address: string) => address.startsWith("Personal/");

async function ownId({ accounts }: Pick<Api, "accounts">, signal: AbortSignal): Promise<string | null> {
  try {
    return (await accounts.me({ signal })).id;
  } catch (error) {
    // Service accounts have no account of their own.
    if (!isLiveplaneError(error)) throw error;
    return null;
  }
}
