import type { CloudOperation, OperationReading, ResourceRef } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import {
  changedIn,
  changeOf,
  cloudHolds,
  draft,
  equals,
  made,
  refusal,
  seenInCloud,
  tagged,
  withChange,
} from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

const failure = { code: "QuotaExceeded", message: "There is no more of it in this region." };

type Slow = NonNullable<CloudUnderTest["slow"]>;

/** Writes that take time. Skipped if the cloud can't be slowed down. */
export const operationLaws: readonly CloudLaw[] = [
  slowLaw("reads a change that takes its time as working or not yet made, then as made", async (under, slow) => {
    const ref = await made(under, "first");
    const before = await seenInCloud(under, ref);
    const operation = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call));
    const reading = await under.cloud.read(ref, under.call);
    // Some resources don't show that the cloud is working on them; then they show their old state.
    if (reading.state === "present") equals(reading.parameters, before.parameters, "the parameters meanwhile");
    else equals(reading.state, "working", "the reading of what is being changed");
    equals(resourceOf(reading)?.tags ?? before.tags, before.tags, "the tags meanwhile");
    equals((await followed(under, ref, operation)).state, "working", "the operation");
    await slow.finish();
    await ended(under, ref, operation);
    equals((await seenInCloud(under, ref)).parameters, withChange(under, before.parameters), "the parameters");
  }),
  slowLaw("never reads as present what is still being made", async (under, slow) => {
    await slow.begin();
    const { resourceId, operation } = await under.cloud.create(draft(under, "first"), under.call);
    cloudHolds(operation !== undefined, "a creation that takes its time is answered without an operation");
    const ref = { type: under.type, resourceId };
    const { state } = await under.cloud.read(ref, under.call);
    cloudHolds(state === "working" || state === "missing", `what is being made reads ${state}`);
    equals((await followed(under, ref, operation)).state, "working", "the operation");
    await slow.finish();
    await ended(under, ref, operation);
    equals((await seenInCloud(under, ref)).tags, tagged(under), "the tags");
  }),
  slowLaw("shows of a write that takes its time only how it ended, and nothing done later", async (under, slow) => {
    await slow.begin();
    const { resourceId, operation, shown } = await under.cloud.create(draft(under, "first"), under.call);
    cloudHolds(operation !== undefined, "a creation that takes its time is answered without an operation");
    cloudHolds(shown === undefined, "a write is shown as done that was only accepted");
    await slow.finish();
    const ref = { type: under.type, resourceId };
    const before = await seenInCloud(under, ref);
    await under.byHand.setTags(resourceId, { stage: "later" });
    const end = await followed(under, ref, operation);
    if (end.state === "done" && end.shown !== undefined) equals(end.shown.tags, before.tags, "the tags at its end");
  }),
  slowLaw("never reads as missing what is still being deleted", async (under, slow) => {
    const ref = await made(under, "first");
    const operation = await begun(slow, () => under.cloud.remove(ref, {}, under.call));
    const { state } = await under.cloud.read(ref, under.call);
    cloudHolds(state === "working" || state === "present", `what is being deleted reads ${state}`);
    await slow.finish();
    await ended(under, ref, operation);
    equals(await under.cloud.read(ref, under.call), { state: "missing" }, "the reading");
  }),
  slowLaw("tells in the cloud's own words how an operation failed, and changes nothing then", async (under, slow) => {
    const ref = await made(under, "first");
    const before = await seenInCloud(under, ref);
    const operation = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call), failure);
    await slow.finish();
    const end = await followed(under, ref, operation);
    cloudHolds(end.state === "failed", `an operation that failed reads ${end.state}`);
    equals([end.code, end.message], [failure.code, failure.message], "the words");
    const reading = await under.cloud.read(ref, under.call);
    if (reading.state === "failed") cloudHolds(reading.code.length > 0, "a resource that failed says no word");
    equals(resourceOf(reading)?.parameters, before.parameters, "the parameters");
  }),
  slowLaw("takes no write while it is at another, and says so", async (under, slow) => {
    const ref = await made(under, "first");
    const operation = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call));
    const again = changeOf(under, "again");
    await refusal("InvalidState", () => under.cloud.update(ref, again, {}, under.call));
    await refusal("InvalidState", () => under.cloud.remove(ref, {}, under.call));
    await slow.finish();
    await ended(under, ref, operation);
    equals(changedIn(under, await seenInCloud(under, ref)), "changed", "the parameter");
  }),
  slowLaw("keeps off a tag that a person takes off while it is at a write", async (under, slow) => {
    const ref = await made(under, "first", { tags: { stage: "test", keep: "me" } });
    const operation = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call));
    await under.byHand.setTags(ref.resourceId, { keep: "me" });
    const tags = resourceOf(await under.cloud.read(ref, under.call))?.tags;
    if (tags !== undefined) equals(tags, { keep: "me" }, "the tags meanwhile");
    await slow.finish();
    await ended(under, ref, operation);
    equals((await seenInCloud(under, ref)).tags, { keep: "me" }, "the tags");
  }),
  slowLaw("lets an operation be followed from elsewhere, by its address alone", async (under, slow) => {
    const ref = await made(under, "first");
    const { address } = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call));
    const elsewhere = { ...under, cloud: slow.elsewhere() };
    const state = (await followed(elsewhere, ref, { address: JSON.parse(JSON.stringify(address)) })).state;
    equals(state, "working", "the operation, seen from elsewhere");
    await slow.finish();
    await ended(elsewhere, ref, { address });
    equals((await elsewhere.cloud.read(ref, under.call)).state, "present", "the reading, seen from elsewhere");
  }),
  slowLaw("is unreadable when an operation can't be asked after: never ended, never thrown", async (under, slow) => {
    const ref = await made(under, "first");
    const operation = await begun(slow, () => under.cloud.update(ref, changeOf(under), {}, under.call));
    for (const fault of ["fail", "throttle", "lose-answer"] as const) {
      await under.break("read", fault);
      equals((await followed(under, ref, operation)).state, "unreadable", `an operation under ${fault}`);
    }
    await under.break("read", null);
    const { state } = await followed({ ...under, call: under.rejected }, ref, operation);
    equals(state, "unreadable", "an operation to credentials that are rejected");
  }),
  slowLaw("says of an operation that it doesn't know neither that it ended nor that it goes on", async (under) => {
    const ref = await made(under, "first");
    const { state } = await followed(under, ref, { address: "operations/never-was" });
    cloudHolds(state === "gone" || state === "unreadable", `an operation that never was reads ${state}`);
  }),
];

