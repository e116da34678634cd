import { defineConfig } from "vite";

/** One page for each kind of host. */
export default defineConfig({
  build: { target: "es2023", rolldownOptions: { input: ["plain.html", "react.html", "vue.html"] } },
});
