import { collection } from "../../records/collection.ts";
import type { Records, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { IdFacts } from "../declarations/place-violations.ts";
import { type ComponentRecord, components, resourceKey } from "../records/component-record.ts";

/** What was carried over to a newer shape, once for each store. */
const carriedOver = collection<{ readonly name: string }>()("carried-over", { key: ({ name }) => [name] });
const name = "resource-claims";
const atOnce = 500;

/**
 * The first build claimed ids as they were written. Gives what makes a store of it ready before the first claim: whoever holds a
 * resource under another spelling then holds it under its cloud's own too.
 */
export function createCarriedClaims(
  deps: Pick<Services, "records" | "runtime"> & { readonly clouds: ReadonlyMap<string, IdFacts> },
): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= carryOver(deps).catch((error: unknown) => {
      done = null;
      throw error;
    });
    return done;
  };
}

async function carryOver({
  records,
  runtime,
  clouds,
}: Pick<Services, "records" | "runtime"> & { readonly clouds: ReadonlyMap<string, IdFacts> }): Promise<void> {
  if ((await records.get(carriedOver, [name])) !== null) return;
  const cause = () => ({ actor: "system", requestId: runtime.newId() });
  for (let after: readonly string[] | undefined; ; ) {
    const listed = await records.list(components, { limit: atOnce, ...(after && { after }) });
    for (const { record } of listed) {
      const canonical = otherSpelling(record, clouds);
      if (canonical !== null) await claim({ records, runtime, cause: cause() }, record, canonical);
    }
    after = listed.at(-1)?.position;
    if (listed.length < atOnce) break;
  }
  await records.change(cause(), async (change) => {
    if ((await change.get(carriedOver, [name])) === null) change.put(carriedOver, { name });
  });
}

/** Two components of the first build may hold one resource under two spellings: the first that is found keeps the claim. */
async function claim(
  {
    records,
    runtime,
    cause,
  }: Pick<Services, "records" | "runtime"> & { readonly cause: Parameters<Records["change"]>[0] },
  found: Stored<ComponentRecord>,
  canonical: string,
): Promise<void> {
  const isClaimed = await records.change(cause, async (change) => {
    const record = await change.get(components, components.key(found));
    if (record === null || record.resource.id !== found.resource.id) return true;
    const holder = await change.find(components, "resource", resourceKey(record.provider, canonical));
    if (holder !== null) return false;
    change.put(components, { ...record, resource: { ...record.resource, canonical } });
    return true;
  });
  if (isClaimed) return;
  const { liveSystemId, path } = found;
  runtime.logger.warn(
    { liveSystemId, path },
    "Another component already manages this resource, with another spelling of its ID.",
  );
}

/** The cloud's own spelling of an id that is kept in another one; `null`: there is none. */
function otherSpelling(
  { provider, type, resource }: ComponentRecord,
  clouds: ReadonlyMap<string, IdFacts>,
): string | null {
  const { id, target } = resource;
  const cloud = clouds.get(provider);
  if (id === null || cloud === undefined) return null;
  for (const spelling of [id, asPath(id)]) {
    const parsed = cloud.parseResourceId(type, spelling, target);
    if ("refused" in parsed) continue;
    return parsed.id.toLowerCase() === id.toLowerCase() ? null : parsed.id;
  }
  return null;
}

/** An id as a URL took it: without `.`, `..`, doubled slashes, and whatever begins with `?` or `#`. */
function asPath(id: string): string {
  const { pathname } = new URL(`https://cloud.invalid/${id}`);
  const path = pathname.replaceAll(/\/+/g, "/").replace(/\/$/, "");
  return id.startsWith("/") ? path : path.slice(1);
}
