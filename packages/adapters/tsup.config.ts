import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

const doors = ["src/*.ts", "src/mailers/*.ts", "src/oidc/oidc-device-authorizer.ts", "src/oidc/oidc-sign-in.ts"];

export default defineConfig({
  ...base,
  entry: [...doors, "src/ssh-keys/ssh-key-worker.ts", "src/webhooks/webhook-sender.ts"],
});
