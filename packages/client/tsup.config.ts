import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: [
    "src/index.ts",
    "src/tag-lines.ts",
    "src/remedies.ts",
    "src/seen-by-agent.ts",
    "src/owners.ts",
    "src/declaration-text.ts",
    "src/cli/bin.ts",
  ],
});
