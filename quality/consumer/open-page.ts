import { runInNewContext } from "node:vm";

/** What browsers, workers, Deno and Bun share, and nothing else. */
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

/** Runs a script as a page would, with what the page brings beside the web's own; answers what its last statement comes to. */
export function openPage(script: string, brings: Readonly<Record<string, unknown>>): unknown {
  const page = { ...web, ...brings };
  return runInNewContext(script, { ...page, globalThis: page });
}
