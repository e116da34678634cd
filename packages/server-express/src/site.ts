import { type Exchanges, splitTarget } from "@liveplane/core/http";
import type { RequestHandler } from "express";
import { writeAnswer } from "./http/answers.ts";
import { setCommonHeaders, setHeaders } from "./http/headers.ts";
import type { NodeRequest } from "./http/node-request.ts";

/** A request as a site sees it. */
export interface SiteRequest {
  readonly method: string;
  /** The path below the mount. */
  readonly path: string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
}

/** A site's answer. */
export interface SiteAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

/** Pages for browsers: those of `@liveplane/console`, or a host's own. */
export interface Site {
  /** Answers with one of its files; `null` if there is none at that path. */
  answer(request: SiteRequest): Promise<SiteAnswer | null>;
}

/** Serves the files of a site. */
export function sitePages(site: Site): RequestHandler {
  return async (request, response, next) => {
    const { method, url } = request;
    // As sent, because Express adds a path if there is none.
    const { path } = splitTarget(url);
    const answer = await site.answer({ method, path, header: (name) => request.get(name) });
    if (answer === null) return next();
    setCommonHeaders(request, response);
    setHeaders(response, answer.headers);
    response.status(answer.status).end(answer.body ?? undefined);
  };
}

/** Answers a page that wants to stay signed in. */
export async function keepSignedIn(exchanges: Exchanges, asked: NodeRequest): Promise<void> {
  const answer = await exchanges.keepSignedIn(asked, asked.origin);
  if (answer !== null) await writeAnswer(asked, answer);
}
