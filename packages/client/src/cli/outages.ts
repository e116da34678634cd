import { isLiveplaneError } from "@liveplane/core/errors";
import type { CliHost } from "./host.ts";

/** Tells the person that the way to the service broke: once, however often it is tried again. */
interface Outages {
  began(): void;
  ended(): void;
}

function createOutages({ say }: Pick<CliHost, "say">): Outages {
  let isTold = false;
  return {
    began() {
      if (!isTold) say("The connection to the service was lost. Reconnecting …");
      isTold = true;
    },
    ended() {
      isTold = false;
    },
  };
}

/** Reports streams of events that break: the client opens them again by itself, from behind the last event, and says nothing. */
export function tellingFetch(host: Pick<CliHost, "say">): typeof fetch {
  const outages = createOutages(host);
  let streams = 0;
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const isStream = pathname.endsWith("/events");
    if (isStream) streams += 1;
    if (isStream && streams > 1) outages.began();
    const response = await fetch(input, init);
    if (isStream && response.ok) outages.ended();
    return response;
  };
}

/** Looks again and again until a look answers something but `null`. What can't be reached is waited for. */
export async function lookUntil<T>(
  host: Pick<CliHost, "say" | "sleep" | "signal">,
  { look, everyMs }: { readonly look: () => Promise<T | null>; readonly everyMs: number },
): Promise<T> {
  const outages = createOutages(host);
  for (;;) {
    try {
      const found = await look();
      outages.ended();
      if (found !== null) return found;
    } catch (error) {
      if (!isLiveplaneError(error, "Unavailable")) throw error;
      outages.began();
    }
    await host.sleep(everyMs, host.signal);
  }
}
