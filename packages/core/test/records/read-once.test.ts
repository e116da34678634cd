import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { readOnce } from "../../src/records/call-records.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const people = collection<{ readonly id: string; readonly email: string }>()("person", {
  key: ({ id }) => [id],
  uniques: { email: ({ email }) => [[email]] },
});
const cause = { actor: "somebody", requestId: "request-1" };

test("a call reads a record once, by its key and by a name, and the next call anew", async () => {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  let reads = 0;
  const get: typeof store.get = (keys) => {
    reads += 1;
    return store.get(keys);
  };
  const records = createRecords({ store: { ...store, get }, runtime });
  const put = (id: string, email: string) => records.change(cause, (change) => void change.put(people, { id, email }));
  await put("a", "a@example.com");
  reads = 0;
  const reader = readOnce(records);
  const [first, same] = await Promise.all([reader.get(people, ["a"]), reader.get(people, ["a"])]);
  expect(first).toMatchObject({ email: "a@example.com" });
  expect(same).toBe(first);
  expect(await reader.get(people, ["b"])).toBeNull();
  expect(await reader.find(people, "email", ["c@example.com"])).toBeNull();
  expect(reads).toBe(3);
  for (const id of ["a", "b"]) await put(id, `${id === "a" ? "c" : id}@example.com`);
  reads = 0;
  expect(await reader.get(people, ["a"])).toBe(first);
  expect(await reader.get(people, ["b"])).toBeNull();
  expect(await reader.find(people, "email", ["c@example.com"])).toBeNull();
  expect(reads).toBe(0);
  const next = readOnce(records);
  expect(await next.find(people, "email", ["c@example.com"])).toMatchObject({ id: "a" });
  expect(await next.get(people, ["b"])).toMatchObject({ email: "b@example.com" });
});
