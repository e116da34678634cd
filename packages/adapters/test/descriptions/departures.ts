import { type JudgedRequest, type JudgedResponse, judgeRequest, judgeResponse, type Verdict } from "./judge.ts";

/** Where adapters and doubles do what no description knows. */
export interface Departures {
  /** Judges a request, and its answer where one was given. */
  judge(request: JudgedRequest, response: JudgedResponse | null): void;
  /** Each once, in order. */
  list(): string[];
}

/** Notes departures while tests run, of what the adapters send and of what the doubles answer. */
export function departures(): Departures {
  const seen = new Set<string>();
  const note = (who: string, { method, url }: JudgedRequest, { operation, problems }: Verdict) => {
    const what = operation?.id ?? `${method} ${new URL(url, "http://cloud.invalid").pathname}`;
    for (const { where, detail } of problems) seen.add(`${who} ${what}: ${where} ${detail}`);
  };
  return {
    judge(request, response) {
      note("request", request, judgeRequest(request));
      if (response !== null) note("answer", request, judgeResponse(request, response));
    },
    list: () => [...seen].sort(),
  };
}
