import { defaultClientConditions, defineConfig } from "vite";

/** In this workspace the client comes from its source, so that nothing has to be built first. */
export default defineConfig({
  resolve: { conditions: ["@liveplane/source", ...defaultClientConditions] },
});
