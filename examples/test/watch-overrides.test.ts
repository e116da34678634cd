import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { demoComponents } from "./demo-system.ts";
import { runServer, startExample } from "./run-example.ts";

test("watch-overrides lists what is taken over, and tells of each hand-over as it happens", async () => {
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "on" });
  const api = createClient({ baseUrl: url, credentials });
  const [component] = await demoComponents(api);
  const { id: componentId = "", livesystemId = "", resourceId } = component ?? {};

  const watch = startExample("examples/watch-overrides/watch.ts", {
    LIVEPLANE_URL: url,
    LIVEPLANE_PASSWORD: credentials.password,
  });
  let said = "";
  watch.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  const { accessToken } = await createClient({ baseUrl: url }).sessions.create(credentials);
  await fetch(`${url}/simulator/provider-a/resources/${encodeURIComponent(resourceId ?? "")}/tags`, {
    method: "PUT",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body: "{}",
  });
  await api.liveSystems.components.check({ id: livesystemId, componentId });
  await expect
    .poll(() => said, { timeout: 10_000 })
    .toContain(`component.override.started ${componentId}, seen by agent`);
}, 60_000);
