import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: ["src/*.ts", "src/ssh-keys/ssh-key-worker.ts", "src/webhooks/webhook-sender.ts"],
});
