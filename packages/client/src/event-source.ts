import { isLiveplaneError } from "@liveplane/core/errors";
import { createParser } from "eventsource-parser";
import { backoffMs, passTime } from "./pauses.ts";

/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** `null`: it has no id of its own. */
  readonly id: string | null;
  /** `null`: it says where the stream is, and nothing else. */
  readonly data: string | null;
}

/** Opens a stream from behind an event. */
export type OpenStream = (lastEventId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

/** How a stream is followed. */
export interface FollowOptions {
  readonly open: OpenStream;
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A stream that is silent for so long is opened again: the server says something more often. @default 45000 */
  readonly silenceMs?: number;
}

const longestPauseMs = 30_000;

/** Follows a stream for ever: opens it again when it breaks, from behind the last event that was seen, so that none is missed. */
export async function* followStream(options: FollowOptions): AsyncGenerator<unknown> {
  const { open, after, signal, silenceMs = 45_000 } = options;
  let last = after;
  for (let failures = 0; !signal?.aborted; failures++) {
    let isOpen = false;
    try {
      const stream = await open(last);
      isOpen = true;
      for await (const { id, data } of messages(stream, silenceMs, signal)) {
        if (data !== null) yield JSON.parse(data);
        last = id ?? last;
        failures = 0;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // What isn't of the service or the network, such as a host that has no token, wouldn't get better.
      if (isLiveplaneError(error) ? !error.retryable : !isOpen) throw error;
    }
    await passTime(backoffMs(failures, longestPauseMs), signal);
  }
}

/** Takes a stream apart into messages. Comments and fields that nobody asked for are passed over. @internal */
export async function* messages(
  stream: ReadableStream<Uint8Array>,
  silenceMs: number,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const reader = stream.getReader();
  // Not left to the request's own signal: one that combines others may be collected while its stream is still read.
  const end = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  const decoder = new TextDecoder();
  let read: StreamMessage[] = [];
  const parser = createParser({
    onId: (id) => read.push({ id, data: null }),
    onEvent({ id = null, data }) {
      // It was told by its id a moment ago.
      if (id !== null) read.pop();
      read.push({ id, data });
    },
  });
  try {
    for (;;) {
      const chunk = await unlessSilent(reader, silenceMs);
      if (chunk === undefined) return;
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* read;
      read = [];
    }
  } finally {
    signal?.removeEventListener("abort", end);
    await reader.cancel().catch(() => {});
  }
}

/** What comes next; `undefined` at the end, or where nothing comes for too long. */
async function unlessSilent(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silenceMs: number,
): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), silenceMs);
  });
  try {
    return await Promise.race([reader.read().then(({ value }) => value), silence]);
  } finally {
    clearTimeout(timer);
  }
}
