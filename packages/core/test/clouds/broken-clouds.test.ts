import { describe, expect, test } from "vitest";
import { isLiveplaneError, LiveplaneError } from "../../src/errors.ts";
import type {
  Cloud,
  OperationReading,
  ParsedResourceId,
  Reading,
  ResourceRef,
  SeenResource,
} from "../../src/ports/cloud.ts";
import { cloudLaws } from "../../src/testing/cloud-laws/cloud-conformance.ts";
import type { CloudUnderTest } from "../../src/testing/cloud-laws/cloud-under-test.ts";
import { simulatedUnderTest } from "../builders/simulated-clouds.ts";

type Broken = (cloud: Cloud, under: CloudUnderTest) => Partial<Cloud>;

/** Changes what is read directly. */
const read =
  (change: (reading: Reading, cloud: Cloud, ref: ResourceRef) => Reading): Broken =>
  (cloud) => ({ read: async (ref, call) => change(await cloud.read(ref, call), cloud, ref) });

/** Changes what is read directly of what is there. */
const present = (
  change: (reading: Extract<Reading, { state: "present" }>, cloud: Cloud, ref: ResourceRef) => Reading,
): Broken => read((reading, ...rest) => (reading.state === "present" ? change(reading, ...rest) : reading));

/** Takes what is read directly for something else. */
const readAs = (state: Reading["state"], instead: Reading): Broken =>
  read((reading) => (reading.state === state ? instead : reading));

/** Takes what has become of an operation for something else. */
const follow =
  (state: OperationReading["state"], instead: OperationReading): Broken =>
  (cloud) => ({
    follow: async (...args) => {
      const reading = await cloud.follow?.(...args);
      return reading === undefined || reading.state === state ? instead : reading;
    },
  });

/** Leaves parts of an id out of what is judged. */
const ignoring = (...parts: RegExp[]): Record<string, Broken> =>
  Object.fromEntries(
    parts.map((part) => [
      `ignores ${part.source} in an id`,
      (cloud) => ({ parseResourceId: (type, id, target) => cloud.parseResourceId(type, id.replace(part, ""), target) }),
    ]),
  );

const nothingListed = { items: [], next: null };

