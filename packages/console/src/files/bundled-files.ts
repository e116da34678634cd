// The workspace form of `#files`: the sources are bundled on first use.
export { bundleFiles as readFiles } from "./bundle.ts";
