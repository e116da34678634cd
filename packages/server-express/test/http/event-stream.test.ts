import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Liveplane } from "@liveplane/core";
import { createExchanges } from "@liveplane/core/http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NodeRequest } from "../../src/http/node-request.ts";
import { answerContract } from "../../src/router.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** An open stream on which nothing happens, to a peer that takes what it is sent, or nothing. */
async function quietStream(peer: "takes" | "takes nothing") {
  let received = "";
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      received += chunk;
      if (peer === "takes") done();
    },
  });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  Object.assign(socket, { setKeepAlive: () => socket });
  let place = "taken";
  const liveplane = {
    stopping: new AbortController().signal,
    async follow({ signal, begins }: { signal: AbortSignal; begins: (after: number) => void }) {
      begins(7);
      return (async function* () {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        place = "free";
      })();
    },
  } as unknown as Liveplane;
  Object.assign(request, { method: "GET", complete: true });
  const asked = new NodeRequest({ request, response, target: "/events", base: "", trustedProxies: 0 });
  const streamed = answerContract(createExchanges({ liveplane, rateLimits: "off" }), asked);
  await vi.waitFor(() => expect(received).toContain("HTTP/1.1 200"));
  return { response, streamed, received: () => received, place: () => place };
}

test("who takes the heartbeats keeps the stream", async () => {
  const { response, received, place } = await quietStream("takes");
  for (let beats = 0; beats < 5; beats++) {
    vi.advanceTimersByTime(15_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([...received().matchAll(/: still here/g)]).toHaveLength(5);
  expect([response.destroyed, place()]).toEqual([false, "taken"]);
  response.destroy();
});

test("who hasn't taken a heartbeat by the next loses the stream, whose place is free then", async () => {
  const { response, streamed, place } = await quietStream("takes nothing");
  vi.advanceTimersByTime(15_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect([response.destroyed, place()]).toEqual([false, "taken"]);
  vi.advanceTimersByTime(15_000);
  await streamed;
  expect([response.destroyed, place()]).toEqual([true, "free"]);
});
