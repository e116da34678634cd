import type { Reading } from "../../ports/cloud.ts";
import { isLeftUnread } from "../../ports/readings.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import {
  cloudHolds,
  covers,
  draft,
  equals,
  made,
  namedId,
  nothingThere,
  seenInCloud,
  tagged,
} from "./cloud-expectations.ts";
import type { CloudLaw } from "./cloud-under-test.ts";

/** What a cloud says about existing resources. */
export const readLaws: readonly CloudLaw[] = [
  {
    name: "reads as missing what was never there",
    async check(under) {
      equals(await under.cloud.read(nothingThere(under), under.call), { state: "missing" }, "the reading");
    },
  },
  {
    name: "reads back the tags and parameters that it was given",
    async check(under) {
      const reading = await seenInCloud(under, await made(under, "first"));
      equals(reading.tags, tagged(under), "the tags");
      for (const [name, value] of Object.entries(under.parameters)) covers(reading.parameters[name], value, name);
    },
  },
  {
    name: "gives the outputs id and name",
    async check(under) {
      const ref = await made(under, "first");
      const { outputs } = await seenInCloud(under, ref);
      equals(outputs.id, ref.resourceId, "the output id");
      cloudHolds(typeof outputs.name === "string", "the output name is no string");
    },
  },
  {
    name: "shows declared tags among the tags, never among the parameters",
    ofTags: true,
    async check(under) {
      const { tagParameter } = under.cloud.capabilities;
      const ref = await made(under, "first", { parameters: { ...under.parameters, [tagParameter]: { team: "blue" } } });
      const reading = await seenInCloud(under, ref);
      equals(reading.tags, { team: "blue", stage: "test" }, "the tags");
      cloudHolds(!(tagParameter in reading.parameters), `${tagParameter} is among the parameters`);
    },
  },
  {
    name: "reads in bulk what it reads directly, in the order asked for",
    async check(under) {
      const refs = [await made(under, "first"), nothingThere(under), await made(under, "second", { tags: {} })];
      await under.settle?.();
      const size = under.cloud.capabilities.bulkReadSize;
      cloudHolds(size >= 1, "a bulk read takes nothing");
      const direct: Reading[] = [];
      for (const ref of refs) direct.push(await under.cloud.read(ref, under.call));
      const bulk: Reading[] = [];
      for (let at = 0; at < refs.length; at += size)
        bulk.push(...(await under.cloud.readMany(refs.slice(at, at + size), under.call)));
      for (const [at, reading] of bulk.entries()) if (isLeftUnread(reading)) bulk[at] = direct[at] ?? reading;
      equals(
        bulk.map(({ state }) => state),
        ["present", "missing", "present"],
        "the bulk read",
      );
      equals(bulk.map(tagsOf), direct.map(tagsOf), "the tags read in bulk");
    },
  },
  {
    name: "sees what was done by hand",
    async check(under) {
      const ref = await made(under, "first");
      await under.byHand.setTags(ref.resourceId, { other: "hand" });
      equals((await seenInCloud(under, ref)).tags, tagged(under, { other: "hand" }), "the tags");
      await under.byHand.remove(ref.resourceId);
      equals(await under.cloud.read(ref, under.call), { state: "missing" }, "the reading");
    },
  },
  {
    name: "tells a resource made again from the one before, where it tells identities at all",
    async check(under) {
      const ref = await made(under, "first");
      const { identity } = await seenInCloud(under, ref);
      equals((await seenInCloud(under, ref)).identity, identity, "the identity read twice");
      await under.byHand.remove(ref.resourceId);
      const again = await made(under, "first", { intent: "intent-again" });
      if (identity !== undefined)
        cloudHolds((await seenInCloud(under, again)).identity !== identity, "two incarnations share an identity");
    },
  },
  {
    name: "gives an etag exactly where writes can be conditional",
    async check(under) {
      const { etag } = await seenInCloud(under, await made(under, "first"));
      const { properties, tags } = boundByOf(under.cloud, under.type);
      const isBound = [properties, tags].some((part) => part === "etag" || part === "fingerprint");
      equals(etag !== undefined, isBound, "whether there is an etag");
    },
  },
  {
    name: "knows ids beforehand, or says that it doesn't",
    async check(under) {
      const expected = namedId(under, "first");
      equals(namedId(under, "first"), expected, "the same id asked twice");
      const { resourceId } = await made(under, "first");
      if (expected === null) return;
      equals(resourceId, expected, "the id");
      cloudHolds(namedId(under, "second") !== expected, "two names share an id");
    },
  },
  {
    name: "counts what one scope does apart from another",
    async check(under) {
      const { cloud, otherTarget } = under;
      const first = cloud.throttleScope((await made(under, "first")).resourceId);
      equals(cloud.throttleScope((await made(under, "second")).resourceId), first, "the scope of a neighbour");
      const elsewhere = await cloud.create(draft(under, "third", { target: otherTarget }), under.call);
      cloudHolds(cloud.throttleScope(elsewhere.resourceId) !== first, "two scopes slow each other");
    },
  },
];

function tagsOf(reading: { readonly state: string; readonly tags?: unknown }): unknown {
  return reading.tags ?? null;
}
