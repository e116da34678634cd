import { readFileSync } from "node:fs";
import { openPage } from "./compiled/open-page.js";
import { webHandler } from "./compiled/web-handler.js";

/** Runs a page's bundle with only what browsers have. */
const { handle, stop } = await webHandler();
const fetch = (input, init) => handle(new Request(input, init));
const script = readFileSync("page/page.js", "utf8");
const told = await new Promise((tell) => openPage(script, { fetch, baseUrl: "https://liveplane.example", tell }));
await stop();
console.log(JSON.stringify(told));
