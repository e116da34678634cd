import { build } from "vite";

const quiet = { configFile: false, logLevel: "warn" };

/** A worker's bundle: one module without imports. */
await build({
  ...quiet,
  ssr: { noExternal: true, target: "webworker" },
  build: {
    ssr: "compiled/on-workerd.js",
    outDir: "worker",
    rolldownOptions: { output: { format: "es", codeSplitting: false, entryFileNames: "worker.js" } },
  },
});

/** A page's bundle. */
await build({
  ...quiet,
  build: {
    outDir: "page",
    lib: { entry: "compiled/in-browser.js", formats: ["iife"], name: "page", fileName: () => "page.js" },
  },
});
