import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type JudgedRequest, type JudgedResponse, judgeRequest, judgeResponse, type Verdict } from "./judge.ts";
import type { Problem } from "./judge-members.ts";

/** Where adapters and doubles do what no description knows. */
export interface Departures {
  /** Judges a request, and its answer where one was given. */
  judge(request: JudgedRequest, response: JudgedResponse | null): void;
  /** Each once, in order. */
  list(): string[];
}

/**
 * Notes departures while tests run. Members that the tests themselves imagine, as the laws of clouds ask for a `size`, are told apart from
 * what the adapters send and the doubles answer.
 */
export function departures(imagined: readonly string[] = []): Departures {
  const seen = new Set<string>();
  const isImagined = (problem: Problem) => imagined.some((name) => told(problem).split(/[/ ,]/).includes(name));
  const note = (who: string, { method, url }: JudgedRequest, { operation, problems }: Verdict) => {
    const what = operation?.id ?? `${method} ${new URL(url, "http://cloud.invalid").pathname}`;
    for (const problem of problems) seen.add(`${isImagined(problem) ? "test" : who} ${what}: ${told(problem)}`);
  };
  return {
    judge(request, response) {
      note("request", request, judgeRequest(request));
      if (response !== null) note("answer", request, judgeResponse(request, response));
    },
    list: () => [...seen].sort(),
  };
}

/**
 * Holds departures to those that are kept in a file of this name: the list neither grows nor shrinks unseen. `vitest -u` writes it anew
 * when an adapter or a double has come closer to its description.
 */
export async function expectKnown({ list }: Departures, name: string): Promise<void> {
  await expect(`${list().join("\n")}\n`).toMatchFileSnapshot(`descriptions/known-departures/${name}.txt`);
}

/** Departures that are in no list of this name: for tests whose order is left to time. */
export function unknownAmong({ list }: Departures, name: string): string[] {
  const known = readFileSync(join(import.meta.dirname, "known-departures", `${name}.txt`), "utf8").split("\n");
  return list().filter((line) => !known.includes(line));
}

function told({ where, detail }: Problem): string {
  return `${where} ${detail}`;
}
