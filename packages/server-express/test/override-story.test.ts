import { expect, test } from "vitest";
import { beginStory, expectHandedBack, register, type Story, steps, take } from "./override-story-steps.ts";
import { operatorPassword, request, runServer } from "./running-server.ts";

test("a component is handed over to a person and taken back, and /metrics counts it", { timeout: 60_000 }, async () => {
  const { url } = await runServer({ LIVEPLANE_CHECK_SECONDS: "0.1" });
  const story = beginStory(await register(url, operatorPassword));
  const driftSeen = steps.findIndex(({ title }) => title === "the drift is seen") + 1;
  for (const step of steps.slice(0, driftSeen)) await take(step, story);
  await expect
    .poll(() => metrics(url), { timeout: 10_000 })
    .toMatchObject({
      liveplane_components: 2,
      liveplane_overrides: 1,
      'liveplane_drifting_components{provider="provider-a"}': 1,
      liveplane_override_oldest_seconds: above(0),
    });

  await setFaults(story, { read: "throttle", bulk: "throttle" });
  await expect
    .poll(() => metrics(url), { timeout: 10_000 })
    .toMatchObject({
      'liveplane_cloud_throttled_seconds_count{provider="provider-a"}': above(0),
    });
  await setFaults(story, {});
  for (const step of steps.slice(driftSeen)) await take(step, story);
  await expectHandedBack(story);
  await expect
    .poll(() => metrics(url), { timeout: 10_000 })
    .toMatchObject({
      'liveplane_checks_total{provider="provider-a",lane="sweep"}': above(1),
      'liveplane_corrections_total{provider="provider-a",outcome="corrected"}': above(0),
      'liveplane_hand_back_seconds_count{provider="provider-a"}': 1,
      'liveplane_cloud_calls_total{provider="provider-a",kind="update",outcome="ok"}': above(0),
      'liveplane_cloud_calls_total{provider="provider-a",kind="removeTag",outcome="ok"}': above(0),
      liveplane_sweep_lag_seconds: expect.any(Number),
      liveplane_overrides: 0,
      liveplane_override_oldest_seconds: 0,
      'liveplane_drifting_components{provider="provider-a"}': 0,
    });
});

const above = (least: number) => expect.toSatisfy((value: number) => value > least, `above ${least}`);

/** Every sample by its name and labels. */
async function metrics(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.split("\n").filter((line) => line.startsWith("liveplane_"));
  return Object.fromEntries(
    samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

async function setFaults({ baseUrl, consoleToken }: Story, json: object): Promise<void> {
  await request(`${baseUrl}/simulator/provider-a/faults`, { method: "PUT", token: consoleToken, json });
}
