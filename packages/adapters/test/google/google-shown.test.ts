import { expect, test } from "vitest";
import { googleUnderTest } from "./google-world.ts";

/** Creates and corrects a resource, slowly or at once. Lists what the answers and the ends of the operations show. */
async function shownOf(type: string, isSlow: boolean) {
  const { cloud, call, target, parameters, changing, google, close } = await googleUnderTest(type);
  const resourceId = cloud.resourceIdFor(type, "first", target) ?? "";
  const ref = { type, resourceId };
  const named = { type, name: "first", resourceId, target, parameters, tags: { a: "b" }, intent: "one" };
  const change = { parameters: [{ pointer: changing, value: "changed" }], tags: {} };
  const shown: unknown[] = [];
  for (const write of [() => cloud.create(named, call), () => cloud.update(ref, change, {}, call)]) {
    if (isSlow) google.slow({ takesMs: "until finished" });
    const written = await write();
    google.finish();
    const { operation } = written;
    const end = operation ? await cloud.follow?.(ref, operation, call) : null;
    shown.push(written.shown?.tags ?? (end?.state === "done" ? end.shown?.tags : undefined));
  }
  await close();
  return shown;
}

test.each(["storage.v1.bucket", "pubsub.v1.topic", "secretmanager.v1.secret", "run.v2.service"])(
  "writes of %s that are done at once show what became of them",
  async (type) => expect(await shownOf(type, false)).toEqual([{ a: "b" }, { a: "b" }]),
);

test.each(["run.v2.service", "run.v2.job", "redis.v1.instance"])(
  "operations of %s show at their end what became of the resource",
  async (type) => expect(await shownOf(type, true)).toEqual([{ a: "b" }, { a: "b" }]),
);

test.each(["compute.v1.disk", "sqladmin.v1.instance"])("operations of %s hold no resource", async (type) => {
  for (const isSlow of [false, true]) expect(await shownOf(type, isSlow)).toEqual([undefined, undefined]);
});
