import { randomBytes } from "node:crypto";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { sharedPostgres } from "../../adapters/test/postgres.ts";
import { beginStory, expectHandedBack, register, type Story, steps, take } from "./override-story-steps.ts";
import { send } from "./raw-http.ts";
import { operatorPassword } from "./running-server.ts";
import { type ServerProcess, startProcess } from "./server-process.ts";

test.each([
  { scheduler: "interval", agents: 1 },
  { scheduler: "pg-boss", agents: 2 },
])(
  "over one Postgres two processes answer and others check, by $scheduler: a hand-over is told through all of them",
  {
    timeout: 120_000,
  },
  async ({ scheduler, agents: count }) => {
    const postgres = await sharedPostgres();
    const dataDir = emptyFolder();
    const settings = {
      DATABASE_URL: await postgres.freshSchema(),
      LIVEPLANE_MASTER_KEY: randomBytes(32).toString("base64"),
      LIVEPLANE_CHECK_SECONDS: "0.3",
      LIVEPLANE_SCHEDULER: scheduler,
    };
    const started = async (role: string) => {
      const server = await startProcess(dataDir, settings, ["--role", role]);
      onTestFinished(() => void server.child.kill("SIGKILL"));
      return server;
    };
    const one = await started("api");
    const other = await started("api");
    const agents = await Promise.all(Array.from({ length: count }, () => started("agent")));

    const story = beginStory(await register(other.url, operatorPassword));
    const ada = createClient({ baseUrl: one.url, credentials: { username: "ada", password: "correct horse battery" } });
    expect(await ada.accounts.me()).toMatchObject({ id: story.ownerId });
    for (const step of steps) await take(step, story);
    await expectHandedBack(story);
    await expectHandedBack({ ...story, baseUrl: one.url, api: ada });
    await expectMetrics(story, [one, other, ...agents]);
    expect(await ada.liveSystems.get({ id: story.known.id })).toMatchObject({ name: "shop" });

    for (const { child, ended } of [one, other, ...agents]) {
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  },
);

/** What the processes have counted comes to what the store tells: as the sum of all. */
async function expectMetrics({ api, known: { id } }: Story, processes: readonly ServerProcess[]): Promise<void> {
  const types: string[] = [];
  for await (const { type } of api.events.follow({ after: 0, signal: AbortSignal.timeout(30_000) })) {
    types.push(type);
    if (type === "component.override.ended") break;
  }
  const { items } = await api.liveSystems.components.list({ id });
  // What a sweep has counted since the end of the story is there with the next one.
  await expect
    .poll(async () => {
      const metrics = await Promise.all(processes.map(metricsOf));
      const sum = (name: string) => metrics.flatMap((of) => of.get(name) ?? []).reduce((all, one) => all + one, 0);
      return {
        handBacks: sum("liveplane_hand_back_seconds_count"),
        corrections: sum("liveplane_corrections_total"),
        sweeping: metrics.filter((of) => of.has("liveplane_checks_total")).length > 0,
        components: sum("liveplane_components"),
        overrides: sum("liveplane_overrides"),
      };
    })
    .toEqual({
      handBacks: types.filter((type) => type === "component.reconcile.completed").length,
      corrections: types.filter((type) => type === "component.corrected").length,
      sweeping: true,
      components: items.length,
      overrides: 0,
    });
}

/** What a process tells of itself: by name, the value under each set of labels. */
async function metricsOf({ url }: ServerProcess): Promise<ReadonlyMap<string, number[]>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new Map<string, number[]>();
  for (const [, name = "", value] of text.matchAll(/^(liveplane_\w+)(?:\{.*\})? (\S+)$/gm))
    found.set(name, [...(found.get(name) ?? []), Number(value)]);
  return found;
}

test("rate limits of two processes are settled: beyond what the guide says nobody passes them", {
  timeout: 60_000,
}, async () => {
  const postgres = await sharedPostgres();
  const dataDir = emptyFolder();
  const quota = 40;
  const settings = {
    DATABASE_URL: await postgres.freshSchema(),
    LIVEPLANE_MASTER_KEY: randomBytes(32).toString("base64"),
    LIVEPLANE_RATE_LIMITS: JSON.stringify({ reads: quota }),
  };
  const started = async () => {
    const server = await startProcess(dataDir, settings, ["--role", "api"]);
    onTestFinished(() => void server.child.kill("SIGKILL"));
    return server.url;
  };
  const urls = [await started(), await started()];
  const anonymous = createClient({ baseUrl: urls[0] ?? "" });
  const ada = { username: "ada", password: "correct horse battery" };
  await anonymous.accounts.createWithCredentials(ada);
  const { accessToken: token } = await anonymous.sessions.create(ada);
  let passed = 0;
  const read = async (url: string) => {
    const { status } = await send(url, { path: "/accounts/me", token });
    passed += status === 200 ? 1 : 0;
    return status;
  };

  // A burst at both, before they know of each other: each of them lets its own count through, which is below the quota.
  for (const url of urls) for (let count = 0; count < quota - 10; count++) expect(await read(url)).toBe(200);
  // Then each is told of the other's: there is nothing left at either, although neither has counted up to the quota itself.
  await expect
    .poll(async () => Promise.all(urls.map(read)), { timeout: 30_000, interval: 1_000 })
    .toEqual(urls.map(() => 429));
  expect(passed).toBeGreaterThan(quota);
  expect(passed).toBeLessThanOrEqual(urls.length * quota);
});
