import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fairSlots } from "../../src/costly-work/fair-slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Places, and work in them that ends when it is told to. */
function world(options: Parameters<typeof fairSlots>[0]) {
  const slots = fairSlots(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string, whose: Parameters<typeof slots>[1] = {}) => {
    const gate = Promise.withResolvers<string>();
    ends.set(name, () => gate.resolve(name));
    const outcome = slots(() => {
      begun.push(name);
      return gate.promise;
    }, whose);
    return outcome.catch((error: { code: string }) => error.code);
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { slots, begun, work, end };
}

test("half of the places are one share's at most; the others come in turn, whoever came first", async () => {
  const { work, begun, end } = world({ atOnce: 4 });
  for (const name of ["a1", "a2", "a3", "a4"]) void work(name, { share: "a" });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["a1", "a2"]);
  for (const name of ["b1", "b2", "c1"]) void work(name, { share: name.slice(0, 1) });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["a1", "a2", "b1", "b2"]);
  for (const name of ["a1", "b1", "a2"]) await end(name);
  expect(begun).toEqual(["a1", "a2", "b1", "b2", "a3", "c1", "a4"]);
});

test("a place is free again also after work that failed", async () => {
  const { slots, work, begun } = world({ atOnce: 1 });
  const failure = new TypeError("failed");
  await expect(slots(() => Promise.reject(failure))).rejects.toBe(failure);
  const thrown = slots(() => {
    throw failure;
  });
  await expect(thrown).rejects.toBe(failure);
  void work("next");
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["next"]);
});

describe("work that nobody waits for any more", () => {
  test("is never begun, and makes room at once", async () => {
    const { work, begun, end } = world({ atOnce: 1, mostWaitingOfOne: 2 });
    const left = new AbortController();
    const whose = { share: "a", signal: left.signal };
    void work("first", { share: "a" });
    const outcomes = [work("second", whose), work("third", whose)];
    expect(await work("fourth", { share: "a" })).toBe("Unavailable");
    left.abort();
    expect(await Promise.all(outcomes)).toEqual(["Aborted", "Aborted"]);
    void work("fifth", { share: "a" });
    await end("first");
    expect(begun).toEqual(["first", "fifth"]);
    expect(await work("sixth", whose)).toBe("Aborted");
  });

  test("is answered at once when it was begun, and keeps its place until it has ended", async () => {
    const { work, begun, end } = world({ atOnce: 1 });
    const left = new AbortController();
    const outcome = work("first", { signal: left.signal });
    void work("second");
    await vi.advanceTimersByTimeAsync(0);
    left.abort();
    expect(await outcome).toBe("Aborted");
    expect(begun).toEqual(["first"]);
    await end("first");
    expect(begun).toEqual(["first", "second"]);
  });

  test("is not begun when it left in the moment of its turn", async () => {
    const { slots } = world({ atOnce: 1 });
    const left = new AbortController();
    const work = vi.fn(async () => "done");
    const outcome = slots(work, { signal: left.signal });
    left.abort();
    await expect(outcome).rejects.toMatchObject({ code: "Aborted" });
    expect(work).not.toHaveBeenCalled();
    await expect(slots(work)).resolves.toBe("done");
  });
});

describe("too much work", () => {
  test("is refused after a while that others' work took, with a time to come again", async () => {
    const { slots, work, begun } = world({ atOnce: 2, waitMs: 15_000 });
    void work("a", { share: "a" });
    void work("b", { share: "b" });
    const refusal = slots(async () => "done", { share: "c" }).catch((error: unknown) => error);
    const outcome = work("d", { share: "c" });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await refusal).toMatchObject({ code: "Unavailable", status: 503, details: { retryAfterSeconds: 15 } });
    expect(await outcome).toBe("Unavailable");
    expect(begun).toEqual(["a", "b"]);
  });

  test("is none where it is one's own that goes on: a list of keys takes its time", async () => {
    const { work, begun, end } = world({ atOnce: 2, waitMs: 15_000 });
    const names = Array.from({ length: 8 }, (_, at) => `a${at}`);
    const outcomes = names.map((name) => work(name, { share: "a" }));
    for (const name of names) {
      await vi.advanceTimersByTimeAsync(40_000);
      await end(name);
    }
    expect(await Promise.all(outcomes)).toEqual(names);
    expect(begun).toEqual(names);
  });

  test("is refused at once where the line is full, in all or of one share", async () => {
    const { work } = world({ atOnce: 2, mostWaiting: 3, mostWaitingOfOne: 2 });
    for (const name of ["a", "b"]) void work(name, { share: name });
    for (const name of ["c1", "c2"]) void work(name, { share: "c" });
    expect(await work("c3", { share: "c" })).toBe("Unavailable");
    void work("d1", { share: "d" });
    expect(await work("d2", { share: "d" })).toBe("Unavailable");
  });

  test("of one who fills the line makes room for another who has none in it", async () => {
    const { work, begun, end } = world({ atOnce: 2, mostWaiting: 3, mostWaitingOfOne: 3 });
    for (const name of ["a", "b"]) void work(name, { share: name });
    const [, , last] = ["c1", "c2", "c3"].map((name) => work(name, { share: "c" }));
    const other = work("d1", { share: "d" });
    expect(await last).toBe("Unavailable");
    for (const name of ["a", "c1", "b", "d1"]) await end(name);
    expect(await other).toBe("d1");
    expect(begun).toEqual(["a", "b", "c1", "d1", "c2"]);
  });
});
