import { isLiveplaneError } from "@liveplane/core/errors";
import { growingRest } from "@liveplane/core/routes";
import { passTime } from "./pauses.ts";

/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** `null` if it has no ID. */
  readonly id: string | null;
  /** `null` if it only tells the stream's position. */
  readonly data: string | null;
}

export type OpenStream = (lastEventId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

export interface FollowOptions {
  readonly open: OpenStream;
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A stream that is silent for this long is reopened, because the server sends something more often. @default 45000 */
  readonly silenceMs?: number;
}

const pauses = { firstMs: 250, longestMs: 30_000 };

/** Follows a stream for ever: reopens it when it breaks, after the last event received, so that none is missed. */
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
      // A failure of neither the service nor the network, such as a host without a token, won't go away.
      if (isLiveplaneError(error) ? !error.retryable : !isOpen) throw error;
    }
    await passTime(growingRest(failures, { ...pauses, chance: Math.random() }), signal);
  }
}

/** Splits a stream into messages. Comments and unknown fields are skipped. @internal */
export async function* messages(
  stream: ReadableStream<Uint8Array>,
  silenceMs: number,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const reader = stream.getReader();
  // Not left to the request's own signal: a combined one may be garbage-collected while its stream is still read.
  const end = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  const decoder = new TextDecoder();
  const takeApart = createReader();
  try {
    for (;;) {
      const chunk = await unlessSilent(reader, silenceMs);
      if (chunk === undefined) return;
      yield* takeApart(decoder.decode(chunk, { stream: true }));
    }
  } finally {
    signal?.removeEventListener("abort", end);
    await reader.cancel().catch(() => {});
  }
}

/** Parses messages from pieces of a stream, cut anywhere. */
function createReader(): (piece: string) => StreamMessage[] {
  let [rest, isHalfEnd] = ["", false];
  let [id, data]: [string | null, string | null] = [null, null];
  return (piece) => {
    if (piece === "") return [];
    const read: StreamMessage[] = [];
    // A line end of two characters may be split between two pieces.
    const lines = (rest + (isHalfEnd ? piece.replace(/^\n/, "") : piece)).split(/\r\n|\n|\r/);
    isHalfEnd = piece.endsWith("\r");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field, value = ""] = /^([^:]*):? ?(.*)/s.exec(line) ?? [];
      if (field === "data") data = data === null ? value : `${data}\n${value}`;
      if (field === "id" && !value.includes("\0")) id = value;
      if (line !== "") continue;
      if (id !== null || data !== null) read.push({ id, data });
      [id, data] = [null, null];
    }
    return read;
  };
}

/** The next piece; `undefined` at the end, or after too long a silence. */
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
