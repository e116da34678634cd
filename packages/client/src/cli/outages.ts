import { isLiveplaneError } from "@liveplane/core/errors";
import type { CliHost } from "./host.ts";

/** Tells the person once that the connection broke, however often it is retried. */
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

/** Shorter waits than these seconds aren't reported. */
const leastTold = 2;

/** Reports interrupted event streams and limits: the client reopens streams and repeats requests by itself, without a message. */
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
    const seconds = Number(response.headers.get("retry-after"));
    if (response.status === 429 && seconds >= leastTold)
      host.say(`The service allows no more of these requests now. Waiting ${seconds} s …`);
    return response;
  };
}

/** Polls until the answer isn't `null`. Waits while the service can't be reached. */
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
