import { isLiveplaneError } from "../../errors.ts";
import type { WriteCondition } from "../../ports/cloud.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import {
  changeOf,
  cloudHolds,
  draft,
  equals,
  made,
  namedId,
  nothingThere,
  refusal,
  seenInCloud,
  showsAsRead,
  tagged,
  withChange,
} from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

const noChange = { parameters: [], tags: {} };

/** What a write changes, and what it leaves alone. */
export const writeLaws: readonly CloudLaw[] = [
  {
    name: "creates only: a taken id is AlreadyExists and nothing changes",
    async check(under) {
      if (namedId(under, "first") === null) return;
      const ref = await made(under, "first");
      const before = await seenInCloud(under, ref);
      const other = draft(under, "first", { tags: { stage: "other" }, intent: "intent-other" });
      await refusal("AlreadyExists", () => under.cloud.create(other, under.call));
      equals(await seenInCloud(under, ref), before, "the resource");
    },
  },
  {
    name: "lets one of many creators win",
    async check(under) {
      if (namedId(under, "first") === null) return;
      // An unconditional creation overwrites what somebody else created at the same moment.
      if (boundByOf(under.cloud, under.type).create === "none") return;
      const tries = Array.from({ length: 8 }, (_, at) =>
        draft(under, "first", { tags: { by: `t${at}` }, intent: `intent-${at}` }),
      );
      const results = await Promise.allSettled(tries.map((resource) => under.cloud.create(resource, under.call)));
      equals(results.filter(({ status }) => status === "fulfilled").length, 1, "the number of winners");
      const losers = results.filter((result) => result.status === "rejected");
      cloudHolds(
        losers.every(({ reason }) => isLiveplaneError(reason, "AlreadyExists")),
        "a loser isn't told AlreadyExists",
      );
    },
  },
  {
    name: "changes the parameters and tags that are named, and no other",
    async check(under) {
      const ref = await made(under, "first", { tags: { stage: "test", keep: "me" } });
      const before = await seenInCloud(under, ref);
      const change = { ...changeOf(under), tags: tagged(under, { stage: "next", added: "tag" }) };
      await under.cloud.update(ref, change, conditionOf(before), under.call);
      const after = await seenInCloud(under, ref);
      equals(after.parameters, withChange(under, before.parameters), "the parameters");
      equals(after.tags, tagged(under, { stage: "next", keep: "me", added: "tag" }), "the tags");
      equals(after.identity, before.identity, "the identity");
    },
  },
  {
    name: "shows with the answer to a write what a read shows right after it",
    async check(under) {
      const { resourceId, shown } = await under.cloud.create(draft(under, "first"), under.call);
      const ref = { type: under.type, resourceId };
      await showsAsRead(under, ref, shown);
      const written = await under.cloud.update(ref, changeOf(under), {}, under.call);
      await showsAsRead(under, ref, written.shown);
    },
  },
  {
    name: "shows with the answer to a write nothing that was done after it",
    ofTags: true,
    async check(under) {
      if (under.beforeAnswer === undefined) return;
      const ref = await made(under, "first", { tags: { stage: "test" } });
      under.beforeAnswer(() => under.byHand.setTags(ref.resourceId, { stage: "later" }));
      const { shown } = await under.cloud.update(ref, changeOf(under), {}, under.call);
      equals((await seenInCloud(under, ref)).tags, { stage: "later" }, "the tags after the edit by hand");
      if (shown !== undefined) equals(shown.tags, { stage: "test" }, "the tags that the write shows");
    },
  },
  {
    name: "leaves all as it is where a change names nothing",
    async check(under) {
      const ref = await made(under, "first");
      const { parameters, tags } = await seenInCloud(under, ref);
      await under.cloud.update(ref, noChange, {}, under.call);
      const after = await seenInCloud(under, ref);
      equals([after.parameters, after.tags], [parameters, tags], "the parameters and tags");
    },
  },
  {
    name: "leaves beside what is named what a person has changed since it was read",
    ofTags: true,
    async check(under) {
      if (boundByOf(under.cloud, under.type).properties === "none") return;
      const ref = await made(under, "first", { tags: { stage: "test", keep: "me" } });
      await seenInCloud(under, ref);
      await under.byHand.setTags(ref.resourceId, { keep: "me" });
      await under.cloud.update(ref, changeOf(under), {}, under.call);
      equals((await seenInCloud(under, ref)).tags, { keep: "me" }, "the tags");
    },
  },
  {
    name: "moves the etag with every change, made by a call or by hand",
    ofTags: true,
    async check(under) {
      const ref = await made(under, "first");
      const etags = [(await seenInCloud(under, ref)).etag];
      const writes = [
        () => under.cloud.update(ref, { ...noChange, tags: { a: "b" } }, {}, under.call),
        () => under.cloud.removeTag(ref, "a", {}, under.call),
        () => under.byHand.setTags(ref.resourceId, { c: "d" }),
      ];
      for (const write of writes) {
        await write();
        etags.push((await seenInCloud(under, ref)).etag);
      }
      const { properties, tags } = boundByOf(under.cloud, under.type);
      // A fingerprint covers only what it binds, and returns with it.
      if (!hasEtag(under) && [properties, tags].includes("fingerprint")) return;
      const moves = hasEtag(under) ? etags.length : 1;
      equals(new Set(etags).size, moves, "the number of etags");
    },
  },
  {
    name: "refuses a write bound to an etag that has moved, and changes nothing",
    check: (under) =>
      afterMove(under, "properties", async (ref, stale) => {
        await refusal("PreconditionFailed", () => under.cloud.update(ref, changeOf(under), stale, under.call));
        await refusal("PreconditionFailed", () => under.cloud.remove(ref, stale, under.call));
      }),
  },
  {
    name: "refuses to remove a tag under an etag that has moved, and keeps the tag",
    ofTags: true,
    check: (under) =>
      afterMove(under, "tags", async (ref, stale) => {
        await refusal("PreconditionFailed", () => under.cloud.removeTag(ref, "moved", stale, under.call));
      }),
  },
  {
    name: "refuses a write bound to a tag that is gone or has another value, and changes nothing",
    check: (under) =>
      withoutBoundTag(under, "properties", async (ref, tag) => {
        await refusal("PreconditionFailed", () => under.cloud.update(ref, changeOf(under), { tag }, under.call));
      }),
  },
  {
    name: "refuses to remove a tag under the condition of another that is gone",
    check: (under) =>
      withoutBoundTag(under, "tags", async (ref, tag) => {
        await refusal("PreconditionFailed", () => under.cloud.removeTag(ref, "keep", { tag }, under.call));
      }),
  },
  {
    name: "tells NotFound to a change of what is gone",
    async check(under) {
      const change = { ...noChange, tags: { a: "b" } };
      await refusal("NotFound", () => under.cloud.update(nothingThere(under), change, {}, under.call));
      equals(await under.cloud.read(nothingThere(under), under.call), { state: "missing" }, "the reading");
    },
  },
  {
    name: "removes one tag alone, and again without complaint",
    ofTags: true,
    async check(under) {
      const ref = await made(under, "first", { tags: { stage: "test", keep: "me" } });
      const before = await seenInCloud(under, ref);
      await under.cloud.removeTag(ref, "stage", conditionOf(before), under.call);
      await under.cloud.removeTag(ref, "stage", {}, under.call);
      const after = await seenInCloud(under, ref);
      equals(after.tags, { keep: "me" }, "the tags");
      equals(after.parameters, before.parameters, "the parameters");
    },
  },
  {
    name: "compares tag keys as it says that it does",
    ofTags: true,
    async check(under) {
      const { caselessTagKeys } = under.cloud.capabilities;
      const ref = await made(under, "first", { tags: { stage: "test" } });
      const removeOther = () => under.cloud.removeTag(ref, "STAGE", {}, under.call);
      await removeOther();
      equals((await seenInCloud(under, ref)).tags, caselessTagKeys ? {} : { stage: "test" }, "the tags");
    },
  },
  {
    name: "deletes, and again without complaint",
    async check(under) {
      const ref = await made(under, "first");
      await under.cloud.remove(ref, conditionOf(await seenInCloud(under, ref)), under.call);
      equals(await under.cloud.read(ref, under.call), { state: "missing" }, "the reading");
      await under.cloud.remove(ref, {}, under.call);
    },
  },
];

