import { spawn } from "node:child_process";
import { story } from "./compiled/story.js";

/** Starts the result of `next build`, and calls the route handler below its path. */
const next = spawn(process.execPath, ["../node_modules/next/dist/bin/next", "start", "--port", "0"], {
  cwd: "next-app",
  stdio: ["ignore", "pipe", "inherit"],
});
const origin = await new Promise((resolve, reject) => {
  let said = "";
  next.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
    const [, port] = /http:\/\/localhost:(\d+)/.exec(said) ?? [];
    if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
  });
  next.once("exit", () => reject(new TypeError(`next ended: ${said}`)));
});
try {
  const told = await story(`${origin}/control-plane`);
  const page = await (await fetch(origin)).text();
  if (!page.includes("The control plane is ready.")) throw new TypeError(`The page says: ${page}`);
  console.log(JSON.stringify(told));
} finally {
  next.kill("SIGTERM");
}
