import { isLiveplaneError } from "@liveplane/client";

/** What is read; `null` if there is no such thing, or this person may not see it. */
export async function ifFound<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isLiveplaneError(error, "NotFound")) return null;
    throw error;
  }
}
