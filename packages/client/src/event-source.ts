import { isLiveplaneError } from "@liveplane/core/errors";

/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  readonly id: string;
  readonly data: string;
}

/** Opens a stream from behind an event. */
export type OpenStream = (lastEventId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

/** How a stream is followed. */
export interface FollowOptions {
  readonly open: OpenStream;
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sleep: (ms: number) => Promise<void>;
}

const longestPauseMs = 30_000;

/** Follows a stream for ever: opens it again when it breaks, from behind the last event that was seen, so that none is missed. */
export async function* followStream({ open, after, signal, sleep }: FollowOptions): AsyncGenerator<unknown> {
  let last = after;
  for (let failures = 0; !signal?.aborted; failures++) {
    try {
      for await (const { id, data } of messages(await open(last))) {
        failures = 0;
        if (id !== "") last = id;
        yield JSON.parse(data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isLiveplaneError(error) && !error.retryable) throw error;
    }
    if (!signal?.aborted) await sleep(Math.min(2 ** failures * 250, longestPauseMs));
  }
}

/** Takes a stream apart into messages. Comments and fields that nobody asked for are passed over. */
export async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const blocks = (rest + chunk.value).split(/\r?\n\r?\n/);
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

function parseBlock(block: string): StreamMessage | null {
  let id = "";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { id, data: data.join("\n") };
}
