import { expect, test } from "vitest";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

test("settling lets a long chain of digests and HMACs come to its end", async () => {
  const runtime = fakeRuntime();
  let bytes = runtime.crypto.random(32);
  let links = 0;
  const chain = (async () => {
    for (; links < 300; links++) {
      bytes = await runtime.crypto.digest(bytes);
      bytes = await runtime.crypto.hmac(bytes, bytes);
    }
  })();
  await runtime.settle();
  expect(links).toBe(300);
  await chain;
});

test("settling waits for no time to pass", async () => {
  const runtime = fakeRuntime();
  let woken = false;
  const sleeper = runtime.clock.sleep(1).then(() => {
    woken = true;
  });
  await runtime.settle();
  expect(woken).toBe(false);
  await runtime.advance(1);
  expect(woken).toBe(true);
  await sleeper;
});
