import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: [
    "src/index.ts",
    "src/errors.ts",
    "src/store.ts",
    "src/clouds/index.ts",
    "src/contract/index.ts",
    "src/routes.ts",
    "src/testing/index.ts",
    "src/testing/internal.ts",
    "src/transport/http/fetch.ts",
    "src/transport/http/index.ts",
  ],
});
