import { type Api, isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether what is shown is told of changes as they happen. */
export interface LiveState {
  readonly isLive: boolean;
  /** Since when: what is shown is as of then where it isn't live. `null`: the stream hasn't begun yet. */
  readonly since: Date | null;
}

/** The one stream of events of a page. */
export interface Live {
  readonly state: ReadonlySignal<LiveState>;
  /** The number of the last event when the stream began; `null`: it hasn't yet. */
  readonly head: ReadonlySignal<number | null>;
  /** Tells of each event; `null`: some may have been missed, look again. Gives back how to stop. */
  listen(listener: (event: LiveplaneEvent | null) => void): () => void;
  /** Begins to flow, or to flow again. Resolves once it does, or can't for now. */
  follow(api: Api): Promise<void>;
  /** Looks at an answer of the service: that of the stream says how that is. */
  watched(answer: Response): Response;
  /** The service can't be reached. */
  broke(): void;
  /** Ends the flow; it may begin again. */
  stop(): void;
}

/** The service sends something every 15 seconds. After this long without, it can't be reached. */
const silentMs = 40_000;
/** How long it rests after the stream was refused. */
const restMs = 10_000;

/** Builds the stream; it begins to flow with `follow`. */
export function createLive(): Live {
  const state = signal<LiveState>({ isLive: false, since: null });
  const head = signal<number | null>(null);
  const listeners = new Set<(event: LiveplaneEvent | null) => void>();
  let turn = new AbortController();
  /** What was read before it first opened may be from before what it tells. */
  let isBegun = false;
  let onSettled = () => {};
  /** A page may read a stream of its own beside this one: as long as any is open, the service tells of what happens. */
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
        // Others end with the session, or with what went wrong in this page: neither gets better by asking again.
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
    broke: () => become(false),
    stop() {
      become(false);
      turn.abort();
    },
  };
}

interface StreamWatch {
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Told once, however it ends. */
  readonly onEnd: () => void;
}

/** The same stream, looked at while it passes. */
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
