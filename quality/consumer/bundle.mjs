import { build } from "vite";

const quiet = { configFile: false, logLevel: "warn" };

/** What a worker is deployed as: one module that asks for nothing. */
await build({
  ...quiet,
  ssr: { noExternal: true, target: "webworker" },
  build: {
    ssr: "compiled/on-workerd.js",
    outDir: "worker",
    rolldownOptions: { output: { format: "es", codeSplitting: false, entryFileNames: "worker.js" } },
  },
});

/** What a page loads. */
await build({
  ...quiet,
  build: {
    outDir: "page",
    lib: { entry: "compiled/in-browser.js", formats: ["iife"], name: "page", fileName: () => "page.js" },
  },
});