/** What a cloud adapter could get wrong, by the law that notices. */
const mistakes: Readonly<Record<string, Readonly<Record<string, Broken>>>> = {
  "finds no mistake in parameters that it accepts, and asks nobody": {
    "finds a mistake in every declaration": () => ({
      judgeParameters: async () => [{ pointer: "/size", detail: "It is wrong." }],
    }),
  },
  "says of a type that it knows what its facts say, and asks nobody": {
    "asks of types that it knows": (cloud) => ({
      describeTypes: async (types, target, call) => {
        const reading = await cloud.read({ type: "any", resourceId: target.scope }, call);
        if (reading.state === "unreadable") throw new LiveplaneError("ProviderError");
        return types.map(() => ({ taggable: true }));
      },
    }),
  },
  "describes types in the order asked for, those that it lacks too": {
    "describes types in an order of its own": (cloud) => ({
      describeTypes: async (...args) => [...((await cloud.describeTypes?.(...args)) ?? [])].reverse(),
    }),
  },
  "names what is near where it refuses a type": {
    "refuses a type and names nothing": (cloud) => ({
      describeTypes: async (...args) =>
        ((await cloud.describeTypes?.(...args)) ?? []).map((one) => ("refused" in one ? { refused: "No." } : one)),
    }),
  },
  "throws where it couldn't ask of a type: never made out to be none": {
    "takes a type for none that it couldn't ask of": (cloud) => ({
      describeTypes: async (types, ...rest) =>
        cloud.describeTypes?.(types, ...rest).catch(() => types.map(() => ({ refused: "There is none." }))) ?? [],
    }),
  },
  "lists each resource of a target once, across pages, and none of another target": {
    "lists resources of every target": (cloud, { otherTarget }) => ({
      discover: async (target, page, call) => {
        const own = (await cloud.discover?.(target, page, call)) ?? nothingListed;
        const others = (await cloud.discover?.(otherTarget, { after: null, limit: 10 }, call)) ?? nothingListed;
        return { ...own, items: [...own.items, ...others.items] };
      },
    }),
    "repeats the last resource of a page": (cloud) => ({
      discover: async (target, { after, limit }, call) => {
        const { items = [], next = null } = (await cloud.discover?.(target, { after, limit }, call)) ?? {};
        const last = items.at(-1);
        return { items: last && after !== null ? [last, ...items] : items, next };
      },
    }),
    "loses all but the first page": (cloud) => ({
      discover: async (...args) => ({ ...((await cloud.discover?.(...args)) ?? nothingListed), next: null }),
    }),
    "lists no tags": (cloud) => ({
      discover: async (...args) => {
        const { items, next } = (await cloud.discover?.(...args)) ?? nothingListed;
        return { items: items.map((one) => ({ ...one, tags: {} })), next };
      },
    }),
  },
  "throws where it couldn't list: never an empty list": {
    "lists nothing where it fails": (cloud) => ({
      discover: async (...args) => (await cloud.discover?.(...args).catch(() => nothingListed)) ?? nothingListed,
    }),
  },
  "is unreadable when a read fails: never missing, never thrown": {
    "reads a failure as missing": readAs("unreadable", { state: "missing" }),
    "throws what a read couldn't see": (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        if (reading.state === "unreadable") throw new LiveplaneError("ProviderError");
        return reading;
      },
    }),
  },
  "is unreadable to credentials that it rejects": {
    "reads rejected credentials as missing": readAs("unreadable", { state: "missing" }),
  },
  "reads as missing what was never there": {
    "reads as unreadable what isn't there": readAs("missing", { state: "unreadable", reason: "?" }),
  },
  "is unreadable, each one, when a bulk read fails": {
    "reads a failed bulk read as missing": (cloud) => ({
      readMany: async (refs, call) =>
        (await cloud.readMany(refs, call)).map((reading) =>
          reading.state === "unreadable" ? { state: "missing" as const } : reading,
        ),
    }),
  },
  "reads in bulk what it reads directly, in the order asked for": {
    "answers a bulk read in an order of its own": (cloud) => ({
      readMany: async (refs, call) =>
        (await cloud.readMany(refs, call)).reverse().slice(1).concat({ state: "missing" }),
    }),
  },
  "creates only: a taken id is AlreadyExists and nothing changes": {
    "overwrites on create": (cloud) => ({
      create: async (resource, call) => {
        if (resource.resourceId) await cloud.remove({ type: resource.type, resourceId: resource.resourceId }, {}, call);
        return cloud.create(resource, call);
      },
    }),
  },
  "lets one of many creators win": {
    "looks before it creates, in two calls": (cloud) => ({
      create: async (resource, call) => {
        const resourceId = resource.resourceId ?? "";
        const found = await cloud.read({ type: resource.type, resourceId }, call);
        if (found.state === "present") throw new LiveplaneError("AlreadyExists");
        return cloud.create(resource, call).catch(() => ({ resourceId }));
      },
    }),
  },
  "refuses a write bound to an etag that has moved, and changes nothing": {
    "ignores etags on update": (cloud) => ({
      update: (ref, change, _condition, call) => cloud.update(ref, change, {}, call),
    }),
    "ignores etags on remove": (cloud) => ({ remove: (ref, _condition, call) => cloud.remove(ref, {}, call) }),
  },
  "refuses to remove a tag under an etag that has moved, and keeps the tag": {
    "ignores etags when it removes a tag": (cloud) => ({
      removeTag: (ref, key, _condition, call) => cloud.removeTag(ref, key, {}, call),
    }),
  },
  "refuses a write bound to a tag that is gone or has another value, and changes nothing": {
    "ignores the tag of a condition": (cloud) => ({
      update: (ref, change, { tag: _, ...condition }, call) => cloud.update(ref, change, condition, call),
    }),
    "tests only the tag's key": (cloud) => ({
      update: async (ref, change, { tag, ...condition }, call) => {
        const reading = await cloud.read(ref, call);
        const value = reading.state === "present" && tag ? reading.tags[tag.key] : undefined;
        const found = tag && { tag: { key: tag.key, value: value ?? tag.value } };
        return cloud.update(ref, change, { ...condition, ...found }, call);
      },
    }),
  },
  "refuses to remove a tag under the condition of another that is gone": {
    "ignores the tag of a condition when it removes a tag": (cloud) => ({
      removeTag: (ref, key, { tag: _, ...condition }, call) => cloud.removeTag(ref, key, condition, call),
    }),
  },
  "moves the etag with every change, made by a call or by hand": {
    "keeps its etag through tag edits": present((reading) => ({
      ...reading,
      etag: JSON.stringify(reading.parameters),
    })),
  },
  "gives an etag exactly where writes can be conditional": {
    "has no etag although it says so": (cloud) => ({
      read: async (...args) => {
        const { etag: _, ...reading } = (await cloud.read(...args)) as Extract<Reading, { state: "present" }>;
        return reading;
      },
    }),
  },
  "removes one tag alone, and again without complaint": {
    "removes every tag": (_cloud, { byHand }) => ({
      removeTag: async (ref) => {
        await byHand.setTags(ref.resourceId, {});
        return {};
      },
    }),
    "complains about a tag that is gone already": (cloud) => ({
      removeTag: async (ref, key, condition, call) => {
        const reading = await cloud.read(ref, call);
        if (reading.state === "present" && !(key in reading.tags)) throw new LiveplaneError("NotFound");
        return cloud.removeTag(ref, key, condition, call);
      },
    }),
  },
  "compares tag keys as it says that it does": {
    "compares tag keys in its own way": (cloud) => ({
      capabilities: { ...cloud.capabilities, caselessTagKeys: !cloud.capabilities.caselessTagKeys },
    }),
  },
  "changes the parameters and tags that are named, and no other": {
    "replaces all tags on update": (cloud, { byHand }) => ({
      update: async (ref, change, condition, call) => {
        await cloud.update(ref, change, condition, call);
        await byHand.setTags(ref.resourceId, change.tags);
        return {};
      },
    }),
  },
  "tells NotFound to a change of what is gone": {
    "makes anew what it should change": (cloud, under) => ({
      update: async (ref, change, condition, call) => {
        const reading = await cloud.read(ref, call);
        if (reading.state !== "missing") return cloud.update(ref, change, condition, call);
        const { target, parameters } = under;
        return cloud.create({ ...ref, name: "never-made", target, parameters, tags: {}, intent: "again" }, call);
      },
    }),
  },
  "deletes, and again without complaint": {
    "complains about what is deleted already": (cloud) => ({
      remove: async (ref, condition, call) => {
        if ((await cloud.read(ref, call)).state === "missing") throw new LiveplaneError("NotFound");
        return cloud.remove(ref, condition, call);
      },
    }),
  },
  "tells a resource made again from the one before, where it tells identities at all": {
    "gives one identity to all incarnations": present((reading, _cloud, ref) => ({
      ...reading,
      identity: ref.resourceId,
    })),
  },
  "shows declared tags among the tags, never among the parameters": {
    "shows declared tags among the parameters": (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        if (reading.state !== "present") return reading;
        return { ...reading, parameters: { ...reading.parameters, [cloud.capabilities.tagParameter]: reading.tags } };
      },
    }),
  },
  "knows ids beforehand, or says that it doesn't": {
    "promises an id and takes another": (cloud) => ({
      resourceIdFor: (type, name, target) => `${cloud.resourceIdFor(type, name, target)}-x`,
      create: (resource, call) => cloud.create({ ...resource, resourceId: null }, call),
    }),
  },
  "takes the ids that it makes as they are, with a name that makes them again": {
    "spells ids otherwise than it makes them": (cloud) => ({
      parseResourceId: (...args) => changedId(cloud.parseResourceId(...args), (id) => id.toLowerCase()),
    }),
  },
  "refuses an id that lies outside of the target": {
    "takes the ids of its neighbours": (cloud, { otherTarget }) => ({
      parseResourceId: (type, id, target) => {
        const parsed = cloud.parseResourceId(type, id, target);
        return "refused" in parsed ? cloud.parseResourceId(type, id, otherTarget) : parsed;
      },
    }),
  },
  "refuses an id that could be read as another path or address": {
    ...ignoring(
      /[/]+$/,
      /[?#].*$/,
      /[\s\0]+$/,
      /[/]\.\.$/,
      /\/\.(?=\/)/,
      /^.*elsewhere.invalid[/]/,
      /%2fanother$/,
      /\\another$/,
    ),
  },
  "takes two spellings for one id, or one of them for none": {
    "holds two spellings for two resources": (cloud) => ({
      parseResourceId: (type, id, target) =>
        changedId(cloud.parseResourceId(type, id, target), (own) => (id === id.toUpperCase() ? `${own}-2` : own)),
    }),
  },
  "says the same of an id whatever is there": {
    "tells strangers what is there": (cloud) => {
      let turn = 0;
      return {
        parseResourceId: (...args) =>
          turn++ === 0 ? cloud.parseResourceId(...args) : { refused: "resourceId", detail: "There is no such thing." },
      };
    },
  },
  "counts what one scope does apart from another": {
    "lets all scopes slow each other": () => ({ throttleScope: () => "the cloud" }),
  },
  "says that the outcome is unknown when an answer is lost": {
    "says of a lost answer that the call failed": (cloud) => ({
      update: (...args) => cloud.update(...args).catch(failed),
    }),
  },
  "finds what was created when the answer was lost: by its id, else by its intent": {
    "forgets its intents": () => ({ findCreated: async () => null }),
    "finds what is gone": (cloud) => {
      let last: Awaited<ReturnType<Cloud["findCreated"]>> = null;
      return {
        findCreated: async (intent, target, call) => {
          last = (await cloud.findCreated(intent, target, call)) ?? last;
          return intent === "intent-first" ? last : null;
        },
      };
    },
  },
  "says how long to wait when it is throttled": {
    "doesn't say how long to wait": (cloud) => ({
      removeTag: (...args) => cloud.removeTag(...args).catch(() => Promise.reject(new LiveplaneError("RateLimited"))),
    }),
  },
  "changes nothing when a write fails, and says that trying again may help": {
    "calls a passing failure final": (cloud) => ({
      update: (...args) => cloud.update(...args).catch(() => Promise.reject(new LiveplaneError("ProviderError"))),
    }),
    "applies what it says has failed": (cloud, under) => ({
      update: async (ref, change, condition, call) => {
        await under.break("write", null);
        await cloud.update(ref, change, condition, call);
        await under.break("write", "fail");
        throw new LiveplaneError("ProviderError", undefined, { retryable: true });
      },
    }),
  },
  "begins nothing for a caller who has gone": {
    "works for a caller who has gone": (cloud) => ({
      create: (resource, { credentials }) => cloud.create(resource, { credentials }),
    }),
  },
  "lets no credential out": {
    "prints the credential": (cloud) => ({
      create: (resource, call) =>
        cloud.create(resource, call).catch(() => {
          throw new LiveplaneError("ProviderError", `refused ${call.credentials.secret?.reveal()}`);
        }),
    }),
  },
  "rejects credentials by their own code": {
    "lets rejected credentials see the places": (cloud, { call }) => ({
      locations: (scope, tenantId) => cloud.locations(scope, tenantId, call),
    }),
  },
  "lists places by names that are all different": {
    "lists a place twice": (cloud) => ({
      locations: async (...args) => (await cloud.locations(...args)).flatMap((place) => [place, place]),
    }),
  },
  "plans the same steps whenever it is asked, each with a name of its own": {
    "plans other steps each time": (cloud) => {
      let turn = 0;
      return {
        initializationSteps: (...args) =>
          cloud.initializationSteps(...args).map((step) => ({ ...step, name: `${step.name}-${turn++}` })),
      };
    },
  },
  "makes each thing once, however often its step is run": {
    "makes a thing anew at every attempt": (cloud) => {
      let turn = 0;
      return { runStep: async (...args) => ({ ...(await cloud.runStep(...args)), id: `thing-${turn++}` }) };
    },
  },
  "goes on behind any step": {
    "stumbles over its own work": (cloud) => {
      const done = new Set<string>();
      return {
        runStep: (step, ...rest) => {
          if (done.has(step)) throw new LiveplaneError("AlreadyExists");
          done.add(step);
          return cloud.runStep(step, ...rest);
        },
      };
    },
  },
  "rejects credentials at the first step": {
    "sets out with rejected credentials": (cloud, { call }) => ({
      runStep: (step, request) => cloud.runStep(step, request, call),
    }),
  },
  "reads back the tags and parameters that it was given": {
    "loses a parameter": (cloud) => ({
      create: ({ parameters: { nested: _, ...kept }, ...resource }, call) =>
        cloud.create({ ...resource, parameters: kept }, call),
    }),
  },
  "gives the outputs id and name": {
    "gives no outputs": present((reading) => ({ ...reading, outputs: {} })),
  },
  "sees what was done by hand": {
    "reads from a memory of its own": (cloud) => {
      const seen = new Map<string, Reading>();
      return {
        read: async (ref, call) => {
          const reading = seen.get(ref.resourceId) ?? (await cloud.read(ref, call));
          seen.set(ref.resourceId, reading);
          return reading;
        },
      };
    },
  },
  "reads a change that takes its time as working or not yet made, then as made": {
    "reads what is being changed as made already": (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        const { resource } = reading.state === "working" ? reading : {};
        if (resource === undefined) return reading;
        return { state: "present", ...resource, parameters: { ...resource.parameters, size: "changed" } };
      },
    }),
  },
  "never reads as present what is still being made": {
    "answers as done what it has only accepted": (cloud) => ({
      create: async (...args) => {
        const { resourceId } = await cloud.create(...args);
        return { resourceId };
      },
    }),
  },
  "never reads as missing what is still being deleted": {
    "reads what is being deleted as missing": readAs("working", { state: "missing" }),
  },
  "tells in the cloud's own words how an operation failed, and changes nothing then": {
    "takes an operation that failed for one that is done": follow("failed", { state: "done" }),
  },
  "takes no write while it is at another, and says so": {
    "says Conflict of a write that it is at another of": (cloud) => ({
      update: (...args) =>
        cloud.update(...args).catch((error) => {
          throw isLiveplaneError(error, "InvalidState") ? new LiveplaneError("ProviderError") : error;
        }),
    }),
  },
  "keeps off a tag that a person takes off while it is at a write": {
    "writes its tags once more when it is done": (cloud, { byHand }) => ({
      follow: async (ref, operation, call) => {
        const reading = await cloud.follow?.(ref, operation, call);
        if (reading?.state === "done") await byHand.setTags(ref.resourceId, { stage: "test", keep: "me" });
        return reading ?? { state: "gone" };
      },
    }),
  },
  "lets an operation be followed from elsewhere, by its address alone": {
    "keeps its operations to itself": (cloud) => {
      const known = new Map<string, string>();
      return {
        update: async (...args) => {
          const { operation } = await cloud.update(...args);
          if (operation === undefined) return {};
          known.set("one", operation.address);
          return { operation: { ...operation, address: "one" } };
        },
        follow: async (ref, { address }, call) =>
          (await cloud.follow?.(ref, { address: known.get(address) ?? "" }, call)) ?? { state: "gone" },
      };
    },
  },
  "is unreadable when an operation can't be asked after: never ended, never thrown": {
    "takes an operation that can't be asked after for one that is gone": follow("unreadable", { state: "gone" }),
  },
  "says of an operation that it doesn't know neither that it ended nor that it goes on": {
    "takes an operation that it doesn't know for one that is done": follow("gone", { state: "done" }),
  },
  "shows with the answer to a write what a read shows right after it": {
    "shows with its answer what was there before": (cloud) => ({
      update: async (ref, change, condition, call) => {
        const before = seenIn(await cloud.read(ref, call));
        return { ...(await cloud.update(ref, change, condition, call)), ...before };
      },
    }),
  },
  "shows with the answer to a write nothing that was done after it": {
    "shows with its answer what it reads later": (cloud) => ({
      update: async (ref, change, condition, call) => {
        const written = await cloud.update(ref, change, condition, call);
        return { ...written, ...seenIn(await cloud.read(ref, call)) };
      },
    }),
  },
  "shows of a write that takes its time only how it ended, and nothing done later": {
    "shows what it has only accepted": (cloud) => ({
      create: async (resource, call) => {
        const { tags, parameters } = resource;
        return { ...(await cloud.create(resource, call)), shown: { tags, parameters, outputs: {} } };
      },
    }),
    "shows at the end of an operation what it reads then": (cloud) => ({
      follow: async (ref, operation, call) => {
        const end = (await cloud.follow?.(ref, operation, call)) ?? { state: "gone" };
        return end.state === "done" ? { ...end, ...seenIn(await cloud.read(ref, call)) } : end;
      },
    }),
  },
  "leaves all as it is where a change names nothing": {
    "empties what a change doesn't name": (cloud, { byHand }) => ({
      update: async (ref, change, condition, call) => {
        const written = await cloud.update(ref, change, condition, call);
        if (change.parameters.length === 0) await byHand.setTags(ref.resourceId, {});
        return written;
      },
    }),
  },
  "leaves beside what is named what a person has changed since it was read": {
    "writes whole bodies, tags and all": (cloud, { byHand }) => {
      let seen: Record<string, string> = {};
      return {
        read: async (...args) => {
          const reading = await cloud.read(...args);
          if (reading.state === "present") seen = { ...reading.tags };
          return reading;
        },
        update: async (ref, ...args) => {
          const written = await cloud.update(ref, ...args);
          await byHand.setTags(ref.resourceId, seen);
          return written;
        },
      };
    },
  },
};

describe.each(Object.entries(mistakes))("the law: %s", (lawName, broken) => {
  test.each(Object.entries(broken))("notices a cloud that %s", async (_, change) => {
    const law = cloudLaws.find(({ name }) => name === lawName);
    const under = await simulatedUnderTest({
      choosesIds: lawName.includes("intent"),
      ...(/\btag\b.*gone/.test(lawName) && { boundBy: () => ({ create: "etag", properties: "test", tags: "test" }) }),
    });
    const cloud = { ...under.cloud, ...change(under.cloud, under) };
    await expect(law?.check({ ...under, cloud })).rejects.toThrow();
  });
});

test("has a mistake for every law", () => {
  expect(Object.keys(mistakes).toSorted()).toEqual(cloudLaws.map(({ name }) => name).toSorted());
});

function changedId(parsed: ParsedResourceId, change: (id: string) => string): ParsedResourceId {
  return "refused" in parsed ? parsed : { ...parsed, id: change(parsed.id) };
}

function seenIn(reading: Reading): { shown?: SeenResource } {
  if (reading.state !== "present") return {};
  const { state: _, ...shown } = reading;
  return { shown };
}

function failed(): never {
  throw new LiveplaneError("ProviderError", undefined, { retryable: true });
}
