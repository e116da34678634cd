import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actor, Liveplane, Operation } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { callerOf } from "./credentials.ts";
import { refuseOtherVersions, refuseUnacceptable } from "./negotiation.ts";

/** What a stream of events is opened with. */
export interface EventStreamOptions {
  readonly liveplane: Liveplane;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: Readonly<Record<string, unknown>>;
  readonly admit: (actor: Actor, row: Operation) => void;
  /** Fires when streams have to end; their readers resume elsewhere. */
  readonly stopping: AbortSignal;
}

/** A comment so often keeps proxies from closing an idle stream, and tells whether anybody takes it. */
const heartbeatMs = 15_000;

/** Sends events as they come (Server-Sent Events), from behind `Last-Event-ID` where it is given, until the reader leaves. */
export async function streamEvents(options: EventStreamOptions): Promise<void> {
  const { liveplane, request, response, query, admit, stopping } = options;
  const last = request.headers["last-event-id"] || undefined;
  const left = new AbortController();
  const leave = () => left.abort();
  response.once("close", leave);
  for (const end of [liveplane.stopping, stopping]) end.addEventListener("abort", leave, { once: true });
  try {
    let begun = 0;
    const events = await liveplane.follow({
      caller: callerOf(request),
      query: last === undefined ? query : { ...query, after: last },
      signal: left.signal,
      admit(actor, row) {
        admit(actor, row);
        refuseUnacceptable(request, row);
        refuseOtherVersions(request);
        refuseMalformed(last);
      },
      begins: (after) => {
        begun = after;
      },
    });
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
    if (request.method === "HEAD") return;
    // An id without data: a reader that breaks off before the first event resumes from here.
    response.write(`: hello\nid: ${begun}\n\n`);
    await send(events, response, left.signal);
  } finally {
    for (const end of [liveplane.stopping, stopping]) end.removeEventListener("abort", leave);
    if (response.headersSent) response.end();
  }
}

type Events = Awaited<ReturnType<Liveplane["follow"]>>;

async function send(events: Events, response: ServerResponse, left: AbortSignal): Promise<void> {
  const heartbeat = beat(response);
  try {
    for await (const event of events) {
      if (left.aborted) return;
      const drained = response.write(`id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (!drained) await room(response);
    }
  } catch (error) {
    // The credential has ended, and the stream with it: its reader comes back with another one.
    if (!isLiveplaneError(error) || error.status !== 401) throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

/** A reader who hasn't taken one heartbeat by the next is gone, or as good as gone: it resumes where it was. */
function beat(response: ServerResponse): NodeJS.Timeout {
  response.socket?.setKeepAlive(true, heartbeatMs);
  let taken = true;
  return setInterval(() => {
    if (!taken) return response.destroy();
    taken = false;
    response.write(": still here\n\n", () => {
      taken = true;
    });
  }, heartbeatMs);
}

/** Waits until a slow reader has taken what was sent, or is gone. */
function room(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

function refuseMalformed(last: string | string[] | undefined): void {
  if (last === undefined || (typeof last === "string" && /^\d{1,15}$/.test(last))) return;
  const detail = "Last-Event-ID must be the id of an event.";
  throw new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Last-Event-ID", code: "Format", detail }] },
  });
}
