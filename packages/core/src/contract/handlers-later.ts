import { LiveplaneError } from "../errors.ts";
import type { Answer } from "./handler.ts";
import { routes } from "./routes.ts";

type SomeHandler = (call: never) => Promise<Answer<unknown>>;

/**
 * The handlers of areas, loaded by the first call to one of them: a host that is never asked for them never has them.
 * What couldn't be loaded is loaded again by the next call.
 */
export function handlersLater<Later extends Readonly<Record<string, SomeHandler>>>(
  areas: readonly string[],
  load: () => Promise<Later>,
): Later {
  let loading: Promise<Later> | null = null;
  const loaded = async () => {
    try {
      loading ??= load();
      return await loading;
    } catch (cause) {
      loading = null;
      throw new LiveplaneError("Unavailable", "A part of the service could not be loaded.", { cause });
    }
  };
  const ids: (keyof Later)[] = Object.keys(routes).filter((id) => areas.some((area) => id.startsWith(`${area}.`)));
  const later = (id: keyof Later) => async (call: never) => {
    const handlers: Readonly<Record<keyof Later, SomeHandler>> = await loaded();
    return handlers[id](call);
  };
  return Object.fromEntries(ids.map((id) => [id, later(id)])) as Readonly<Record<string, SomeHandler>> as Later;
}
