import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Loaded before everything else, by `--import`: one source file is replaced by its mutant. */
const { url, source } = JSON.parse(readFileSync(process.env.LIVEPLANE_MUTANT ?? "", "utf8"));

registerHooks({
  load(loading, context, next) {
    const loaded = next(loading, context);
    return loading.split("?")[0] === url ? { ...loaded, source } : loaded;
  },
});
