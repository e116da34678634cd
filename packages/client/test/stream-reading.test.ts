import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { messages, type StreamMessage } from "../src/event-source.ts";

/** What a stream may be made of: lines that mean something, that nearly do, and every way to end one. */
const line = fc.oneof(
  fc.constantFrom(
    "data: {}",
    "data:",
    "data",
    "data:  two",
    "id: 7",
    "id:",
    "id",
    "event: a",
    "retry: 5",
    ": here",
    "",
  ),
  fc.constantFrom("data :x", "Data: x", "id: \0", "data: ä\u2028🙂", "unknown: x", ":", "data: a:b"),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 })
  .map((lines) => lines.flat().join(""));

/** The same bytes, in pieces. */
function streamOf(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(body) {
      let rest = bytes;
      for (const size of sizes) {
        body.enqueue(rest.slice(0, size));
        rest = rest.slice(size);
      }
      body.enqueue(rest);
      body.close();
    },
  });
}

/** What the library that others read streams by makes of a text. */
function byLibrary(whole: string): StreamMessage[] {
  const read: StreamMessage[] = [];
  const parser = createParser({
    onId: (id) => read.push({ id, data: null }),
    onEvent({ id = null, data }) {
      if (id !== null) read.pop();
      read.push({ id, data });
    },
  });
  parser.feed(whole);
  return read;
}

test("a stream in whatever pieces is read as eventsource-parser reads the whole", async () => {
  const pieces = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, pieces, async (whole, sizes) => {
      const read: StreamMessage[] = [];
      for await (const message of messages(streamOf(new TextEncoder().encode(whole), sizes), 60_000))
        read.push(message);
      expect(read).toEqual(byLibrary(whole));
    }),
    { numRuns: 500 },
  );
});
