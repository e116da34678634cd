import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LiveplaneError } from "@liveplane/core/errors";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { logAnswer, loggerOver } from "../../src/observing/observability.ts";
import { liveplaneRouter } from "../../src/router.ts";
import { runServer } from "../running-server.ts";
import { recordedLog } from "./recorded-log.ts";

test("members with a secret's name are redacted, at any of the depths that a mistake would use", () => {
  const { log, text } = recordedLog();
  for (const name of [
    "password",
    "newPassword",
    "value",
    "token",
    "accessToken",
    "refreshToken",
    "challenge",
    "authorization",
    "sshPrivateKeyData",
  ]) {
    log.info({ [name]: "canary", body: { [name]: "canary" }, request: { headers: { [name]: "canary" } } }, "a mistake");
  }
  expect(text()).not.toContain("canary");
  expect(text()).toContain("[redacted]");
});

test("of a failure its name, code, message and stack are kept, and nothing that a library hung on it", () => {
  const { log, text } = recordedLog();
  const inner = Object.assign(new TypeError("inner"), { code: "EINNER", config: { data: "canary" } });
  const cause = new LiveplaneError("StoreFailed", "outer", {
    cause: Object.assign(inner, { response: { body: "canary" } }),
  });
  loggerOver(log).error({ cause }, "failed");
  loggerOver(log).warn({ cause: "canary" }, "thrown text");
  const [line = "", second = ""] = text().split("\n");
  expect(JSON.parse(line)).toMatchObject({
    msg: "failed",
    cause: {
      code: "StoreFailed",
      stack: expect.stringContaining("security-logs"),
      cause: { name: "TypeError", code: "EINNER" },
    },
  });
  expect(JSON.parse(second)).toMatchObject({ cause: "string" });
  expect(text()).not.toContain("canary");
});

test("a refusal is told to whoever keeps watch, with who was refused what, and nothing of what they sent", async () => {
  const { log, text } = recordedLog("info");
  const { liveplane, person } = await runServer();
  const ada = await person("ada");
  const app = express().use(
    liveplaneRouter(liveplane, { rateLimits: "off", onAnswer: (answer) => logAnswer(log, answer, 5) }),
  );
  const listening = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void listening.close());
  await once(listening, "listening");
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${(listening.address() as AddressInfo).port}${path}`, init);
  const authorization = `Bearer ${ada.token}`;

  await call("/accounts/me", { headers: { authorization } });
  await call("/accounts?email=canary", { headers: { authorization } });
  await call("/accounts/me", { headers: { authorization: "Bearer canary" } });
  await call("/auth/sessions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "canary", password: "canary" }),
  });
  const lines = text()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { msg: "refused", operation: "accounts.list", status: 403, code: "PermissionDenied", caller: ada.id },
    { msg: "refused", operation: "accounts.me", status: 401, code: "Unauthenticated", caller: null },
    { msg: "refused", operation: "sessions.create", status: 401, code: "InvalidCredentials", caller: "anonymous" },
  ]);
  expect(text()).not.toContain("canary");
});

test("a failure that the core logs as `error` is told with its causes as well", () => {
  const { log, text } = recordedLog();
  const cause = new LiveplaneError("StoreFailed", "outer", { cause: new TypeError("the disk is full") });
  loggerOver(log).error({ task: "sweep", error: cause }, "A run failed.");
  expect(JSON.parse(text())).toMatchObject({
    error: { code: "StoreFailed", message: "outer", cause: { name: "TypeError", message: "the disk is full" } },
  });
});

test("a log line shows control characters from outside as JSON escapes", () => {
  const { log, text, lines } = recordedLog();
  const hostile = "\u001b]0;title\u0007\u009b2J\u202e\u2028\u007f";
  log.info({ subject: hostile, cause: new Error(hostile) }, hostile);
  expect(text()).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(lines()).toMatchObject([{ subject: hostile, msg: hostile, cause: { message: hostile } }]);
});
