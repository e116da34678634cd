/** A request, as an edge hands it over: read only as far as it is asked for. */
export interface IncomingRequest {
  readonly method: string;
  /** The path and the query below the mount, as they were sent. */
  readonly target: string;
  /** The path of the mount: goes before every path that an answer names. */
  readonly base: string;
  /** Where the caller is; `null`: nobody knows, and all such callers are limited as one. */
  readonly address: string | null;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** How long the body is, as far as it is known beforehand: 0 where there is none, `null` where it has yet to come. */
  readonly bodyLength: number | null;
  /** Whether the body comes as JSON whatever its type says, since a parser of the host has read it. */
  readonly isBodyParsed: boolean;
  /** A header by its name in lower case; `undefined`: it wasn't sent. One that was sent more than once is as the edge joins them. */
  header(name: string): string | undefined;
  /** Whether a header was sent more than once, as far as the edge can tell. */
  isRepeated(name: string): boolean;
  /** Reads the body; `null`: it is longer than that. Rejects with `Aborted` where it never comes whole. */
  readBody(mostBytes: number): Promise<Uint8Array | null>;
}

/** An answer as plain data: every edge writes it in its own way. */
export interface HttpAnswer {
  readonly status: number;
  /** Names and values in turn, no name twice. How long the body is and what becomes of the connection is the edge's to say. */
  readonly headers: readonly string[];
  /** To HEAD an edge says no more of a text than its length; `null`: there is none. */
  readonly body: string | HttpStream | null;
}

/** An answer that continues. */
export interface HttpStream {
  /** The next piece, to be asked for once the one before is on its way; `null`: the stream has ended. Rejects where it broke off. */
  next(): Promise<string | null>;
  /** Ends the stream: nobody reads it any more. Idempotent. */
  cancel(): void;
  /** Fires when its reader has taken nothing for too long: the edge cuts them off. */
  readonly abandoned: AbortSignal;
}

/** A request that was answered, for logs and metrics. No header, body or query: they hold secrets. */
export interface Answered {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code: string | null;
  /** Who called; `null`: nobody who is known. */
  readonly caller: string | null;
  readonly requestId: string;
  readonly seconds: number;
  /** Only where something failed. */
  readonly cause?: unknown;
}
