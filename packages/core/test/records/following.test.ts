import { expect, test } from "vitest";
import { identityWorld } from "../builders/identity.ts";

test("following in process ends, and doesn't fail, when the host stops", async () => {
  const { liveplane, operator, settle } = await identityWorld();
  const { api } = await operator();
  const seen: string[] = [];
  const ended = (async () => {
    for await (const { type } of api.events.follow({ after: 0 })) seen.push(type);
    return "ended";
  })();
  await settle();
  await liveplane.stop();
  await settle();
  expect(await ended).toBe("ended");
  expect(seen).toContain("account.registered");
});

test("following ends for its caller alone when the caller's signal fires", async () => {
  const { liveplane, operator, host, settle } = await identityWorld();
  const { api } = await operator();
  const leave = new AbortController();
  const left: string[] = [];
  const stayed: string[] = [];
  const follow = async (into: string[], signal?: AbortSignal) => {
    for await (const { type } of api.events.follow({ ...(signal && { signal }) })) into.push(type);
  };
  const both = [follow(left, leave.signal), follow(stayed)];
  await settle();
  leave.abort();
  await both[0];
  await host.accounts.createWithCredentials({ username: "grace", password: "vK9-mQ2-xPLw-7d" });
  await settle();
  expect(left).toEqual([]);
  expect(stayed).toContain("account.registered");
  await liveplane.stop();
  await both[1];
});
