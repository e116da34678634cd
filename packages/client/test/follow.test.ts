import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { messages } from "../src/event-source.ts";
import { baseUrl, events, problem, standInService, unreachable } from "./service.ts";

const { answers } = standInService();
const event = (sequence: number) => `id: ${sequence}\nevent: secret.created\ndata: {"sequence":${sequence}}\n\n`;

function streamOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
}

async function take(count: number, query: object = {}): Promise<number[]> {
  const taken: number[] = [];
  for await (const { sequence } of createClient({ baseUrl, token: "t", retries: 0 }).events.follow(query)) {
    taken.push(sequence);
    if (taken.length === count) break;
  }
  return taken;
}

test("a stream that breaks is resumed behind the last event", async () => {
  const seen = answers(events(event(4), event(5)), unreachable, events(event(6), event(7)));
  expect(await take(4, { after: 3, type: "secret.created" })).toEqual([4, 5, 6, 7]);
  expect(seen.map(({ headers }) => headers.get("last-event-id"))).toEqual(["3", "5", "5"]);
  expect(seen.every(({ path }) => path === "/events?type=secret.created")).toBe(true);
});

test("a stream that breaks before its first event is resumed where it began", async () => {
  const seen = answers(events(": hello\nid: 17\n\n"), events(event(18)));
  expect(await take(1)).toEqual([18]);
  expect(seen.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "17"]);
});

test("events that are no longer kept end the stream", async () => {
  answers(problem(410, "EventsExpired"));
  await expect(take(1, { after: 1 })).rejects.toMatchObject({ code: "EventsExpired" });
});

test("the caller's signal ends the stream without an error, also between two tries", async () => {
  const controller = new AbortController();
  answers(() => {
    queueMicrotask(() => controller.abort());
    return problem(503, "Unavailable");
  });
  const stream = createClient({ baseUrl, token: "t", retries: 0 }).events.follow({ signal: controller.signal });
  for await (const _ of stream) expect.unreachable();
});

test("an event may come in pieces, and characters too", async () => {
  const bytes = new TextEncoder().encode('id: 1\ndata: {"name":"Zoë"}\n\n: still here\n\ndata: a\ndata: b\n\n');
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const taken: unknown[] = [];
  for await (const message of messages(streamOf(...pieces), 1000)) taken.push(message);
  expect(taken).toEqual([
    { id: "1", data: '{"name":"Zoë"}' },
    { id: null, data: "a\nb" },
  ]);
});

test.each(["\n", "\r", "\r\n"])("lines end as the standard has it: %j, wherever the pieces part", async (end) => {
  const text = ["id: 1", "data: a", "data: b", "", ": still here", "", "id: 2", "", "data:c", "", ""].join(end);
  for (let at = 0; at <= text.length; at++) {
    const taken: unknown[] = [];
    for await (const message of messages(streamOf(text.slice(0, at), text.slice(at)), 1000)) taken.push(message);
    expect(taken).toEqual([
      { id: "1", data: "a\nb" },
      { id: "2", data: null },
      { id: null, data: "c" },
    ]);
  }
});

test("a stream that has fallen silent ends", async () => {
  const silent = new ReadableStream<Uint8Array>();
  for await (const _ of messages(silent, 1)) expect.unreachable();
});

test("a stream whose request has forgotten its signal ends all the same when the caller aborts", async () => {
  const stream = new ReadableStream<Uint8Array>({
    start: (source) => source.enqueue(new TextEncoder().encode(": here\n\n")),
  });
  const caller = new AbortController();
  const reading = messages(stream, 45_000, caller.signal).next();
  caller.abort();
  expect(await reading).toEqual({ done: true, value: undefined });
});
