import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { webHandler } from "./compiled/web-handler.js";

/** Runs a page's bundle where there is nothing but what browsers bring. */
const { handle, stop } = await webHandler();
const told = await new Promise((tell) => {
  const page = {
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
    fetch: (input, init) => handle(new Request(input, init)),
    baseUrl: "https://liveplane.example",
    tell,
  };
  runInNewContext(readFileSync("page/page.js", "utf8"), { ...page, globalThis: page });
});
await stop();
console.log(JSON.stringify(told));
