import { expect, onTestFinished, test } from "vitest";
import { logEvents } from "../../src/observing/event-lines.ts";
import { logAnswer } from "../../src/observing/observability.ts";
import { beginStory, expectHandedBack, register, steps, take } from "../override-story-steps.ts";
import { operatorPassword, runServer } from "../running-server.ts";
import { recordedLog } from "./recorded-log.ts";

test("a hand-over leaves a line for each thing that an operator asks after, and no value", {
  timeout: 60_000,
}, async () => {
  const { log, lines, text } = recordedLog("info");
  const { url, liveplane } = await runServer({ LIVEPLANE_CHECK_SECONDS: "0.1" });
  onTestFinished(logEvents(liveplane, log));
  const story = beginStory(await register(url, operatorPassword));
  for (const step of steps) await take(step, story);
  await expectHandedBack(story);

  const told = lines();
  for (const event of [
    "component.override.started",
    "component.reconcile.requested",
    "component.reconcile.completed",
    "component.override.ended",
  ]) {
    const line = told.find((one) => one.event === event);
    expect(line).toMatchObject({ level: 30, subject: expect.stringContaining("/"), actor: "agent" });
    expect(line?.msg).toMatch(/^\w.*\.$/);
  }
  expect(told.find(({ event }) => event === "component.override.started")).toMatchObject({ status: "ManualOverride" });
  // What was declared, and what was set by hand.
  expect(text()).not.toMatch(/hot|cold|10\.0\.0\.0/);
});

test("a failed mutation leaves a line with its code", () => {
  const { log, lines } = recordedLog("info");
  const data = { mutationId: "m", kind: "Deploy", code: "DeploymentFailed", detail: "canary", held: ["canary"] };
  tellOf(log, { type: "livesystem.mutation.failed", data });
  expect(lines()).toMatchObject([{ event: "livesystem.mutation.failed", code: "DeploymentFailed", mutationId: "m" }]);
  expect(JSON.stringify(lines())).not.toContain("canary");
  tellOf(log, { type: "secret.revealed", data: {} });
  expect(lines()).toHaveLength(1);
});

test("a request that was slow leaves a line; a stream, which lasts, and a quick one leave none", () => {
  const { log, lines } = recordedLog("info");
  const answered = { method: "GET", status: 200, code: null, caller: "Account 1", requestId: "r", seconds: 5.1 };
  logAnswer(log, { ...answered, operation: "environments.get" }, 5);
  logAnswer(log, { ...answered, operation: "events.follow" }, 5);
  logAnswer(log, { ...answered, operation: "accounts.me", seconds: 4.9 }, 5);
  expect(lines()).toMatchObject([{ msg: "slow", operation: "environments.get", requestId: "r", seconds: 5.1 }]);
});

type Told = Parameters<typeof logEvents>[0];
type Heard = Parameters<Parameters<Told["on"]>[1]>[0];

function tellOf(log: Parameters<typeof logEvents>[1], { type, data }: Pick<Heard, "type" | "data">): void {
  const event = { type, data, subject: "s", sequence: 1, actor: "agent", requestid: "r" } as Partial<Heard> as Heard;
  const on: Told["on"] = (_type, listener) => {
    listener(event);
    return () => {};
  };
  logEvents({ on }, log);
}