function slowLaw(name: string, check: (under: CloudUnderTest, slow: Slow) => Promise<void>): CloudLaw {
  return {
    name,
    check: async (under) => {
      if (under.slow !== undefined) await check(under, under.slow);
    },
  };
}

/** Starts a slow write and returns its operation. */
async function begun(
  slow: Slow,
  write: () => Promise<{ readonly operation?: CloudOperation }>,
  fails?: typeof failure,
): Promise<CloudOperation> {
  await slow.begin(fails);
  const { operation } = await write();
  cloudHolds(operation !== undefined, "a write that takes its time is answered without an operation");
  cloudHolds(operation.address.length > 0, "an operation has no address");
  return operation;
}

async function followed(
  { cloud, call }: Pick<CloudUnderTest, "cloud" | "call">,
  ref: ResourceRef,
  operation: Pick<CloudOperation, "address">,
): Promise<OperationReading> {
  cloudHolds(cloud.follow !== undefined, "a cloud whose writes take their time can't be asked after them");
  return cloud.follow(ref, operation, call);
}

async function ended(
  under: Pick<CloudUnderTest, "cloud" | "call">,
  ref: ResourceRef,
  operation: Pick<CloudOperation, "address">,
): Promise<void> {
  const { state } = await followed(under, ref, operation);
  cloudHolds(state === "done" || state === "gone", `an operation that ended well reads ${state}`);
}
