import { isLiveplaneError } from "@liveplane/core/errors";

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

const firstPauseMs = 250;
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
      for await (const { id, data } of messages(stream, silenceMs)) {
        if (data !== null) yield JSON.parse(data);
        last = id ?? last;
        failures = 0;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // What isn't of the service or the network, such as a host that has no token, wouldn't get better.
      if (isLiveplaneError(error) ? !error.retryable : !isOpen) throw error;
    }
    await pause(pauseMs(failures), signal);
  }
}

/** Longer after each failure, and never the same for all: a service that was away isn't met by everybody at once. */
function pauseMs(failures: number): number {
  return Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
}

/** Takes a stream apart into messages. Comments and fields that nobody asked for are passed over. @internal */
export async function* messages(stream: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<StreamMessage> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const chunk = await unlessSilent(reader, silenceMs);
      if (chunk === undefined) return;
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = parseBlock(block);
        if (message !== null) yield message;
      }
    }
  } finally {
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

function parseBlock(block: string): StreamMessage | null {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
  if (data.length > 0) return { id, data: data.join("\n") };
  return id === null ? null : { id, data: null };
}

/** Passes time, or ends at once when the signal fires. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
  });
}
