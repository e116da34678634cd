import type { LiveplaneEvent } from "../../contract/event-types.ts";
import type { Operation } from "../../contract/row.ts";
import type { Actor } from "../../contract/target.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Follow } from "../follow.ts";
import type { HttpCall } from "./http-call.ts";
import type { HttpStream } from "./incoming-request.ts";
import { refuseOtherVersions, refuseUnacceptable } from "./negotiation.ts";

/** A comment so often keeps proxies from closing an idle stream, and tells whether anybody takes it. */
const heartbeatMs = 15_000;

/** What is sent while nothing happens. An edge waits until it is out before it asks for the next piece, where it can tell. */
export const heartbeat = ": still here\n\n";

interface EventStreamOptions {
  readonly events: AsyncIterable<LiveplaneEvent>;
  /** Behind which sequence number it begins. */
  readonly after: number;
  /** Ends the events. Fired by the stream when nobody reads on. */
  readonly left: AbortController;
  /** Told once that the stream has ended, and what broke it off, if anything did. */
  readonly onEnd: (cause?: unknown) => void;
}

interface OpenStreamOptions extends Pick<EventStreamOptions, "onEnd"> {
  readonly liveplane: { readonly follow: Follow };
  /** Each ends the stream; its reader resumes elsewhere. */
  readonly ends: readonly AbortSignal[];
}

/** Opens the stream that a call asks for, from behind `Last-Event-ID` where it is given; `null`: HEAD asked only whether it opens. */
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

/** Something that ends with the first of several signals, as long as it hasn't let go of them. */
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

/** Events as they are sent (Server-Sent Events), until they end or nobody takes them. */
function eventStream({ events, after, left, onEnd }: EventStreamOptions): HttpStream {
  const source = events[Symbol.asyncIterator]();
  const abandoned = new AbortController();
  let hasEnded = false;
  /** What comes after the last event, asked for once. An id without data goes first: anyone who breaks off before an event resumes there. */
  let upcoming: Promise<string | null> | null = Promise.resolve(`: hello\nid: ${after}\n\n`);
  /** Gives the piece that was asked for; `null`: the reader has the last one in hand. */
  let give: ((piece: string | null) => void) | null = null;
  let given = 0;
  let inHandSince = -1;

  // A reader who has had the same piece in hand from one beat to the next is gone, or as good as gone: it resumes where it was.
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
      // The credential has ended, and the stream with it: its reader comes back with another one.
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