function conditionOf({ etag }: { readonly etag?: string }): WriteCondition {
  return etag === undefined ? {} : { etag };
}

/** Whether an etag of the whole resource binds any part of its writes. */
function hasEtag({ cloud, type }: CloudUnderTest): boolean {
  const { properties, tags } = boundByOf(cloud, type);
  return properties === "etag" || tags === "etag";
}

/** Runs while a tag that was there is gone, and while it has another value; skipped if no such tag binds that part. */
async function withoutBoundTag(
  under: CloudUnderTest,
  part: "properties" | "tags",
  work: (ref: { type: string; resourceId: string }, tag: { key: string; value: string }) => Promise<void>,
): Promise<void> {
  if (boundByOf(under.cloud, under.type)[part] !== "test") return;
  const tag = { key: "stage", value: "test" };
  const ref = await made(under, "first", { tags: { stage: "test", keep: "me" } });
  await under.cloud.update(ref, changeOf(under), { tag }, under.call);
  for (const tags of [{ keep: "me" }, { keep: "me", stage: "other" }] as const) {
    await under.byHand.setTags(ref.resourceId, tags);
    const before = await seenInCloud(under, ref);
    await work(ref, tag);
    equals(await seenInCloud(under, ref), before, "the resource");
  }
}

/** Runs with an outdated etag of a resource; skipped if the cloud has no etags. */
async function afterMove(
  under: CloudUnderTest,
  part: "properties" | "tags",
  work: (ref: { type: string; resourceId: string }, stale: WriteCondition) => Promise<void>,
): Promise<void> {
  const ref = await made(under, "first");
  const stale = conditionOf(await seenInCloud(under, ref));
  await under.byHand.setTags(ref.resourceId, { moved: "yes" });
  const before = await seenInCloud(under, ref);
  const bound = boundByOf(under.cloud, under.type);
  if (![bound.properties, bound.tags].some((by) => by === "etag" || by === "fingerprint"))
    return equals(stale, {}, "the etag of a cloud without conditional writes");
  // What binds only the tags changes with them, as an etag does.
  const isMoved = bound[part] === "etag" || (part === "tags" && bound.tags === "fingerprint");
  if (!isMoved) return;
  await work(ref, stale);
  equals(await seenInCloud(under, ref), before, "the resource");
}
