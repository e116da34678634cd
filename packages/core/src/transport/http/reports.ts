import { actorName } from "../../contract/target.ts";
import { isLiveplaneError } from "../../errors.ts";
import type { Answers, Exchange } from "./answers.ts";
import { HttpCall } from "./http-call.ts";
import type { Answered, HttpAnswer } from "./incoming-request.ts";
import type { RateGate } from "./rate-gate.ts";
import type { ServedPlane } from "./served-plane.ts";

interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly cause?: unknown;
}

/** Reports each answer for logs and metrics. */
export interface Reports {
  sent(exchange: Exchange, outcome: Outcome): void;
  /** Creates and reports the answer to a failure. */
  fail(exchange: Exchange, error: unknown, by: Answers): HttpAnswer;
}

export function createReports({
  gate,
  onAnswer,
}: {
  readonly gate: RateGate;
  readonly onAnswer: (answered: Answered) => void;
}): Reports {
  const sent = (exchange: Exchange, outcome: Outcome) => onAnswer(answered(exchange, outcome));
  return {
    sent,
    fail(exchange, error, by) {
      const cause = gate.judge(exchange, error);
      const { code, ...answer } = by.problem(exchange, cause);
      // The client has disconnected, which isn't a failure of this server.
      if (isLiveplaneError(cause, "Aborted")) sent(exchange, { status: 499, code });
      else sent(exchange, { status: answer.status, code, ...(answer.status >= 500 && { cause }) });
      return answer;
    },
  };
}

/** Runs work that isn't dispatched, in a span like those of dispatched operations. */
export function inSpan<T>(
  { tracer }: Pick<ServedPlane, "tracer">,
  { request, requestId }: Exchange,
  operation: string,
  work: () => Promise<T>,
): Promise<T> {
  const fields = { operation, requestId };
  const parent = request.header("traceparent");
  return tracer?.during({ name: operation, kind: "server", fields, parent }, work) ?? work();
}

function answered(exchange: Exchange, { status, code, cause }: Outcome): Answered {
  const { request, requestId, startedAt } = exchange;
  const call = exchange instanceof HttpCall ? exchange : null;
  return {
    operation: call?.operation ?? "unknown",
    method: request.method,
    status,
    code: code ?? null,
    caller: call?.actor == null ? null : actorName(call.actor),
    requestId,
    seconds: (performance.now() - startedAt) / 1000,
    ...(cause !== undefined && { cause }),
  };
}
