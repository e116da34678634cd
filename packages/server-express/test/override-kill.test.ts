import { setTimeout } from "node:timers/promises";
import { onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { beginStory, expectHandedBack, register, type Story, steps, take } from "./override-story-steps.ts";
import { operatorPassword } from "./running-server.ts";
import { ownPort, startProcess } from "./server-process.ts";

/** A server in a process of its own, over SQLite, that can die at any moment and starts again at the same address. */
interface MortalServer {
  readonly url: string;
  killAndRestart(): Promise<void>;
}

async function mortalServer(): Promise<MortalServer> {
  const dataDir = emptyFolder();
  const settings = { PORT: await ownPort(), LIVEPLANE_CHECK_SECONDS: "0.3", LIVEPLANE_LOG: "silent" };
  let running = await startProcess(dataDir, settings);
  const kill = async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  };
  onTestFinished(async () => {
    await kill();
  });
  return {
    url: running.url,
    async killAndRestart() {
      await kill();
      running = await startProcess(dataDir, settings);
    },
  };
}

async function takeAll(story: Story, some = steps): Promise<void> {
  for (const step of some) await take(step, story);
}

test("killed between any two steps, a hand-over comes to the same end", { timeout: 60_000 }, async () => {
  const server = await mortalServer();
  const teller = await register(server.url, operatorPassword);
  const tales = steps.slice(1).map((_step, at) => ({ killedAfter: at + 1, story: beginStory(teller, `story-${at}`) }));
  await Promise.all(tales.map(({ story, killedAfter }) => takeAll(story, steps.slice(0, killedAfter))));
  await server.killAndRestart();
  await Promise.all(tales.map(({ story, killedAfter }) => takeAll(story, steps.slice(killedAfter))));
  for (const { story } of tales) await expectHandedBack(story);
});

test("killed at moments of chance, hand-overs come to the same end", { timeout: 60_000 }, async () => {
  const server = await mortalServer();
  const teller = await register(server.url, operatorPassword);
  const stories = ["one", "two", "three"].map((name) => beginStory(teller, name));
  const told = Promise.all(stories.map((story) => takeAll(story)));
  for (let kills = 0; kills < 4; kills++) {
    await Promise.race([told, setTimeout(Math.random() * 1500)]);
    await server.killAndRestart();
  }
  await told;
  for (const story of stories) await expectHandedBack(story);
});
