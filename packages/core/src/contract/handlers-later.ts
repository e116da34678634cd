import type { Answer } from "./handler.ts";
import { loadedOnce } from "./loaded-once.ts";
import { routes } from "./routes.ts";

type SomeHandler = (call: never) => Promise<Answer<unknown>>;

/** The operations that load together: those with one of some names, and all under it, but none with one of others. */
export interface LaterAreas {
  readonly under: readonly string[];
  readonly but?: readonly string[];
}

/**
 * The handlers of areas, loaded by the first call to one of them: a host that is never asked for them never has them.
 * Once they are there, a call goes straight to them.
 */
export function handlersLater<Later extends Readonly<Record<string, SomeHandler>>>(
  { under, but = [] }: LaterAreas,
  load: () => Promise<Later>,
): Later {
  let here: Readonly<Record<keyof Later, SomeHandler>> | null = null;
  const loaded = loadedOnce("A part of the service", async () => {
    here = await load();
    return here;
  });
  const isUnder = (areas: readonly string[], id: string) => areas.some((area) => `${id}.`.startsWith(`${area}.`));
  const ids: (keyof Later)[] = Object.keys(routes).filter((id) => isUnder(under, id) && !isUnder(but, id));
  const later = (id: keyof Later) => (call: never) =>
    here === null ? loaded().then((handlers) => handlers[id](call)) : here[id](call);
  return Object.fromEntries(ids.map((id) => [id, later(id)])) as Readonly<Record<string, SomeHandler>> as Later;
}
