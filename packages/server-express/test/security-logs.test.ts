import { Writable } from "node:stream";
import { LiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { createLog, loggerOver } from "../src/observability.ts";

function recorded() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLog("debug", destination), text: () => lines.join("") };
}

test("members with a secret's name are redacted, at any of the depths that a mistake would use", () => {
  const { log, text } = recorded();
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
  const { log, text } = recorded();
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
