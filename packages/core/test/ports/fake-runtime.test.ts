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

test("as much time passes as work waits for, and no more, whatever else sleeps longer", async () => {
  const runtime = fakeRuntime();
  const at = runtime.clock.now();
  const late = runtime.clock.sleep(3_600_000);
  const work = async () => {
    for (let minute = 0; minute < 3; minute++) {
      await runtime.crypto.digest(runtime.crypto.random(32));
      await runtime.clock.sleep(60_000);
    }
    return runtime.clock.now() - at;
  };
  expect(await runtime.during(work())).toBe(180_000);
  expect(await runtime.during(Promise.resolve("at once"))).toBe("at once");
  await expect(runtime.during(Promise.reject(new RangeError("at once")))).rejects.toThrow(RangeError);
  expect(runtime.clock.now() - at).toBe(180_000);
  await runtime.during(late);
  expect(runtime.clock.now() - at).toBe(3_600_000);
});
