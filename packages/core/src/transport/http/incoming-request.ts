/** A request as an edge passes it on, read only on demand. */
export interface IncomingRequest {
  readonly method: string;
  /** The path and the query below the mount, as sent. */
  readonly target: string;
  /** The path of the mount, which precedes every path in an answer. */
  readonly base: string;
  /** The caller's address; `null` if unknown, and all such callers are limited together. */
  readonly address: string | null;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The length of the body, if known beforehand: 0 if there is none, `null` if unknown. */
  readonly bodyLength: number | null;
  /** Whether the body is JSON whatever its type says, because the host has already parsed it. */
  readonly isBodyParsed: boolean;
  /** A header by its lower-case name; `undefined` if it wasn't sent. A repeated one is joined by the edge. */
  header(name: string): string | undefined;
  /** Whether a header was repeated, as far as the edge can tell. */
  isRepeated(name: string): boolean;
  /** Reads the body; `null` if it is longer than that. Rejects with `Aborted` if it never arrives completely. */
  readBody(mostBytes: number): Promise<Uint8Array | null>;
}

/** An answer as plain data, which every edge writes in its own way. */
export interface HttpAnswer {
  readonly status: number;
  /** Names and values in turn, no name twice. The edge adds the body's length and the connection's headers. */
  readonly headers: readonly string[];
  /** For HEAD, an edge sends only the length of a text; `null` if there is no body. */
  readonly body: string | HttpStream | null;
}

/** A streamed answer. */
export interface HttpStream {
  /** The next piece, requested after the previous one was sent; `null` at the end. Rejects if it was interrupted. */
  next(): Promise<string | null>;
  /** Ends the stream because nobody reads it any more. Idempotent. */
  cancel(): void;
  /** Aborts when its reader has accepted nothing for too long: the edge disconnects it. */
  readonly abandoned: AbortSignal;
}

/** An answered request, for logs and metrics. Without headers, body and query, which hold secrets. */
export interface Answered {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code: string | null;
  /** The caller; `null` if unknown. */
  readonly caller: string | null;
  readonly requestId: string;
  readonly seconds: number;
  /** Only after a failure. */
  readonly cause?: unknown;
}
