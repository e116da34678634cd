import type { Api, Component, LiveSystem } from "@liveplane/core/contract";
import { UsageError } from "./host.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A component's place, in the form that calls take. */
export interface ComponentPlace {
  readonly id: string;
  readonly componentId: string;
}

/** The live system for a word: its ID, or a unique name. */
export async function findLiveSystem(api: Api, word: string, signal: AbortSignal): Promise<LiveSystem> {
  if (uuid.test(word)) return api.liveSystems.get({ id: word }, { signal });
  const found: LiveSystem[] = [];
  for await (const system of api.liveSystems.list.all({ signal })) if (system.name === word) found.push(system);
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(`No live system is named ${word}.`);
  if (others.length > 0)
    throw new UsageError(`Several live systems are named ${word}. Use an ID: ${found.map(({ id }) => id).join(", ")}.`);
  return only;
}

/** The place of a component, from `<live system>/<path>`. */
export async function findPlace(api: Api, word: string, signal: AbortSignal): Promise<ComponentPlace> {
  const [system = "", ...path] = word.split("/");
  if (path.length === 0 || path.join("/") === "")
    throw new UsageError("A component is <live system>/<path>, such as shop/storage.");
  const { id } = uuid.test(system) ? { id: system } : await findLiveSystem(api, system, signal);
  return { id, componentId: [id, ...path].join("/") };
}

export async function findComponent(api: Api, word: string, signal: AbortSignal): Promise<Component> {
  return api.liveSystems.components.get(await findPlace(api, word, signal), { signal });
}
