import { cp } from "node:fs/promises";
import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

/** What browsers load is served as it was written, from beside the code that reads it. */
const copyBrowser = () => cp("src/api-page/browser", "dist/browser", { recursive: true });

export default defineConfig({ ...base, entry: ["src/index.ts", "src/bin.ts"], onSuccess: copyBrowser });
