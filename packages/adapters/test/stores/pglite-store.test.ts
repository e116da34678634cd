import { cpSync } from "node:fs";
import { join } from "node:path";
import { pgliteStore } from "@liveplane/adapters/pglite-store";
import { storeConformance } from "@liveplane/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../empty-folder.ts";
import { programs } from "./model-programs.ts";

const all = emptyFolder(afterAll);
const empty = join(all, "empty");
let folders = 0;

/** A new database takes seconds to create, and a copy of an empty one a moment. */
function freshFolder(): string {
  const folder = join(all, `${++folders}`);
  cpSync(empty, folder, { recursive: true });
  return folder;
}

beforeAll(async () => (await pgliteStore({ folder: empty })).close(), 120_000);

storeConformance(
  (title, run) => test(title, { timeout: 120_000 }, run),
  ({ now }) => pgliteStore({ folder: freshFolder(), now }),
  {
    programs: Math.ceil(programs / 5),
    place({ now }) {
      const folder = freshFolder();
      return () => pgliteStore({ folder, now });
    },
  },
);

test("refuses a second owner of its folder, and lets the next one in", async () => {
  const folder = freshFolder();
  const store = await pgliteStore({ folder });
  await expect(pgliteStore({ folder })).rejects.toMatchObject({
    code: "StoreFailed",
    message: expect.stringContaining("Another process"),
  });
  await store.commit({ sets: [{ key: ["a"], value: 1 }] });
  await store.close();
  const next = await pgliteStore({ folder });
  expect((await next.get([["a"]]))[0]?.value).toBe(1);
  await next.close();
});

test("deletes what has expired", async () => {
  let time = 1_000_000;
  const folder = freshFolder();
  const store = await pgliteStore({ folder, now: () => time });
  await store.commit({ sets: [{ key: ["short"], value: 1, expiresAt: time + 1000 }] });
  time += 61_000;
  await store.commit({});
  await store.close();
  // At an earlier time, what wasn't deleted would be visible again.
  const early = await pgliteStore({ folder, now: () => 1_000_000 });
  expect(await early.get([["short"]])).toEqual([null]);
  await early.close();
});
