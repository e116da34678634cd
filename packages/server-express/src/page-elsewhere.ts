import type { Request, Response } from "express";
import { setCommonHeaders } from "./http/headers.ts";

export interface PageElsewhere {
  /** The console's page; `null` if there is no console. */
  readonly page: "api" | "simulator" | null;
  /** The sentence to answer without the console. */
  readonly instead: string;
}

/** Redirects to a page of the console. Without the console, it answers a sentence. */
export function pageElsewhere({ page, instead }: PageElsewhere): (request: Request, response: Response) => void {
  return (request, response) => {
    setCommonHeaders(request, response);
    if (page === null) return void response.type("text").send(`${instead}\n`);
    // Relative, because a proxy may have removed a prefix of the path.
    const folder = /\/(\?|$)/.test(request.originalUrl) ? ".." : ".";
    response.redirect(302, `${folder}/#/${page}`);
  };
}
