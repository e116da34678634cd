// Stands for `#files` in the workspace, where nothing is built: the sources are bundled when they are first asked for.
export { bundleFiles as readFiles } from "./bundle.ts";
