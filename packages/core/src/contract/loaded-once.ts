import { LiveplaneError } from "../errors.ts";

/**
 * Loads a part once, when it is first needed. A failed load is tried again on the next call.
 * @throws {Unavailable} if it can't be loaded.
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
