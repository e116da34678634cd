import { Writable } from "node:stream";
import { createLog } from "../../src/observing/observability.ts";

/** A log whose lines are kept. */
export function recordedLog(level = "debug") {
  const written: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const text = () => written.join("");
  const lines = (): Record<string, unknown>[] =>
    text()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { log: createLog(level, destination), text, lines };
}
