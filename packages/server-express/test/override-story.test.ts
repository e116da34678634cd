import { test } from "vitest";
import { beginStory, expectHandedBack, register, steps, take } from "./override-story-steps.ts";
import { operatorPassword, runServer } from "./running-server.ts";

test("a component is handed over to a person and taken back, step by step", { timeout: 60_000 }, async () => {
  const { url } = await runServer({ LIVEPLANE_CHECK_SECONDS: "1" });
  const story = beginStory(await register(url, operatorPassword));
  for (const step of steps) await take(step, story);
  await expectHandedBack(story);
});
