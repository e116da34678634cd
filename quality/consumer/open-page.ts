import { runInNewContext } from "node:vm";

/** What browsers, workers, Deno and Bun have in common, and nothing else. */
const web = {
  AbortController,
  AbortSignal,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  setTimeout,
};

/** Runs a script like a page, with the page's own globals besides the web's; returns the value of its last statement. */
export function openPage(script: string, brings: Readonly<Record<string, unknown>>): unknown {
  const page = { ...web, ...brings };
  return runInNewContext(script, { ...page, globalThis: page });
}
