import { Miniflare } from "miniflare";
import { story } from "./compiled/story.js";

const workers = new Miniflare({
  modules: true,
  scriptPath: "worker/worker.js",
  compatibilityDate: "2026-07-01",
  durableObjects: { PLANE: "ControlPlane" },
});
const told = await story(String(await workers.ready));
await workers.dispose();
console.log(JSON.stringify(told));
