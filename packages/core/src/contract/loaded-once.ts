import { LiveplaneError } from "../errors.ts";

/**
 * Loads a part when it is first asked for, and once. What couldn't be loaded is loaded again by the next who asks.
 * @throws {Unavailable} when it can't be loaded.
 */
export function loadedOnce<Part>(what: string, load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return async () => {
    try {
      loading ??= load();
      return await loading;
    } catch (cause) {
      loading = null;
      throw new LiveplaneError("Unavailable", `${what} could not be loaded.`, { cause });
    }
  };
}
