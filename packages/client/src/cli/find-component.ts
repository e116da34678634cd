import type { Api, Component, EnvironmentId, LiveSystem } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { findOwner } from "../owners.ts";
import { UsageError } from "../usage-error.ts";

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
  if (only === undefined)
    throw new LiveplaneError("NotFound", `There is no live system ${word}, or you may not view it.`);
  if (others.length > 0)
    throw new UsageError(`Several live systems are named ${word}. Use an ID: ${found.map(({ id }) => id).join(", ")}.`);
  return only;
}

/** The ID of the live system for a word: its ID, or a unique name. */
export async function idOfLiveSystem(api: Api, word: string, signal: AbortSignal): Promise<string> {
  return uuid.test(word) ? word : (await findLiveSystem(api, word, signal)).id;
}

/** The environment that `Type/owner/name` names. What is wrong with it otherwise is the service's to say. */
export async function environmentNamed(
  api: Pick<Api, "accounts" | "organizations" | "environments">,
  word: string,
): Promise<EnvironmentId> {
  const [type, owner, shortName, ...rest] = word.split("/");
  if (type === undefined || owner === undefined || shortName === undefined || rest.length > 0)
    throw new UsageError("An environment is Type/owner/name, such as Personal/me/production.");
  return { type: type as EnvironmentId["type"], ownerId: await findOwner(api, owner, type), shortName };
}

/** Refuses an environment that doesn't exist. */
export async function requireEnvironmentNamed(
  api: Pick<Api, "environments">,
  id: EnvironmentId,
  word: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await api.environments.get(id, { signal });
  } catch (error) {
    if (!isLiveplaneError(error, "NotFound")) throw error;
    throw new LiveplaneError("NotFound", `There is no environment ${word}, or you may not view it.`, { cause: error });
  }
}

/** A component's path within its live system, from its ID. */
export function pathIn(componentId: string): string {
  return componentId.slice(componentId.indexOf("/") + 1);
}

/** The place of a component, by `<live system>/<path>`. */
export async function findPlace(api: Api, word: string, signal: AbortSignal): Promise<ComponentPlace> {
  const [system = "", ...path] = word.split("/");
  if (path.length === 0 || path.join("/") === "")
    throw new UsageError("A component is <live system>/<path>, such as shop/storage.");
  const id = await idOfLiveSystem(api, system, signal);
  return { id, componentId: [id, ...path].join("/") };
}

export async function findComponent(api: Api, word: string, signal: AbortSignal): Promise<Component> {
  const place = await findPlace(api, word, signal);
  return toldFor(word, api.liveSystems.components.get(place, { signal }));
}

/** What is asked of a component, with its name in the refusal of one that isn't found. */
export async function toldFor<T>(word: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isLiveplaneError(error, "NotFound")) throw error;
    throw new LiveplaneError("NotFound", `There is no component ${word}, or you may not view it.`, { cause: error });
  }
}
