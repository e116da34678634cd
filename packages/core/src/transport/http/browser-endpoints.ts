import { createSessionEndpoint, sessionPath } from "../session-endpoint.ts";
import { createSignInVisits, type SignInVisit, type SignInVisited, startPath } from "../sign-in-visits.ts";
import type { Answers, Exchange } from "./answers.ts";
import type { HttpAnswer } from "./incoming-request.ts";
import type { RateGate } from "./rate-gate.ts";
import { inSpan, type Reports } from "./reports.ts";
import type { ServedPlane } from "./served-plane.ts";

/** Creates the endpoints that aren't operations and only browsers use: for sessions, and to sign in at the host's issuer. */
export function createBrowserEndpoints({
  liveplane,
  gate,
  reports,
  answers,
}: {
  readonly liveplane: ServedPlane;
  readonly gate: RateGate;
  readonly reports: Reports;
  /** Answers that no page of another origin may read. */
  readonly answers: Answers;
}) {
  const endpoint = createSessionEndpoint({ ...liveplane, gate, answers });
  const visits = liveplane.signIn ? createSignInVisits({ ...liveplane, signIn: liveplane.signIn, gate }) : null;

  function answerTo(exchange: Exchange, visited: SignInVisited): HttpAnswer {
    if (visited.kind === "page") return answers.page(exchange, visited.page, visited.policy);
    const { kind, location } = visited;
    return kind === "told" ? answers.json(exchange, { location }) : answers.moved(exchange, location);
  }

  async function carryOut(exchange: Exchange, path: string, visit: () => ReturnType<SignInVisit>): Promise<HttpAnswer> {
    try {
      const visited = await inSpan(liveplane, exchange, spanOf(path), visit);
      const answer = answerTo(exchange, visited);
      reports.sent(exchange, { status: answer.status });
      return answer;
    } catch (cause) {
      // A script of this server's own page posts there, and no person sees the answer.
      if (path === startPath && exchange.request.method === "POST") return reports.fail(exchange, cause, answers);
      const { base } = exchange.request;
      const ways = { again: base + startPath, console: liveplane.settings?.consoleUrl || `${base}/` };
      const { code, ...answer } = answers.failedPage(exchange, cause, ways);
      reports.sent(exchange, { status: answer.status, code, ...(answer.status >= 500 && { cause }) });
      return answer;
    }
  }

  return {
    async keepSignedIn(exchange: Exchange, origin: string): Promise<HttpAnswer> {
      try {
        const answer = await inSpan(liveplane, exchange, spanOf(sessionPath), () => endpoint(exchange, origin));
        reports.sent(exchange, { status: answer.status });
        return answer;
      } catch (error) {
        return reports.fail(exchange, error, answers);
      }
    },
    /** `null` if the path isn't part of the sign-in. */
    visit(path: string, begin: () => Exchange, origin: string): Promise<HttpAnswer> | null {
      const found = visits?.get(path);
      if (found === undefined) return null;
      const exchange = begin();
      return carryOut(exchange, path, () => found(exchange, origin));
    },
  };
}

/** Names a span like an operation: `/auth/oidc/start` is `auth.oidc.start`. */
function spanOf(path: string): string {
  return path.slice(1).replaceAll("/", ".");
}
