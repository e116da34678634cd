import type { Definition } from "../../src/override/protocol/definition.ts";
import type { Json, Key, Store } from "../../src/ports/store.ts";

type Row = Record<string, Json>;

/** Puts what a store holds of live systems back into the shape that the first build stored it in. */
export async function asOfFirstBuild(store: Store): Promise<void> {
  const rows = async (name: string) => store.list({ prefix: ["record", name], limit: 10_000 });
  const texts = new Map<string, Definition>();
  for (const { value } of await rows("definition")) {
    const { digest, definition } = value as Row;
    texts.set(String(digest), definition as unknown as Definition);
  }
  const of = (digest: Json | undefined) => (texts.get(String(digest)) ?? null) as unknown as Json;
  const sets: { key: Key; value: Json }[] = [];
  for (const { key, value } of await rows("live-system")) {
    const { name: _n, description: _d, environmentId: _e, resourceGroupId: _r, inForce, ...rest } = value as Row;
    sets.push({ key, value: { ...rest, definition: of(inForce) } });
  }
  for (const { key, value } of await rows("mutation")) {
    const { deploys, ...rest } = value as Row;
    sets.push({ key, value: { ...rest, definition: of(deploys) } });
  }
  const kinds = ["definition", "definition-use", "live-system-history"];
  const deletes = (await Promise.all(kinds.map(rows))).flat().map(({ key }) => key);
  await store.commit({ sets, deletes });
}
