import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actor, Liveplane, Operation } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { callerOf } from "./credentials.ts";

/** What a stream of events is opened with. */
export interface EventStreamOptions {
  readonly liveplane: Liveplane;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: Readonly<Record<string, unknown>>;
  readonly admit: (actor: Actor, row: Operation) => void;
}

/** A comment so often keeps proxies from closing an idle stream. */
const heartbeatMs = 15_000;

/** Sends events as they come (Server-Sent Events), from behind `Last-Event-ID` where it is given, until the reader leaves. */
export async function streamEvents({ liveplane, request, response, query, admit }: EventStreamOptions): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  response.once("close", leave);
  liveplane.stopping.addEventListener("abort", leave, { once: true });
  const events = await liveplane.follow({
    caller: callerOf(request),
    query: resumed(request, query),
    signal: left.signal,
    admit,
  });
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
  response.write(": hello\n\n");
  const heartbeat = setInterval(() => response.write(": still here\n\n"), heartbeatMs);
  try {
    for await (const event of events) {
      const drained = response.write(`id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (!drained && !left.signal.aborted)
        await new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve));
    }
  } finally {
    clearInterval(heartbeat);
    liveplane.stopping.removeEventListener("abort", leave);
    response.end();
  }
}

function resumed({ headers }: IncomingMessage, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const last = headers["last-event-id"];
  if (last === undefined || last === "") return { ...query };
  if (typeof last === "string" && /^\d{1,15}$/.test(last)) return { ...query, after: last };
  const detail = "Last-Event-ID must be the id of an event.";
  throw new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Last-Event-ID", code: "Format", detail }] },
  });
}
