import { defineConfig } from "vite";

/** A page for each way in which a host may be made. */
export default defineConfig({
  build: { target: "es2023", rolldownOptions: { input: ["plain.html", "react.html", "vue.html"] } },
});
