import { partOf, readDeclaration } from "../../src/override/declarations/declaration.ts";
import type { Definition } from "../../src/override/declarations/definition.ts";
import type { Json, Key, Store } from "../../src/ports/store.ts";

type Row = Record<string, Json>;

/** Puts what a store holds of live systems back into the shape that the first build stored it in. */
export async function asOfFirstBuild(
  store: Store,
  { withComponents = false }: { readonly withComponents?: boolean } = {},
): Promise<void> {
  const rows = async (name: string) => store.list({ prefix: ["record", name], limit: 10_000 });
  const texts = new Map<string, Definition>();
  for (const { value } of await rows("definition")) {
    const { digest, definition } = value as Row;
    texts.set(String(digest), definition as unknown as Definition);
  }
  const of = (digest: Json | undefined) => (texts.get(String(digest)) ?? null) as unknown as Json;
  const sets: { key: Key; value: Json }[] = [];
  const forceful = new Map<string, Definition>();
  for (const { key, value } of await rows("live-system")) {
    const { name: _n, description: _d, environmentId: _e, resourceGroupId: _r, inForce, ...rest } = value as Row;
    sets.push({ key, value: { ...rest, definition: of(inForce) } });
    const definition = texts.get(String(inForce));
    if (definition !== undefined) forceful.set(String(rest.id), definition);
  }
  for (const { key, value } of await rows("mutation")) {
    const { deploys, ...rest } = value as Row;
    sets.push({ key, value: { ...rest, definition: of(deploys) } });
  }
  if (withComponents)
    for (const { key, value } of await rows("component"))
      sets.push({ key, value: withDeclaration(value as Row, forceful) });
  const kinds = ["definition", "definition-use", "live-system-history"];
  const deletes = (await Promise.all(kinds.map(rows))).flat().map(({ key }) => key);
  await store.commit({ sets, deletes });
}

/** A component as it kept its declaration itself. */
function withDeclaration(stored: Row, inForce: ReadonlyMap<string, Definition>): Json {
  const { left: _left, carriedOut: _carriedOut, observed, ...rest } = stored;
  const { against: _against, ...seen } = observed as Row;
  const definition = inForce.get(String(rest.liveSystemId));
  const declared = readDeclaration(definition ?? { ...nothing, components: [] });
  const own = declared.find(({ declared: { path } }) => path === rest.path);
  if (own === undefined) throw new Error(`${String(rest.path)} isn't declared`);
  const { ignoreChanges: _ignoreChanges, ...part } = partOf(own);
  return { ...rest, ...part, observed: seen } as unknown as Json;
}

const nothing = { name: "", environmentId: { type: "Personal", ownerId: "", shortName: "" } } as const;
