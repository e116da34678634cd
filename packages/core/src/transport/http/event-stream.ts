import type { LiveplaneEvent } from "../../contract/event-types.ts";
import type { Operation } from "../../contract/row.ts";
import type { Actor } from "../../contract/target.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Follow } from "../follow.ts";
import type { HttpCall } from "./http-call.ts";
import type { HttpStream } from "./incoming-request.ts";
import { refuseOtherVersions, refuseUnacceptable } from "./negotiation.ts";

/** A regular comment keeps proxies from closing an idle stream, and shows whether anybody reads it. */
const heartbeatMs = 15_000;

/** Sent while nothing happens. If an edge can tell, it waits until it is sent before it asks for the next piece. */
export const heartbeat = ": still here\n\n";

interface EventStreamOptions {
  readonly events: AsyncIterable<LiveplaneEvent>;
  /** The sequence number that it begins after. */
  readonly after: number;
  /** Ends the events; aborted by the stream when nobody reads on. */
  readonly left: AbortController;
  /** Called once when the stream has ended, with the error that interrupted it, if any. */
  readonly onEnd: (cause?: unknown) => void;
}

interface OpenStreamOptions extends Pick<EventStreamOptions, "onEnd"> {
  readonly liveplane: { readonly follow: Follow };
  /** Each ends the stream; its reader resumes with a new request. */
  readonly ends: readonly AbortSignal[];
}

/** Opens the requested stream, after `Last-Event-ID` if given; `null` if HEAD asked only whether it opens. */
export async function openStream(
  call: HttpCall,
  { liveplane, ends, onEnd }: OpenStreamOptions,
): Promise<HttpStream | null> {
  const { request, caller, query } = call;
  const last = request.header("last-event-id") || undefined;
  const { left, letGo } = leaveWith([request.signal, ...ends]);
  const over = (cause?: unknown) => {
    letGo();
    onEnd(cause);
  };
  try {
    let after = 0;
    const events = await liveplane.follow({
      caller,
      query: last === undefined ? query : { ...query, after: last },
      signal: left.signal,
      admit(actor: Actor, row: Operation) {
        call.admit(actor, row);
        refuseUnacceptable(request, row);
        refuseOtherVersions(request);
        refuseMalformedId(last);
      },
      begins: (begun) => {
        after = begun;
      },
    });
    if (request.method !== "HEAD") return eventStream({ events, after, left, onEnd: over });
    left.abort();
    over();
    return null;
  } catch (error) {
    letGo();
    throw error;
  }
}

/** Ends with the first of several signals, until released from them. */
function leaveWith(signals: readonly AbortSignal[]): { readonly left: AbortController; readonly letGo: () => void } {
  const left = new AbortController();
  const leave = () => left.abort();
  for (const signal of signals) {
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  }
  return {
    left,
    letGo() {
      for (const signal of signals) signal.removeEventListener("abort", leave);
    },
  };
}

function refuseMalformedId(last: string | undefined): void {
  if (last === undefined || /^\d{1,15}$/.test(last)) return;
  const detail = "Last-Event-ID must be the id of an event.";
  throw new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Last-Event-ID", code: "Format", detail }] },
  });
}

/** Events as they are sent (Server-Sent Events), until they end or nobody reads them. */
function eventStream({ events, after, left, onEnd }: EventStreamOptions): HttpStream {
  const source = events[Symbol.asyncIterator]();
  const abandoned = new AbortController();
  let hasEnded = false;
  /** The next piece, requested once. An ID without data goes first, so that whoever is interrupted before an event can resume there. */
  let upcoming: Promise<string | null> | null = Promise.resolve(`: hello\nid: ${after}\n\n`);
  /** Delivers the requested piece; `null` while the reader still has the last one. */
  let give: ((piece: string | null) => void) | null = null;
  let given = 0;
  let inHandSince = -1;

  // A reader that hasn't finished a piece from one beat to the next is as good as gone, and can resume.
  const beat = setInterval(() => {
    if (give !== null) give(heartbeat);
    else if (inHandSince === given) {
      abandoned.abort();
      return end();
    }
    inHandSince = given;
  }, heartbeatMs);

  function end(cause?: unknown): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(beat);
    left.abort();
    onEnd(cause);
  }

  async function following(): Promise<string | null> {
    try {
      const { done, value } = await source.next();
      if (done !== true && !left.signal.aborted)
        return `id: ${value.sequence}\nevent: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
      end();
    } catch (cause) {
      // The credential has ended, and the stream with it; its reader returns with another one.
      const isOver = left.signal.aborted || (isLiveplaneError(cause) && cause.status === 401);
      end(isOver ? undefined : cause);
      if (!isOver) throw cause;
    }
    return null;
  }

  return {
    abandoned: abandoned.signal,
    cancel: () => end(),
    next: () =>
      new Promise((resolve, reject) => {
        const own = (piece: string | null) => {
          given += 1;
          give = null;
          resolve(piece);
        };
        give = own;
        upcoming ??= following();
        upcoming.then((piece) => {
          if (give !== own) return;
          upcoming = null;
          own(piece);
        }, reject);
      }),
  };
}
