import { defaultClientConditions, defineConfig } from "vite";

/** In this workspace, the client's sources are used, so nothing has to be built first. */
export default defineConfig({
  resolve: { conditions: ["@liveplane/source", ...defaultClientConditions] },
});
