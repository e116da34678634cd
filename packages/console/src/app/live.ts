import { type Api, isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether the page receives changes as they happen. */
export interface LiveState {
  readonly isLive: boolean;
  /** Since when. Without a live connection, the page shows the state of that time. `null`: the stream hasn't begun. */
  readonly since: Date | null;
}

/** The single event stream of a page. */
export interface Live {
  readonly state: ReadonlySignal<LiveState>;
  /** The number of the last event when the stream began; `null` if it hasn't. */
  readonly head: ReadonlySignal<number | null>;
  /** Reports each event; `null` means that some may have been missed. Returns a function that stops it. */
  listen(listener: (event: LiveplaneEvent | null) => void): () => void;
  /** Starts or restarts the stream. Resolves once it is open, or can't be opened for now. */
  follow(api: Api): Promise<void>;
  /** Watches a service's answer: the stream's answer shows the state of the connection. */
  watched(answer: Response): Response;
  /** Has pages read again what they show, if no stream reports changes. */
  reread(): void;
  /** Reports that the service can't be reached. */
  broke(): void;
  /** Stops the stream; it may be started again. */
  stop(): void;
}

/** The service sends something every 15 seconds. After this long a silence, it counts as unreachable. */
const silentMs = 40_000;
/** The pause after the stream was refused. */
const restMs = 10_000;

/** Creates the stream; `follow` starts it. */
export function createLive(): Live {
  const state = signal<LiveState>({ isLive: false, since: null });
  const head = signal<number | null>(null);
  const listeners = new Set<(event: LiveplaneEvent | null) => void>();
  let turn = new AbortController();
  /** What was read before the stream opened may be out of date. */
  let isBegun = false;
  let onSettled = () => {};
  /** A page may read another stream too: as long as one is open, changes are received. */
  let open = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => become(false), silentMs);
    if (!state.value.isLive) become(true);
  };
  const tell = (event: LiveplaneEvent | null) => {
    for (const listener of listeners) listener(event);
  };
  const become = (isLive: boolean) => {
    onSettled();
    if (turn.signal.aborted || (state.value.isLive === isLive && isBegun)) return;
    if (state.value.isLive !== isLive || state.value.since === null) state.value = { isLive, since: new Date() };
    if (!isLive) return;
    isBegun = true;
    tell(null);
  };

  async function run(api: Api, { signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of api.events.follow({ signal })) tell(event);
      } catch (error) {
        if (signal.aborted) return;
        become(false);
        // Other errors end with the session or are this page's fault; repeating doesn't help.
        if (!isLiveplaneError(error) || error.status === 401) return;
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    }
  }

  return {
    state,
    head,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow(api) {
      turn.abort();
      turn = new AbortController();
      void run(api, turn);
      return new Promise((resolve) => {
        onSettled = resolve;
      });
    },
    watched(answer) {
      const { body, ok, status, statusText, headers, url } = answer;
      const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isStream) open++;
      if (open > 0) become(true);
      else if (!ok && new URL(url).pathname.endsWith("/events")) become(false);
      if (!isStream || body === null) return answer;
      return new Response(
        told(body, {
          onBytes(bytes) {
            heard();
            const [, id] = head.value === null ? (/^id: ?(\d+)/m.exec(new TextDecoder().decode(bytes)) ?? []) : [];
            if (id !== undefined) head.value = Number(id);
          },
          onEnd() {
            open--;
            if (open > 0) return;
            clearTimeout(silence);
            become(false);
          },
        }),
        { status, statusText, headers },
      );
    },
    reread() {
      if (!state.value.isLive) tell(null);
    },
    broke: () => become(false),
    stop() {
      become(false);
      turn.abort();
    },
  };
}

interface StreamWatch {
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
}

/** The same stream, observed while it passes. */
function told(body: ReadableStream<Uint8Array>, { onBytes, onEnd }: StreamWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        end();
        throw error;
      });
      if (!done) {
        onBytes(value);
        return controller.enqueue(value);
      }
      // Whoever cancelled it has closed it.
      if (!isOver) controller.close();
      end();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}
