import { expect, test } from "vitest";
import { isLiveplaneError, LiveplaneError } from "../../src/errors.ts";
import type { Cloud, ParsedResourceId, Reading } from "../../src/ports/cloud.ts";
import { cloudLaws } from "../../src/testing/cloud-laws/cloud-conformance.ts";
import type { CloudUnderTest } from "../../src/testing/cloud-laws/cloud-under-test.ts";
import { simulatedUnderTest } from "../builders/simulated-clouds.ts";

/** What a cloud adapter could get wrong, and the law that notices. */
const mistakes: readonly [
  what: string,
  law: string,
  broken: (cloud: Cloud, under: CloudUnderTest) => Partial<Cloud>,
][] = [
  [
    "asks of types that it knows",
    "says of a type that it knows what its facts say, and asks nobody",
    (cloud) => ({
      describeTypes: async (types, target, call) => {
        const reading = await cloud.read({ type: "any", resourceId: target.scope }, call);
        if (reading.state === "unreadable") throw new LiveplaneError("ProviderError");
        return types.map(() => ({ taggable: true }));
      },
    }),
  ],
  [
    "describes types in an order of its own",
    "describes types in the order asked for, those that it lacks too",
    (cloud) => ({ describeTypes: async (...args) => [...((await cloud.describeTypes?.(...args)) ?? [])].reverse() }),
  ],
  [
    "refuses a type and names nothing",
    "names what is near where it refuses a type",
    (cloud) => ({
      describeTypes: async (...args) =>
        ((await cloud.describeTypes?.(...args)) ?? []).map((one) => ("refused" in one ? { refused: "No." } : one)),
    }),
  ],
  [
    "takes a type for none that it couldn't ask of",
    "throws where it couldn't ask of a type: never made out to be none",
    (cloud) => ({
      describeTypes: async (types, ...rest) =>
        cloud.describeTypes?.(types, ...rest).catch(() => types.map(() => ({ refused: "There is none." }))) ?? [],
    }),
  ],
  [
    "reads a failure as missing",
    "is unreadable when a read fails: never missing, never thrown",
    (cloud) => ({ read: async (...args) => readAs(await cloud.read(...args), "unreadable", { state: "missing" }) }),
  ],
  [
    "throws what a read couldn't see",
    "is unreadable when a read fails: never missing, never thrown",
    (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        if (reading.state === "unreadable") throw new LiveplaneError("ProviderError");
        return reading;
      },
    }),
  ],
  [
    "reads rejected credentials as missing",
    "is unreadable to credentials that it rejects",
    (cloud) => ({ read: async (...args) => readAs(await cloud.read(...args), "unreadable", { state: "missing" }) }),
  ],
  [
    "reads as unreadable what isn't there",
    "reads as missing what was never there",
    (cloud) => ({
      read: async (...args) => readAs(await cloud.read(...args), "missing", { state: "unreadable", reason: "?" }),
    }),
  ],
  [
    "reads a failed bulk read as missing",
    "is unreadable, each one, when a bulk read fails",
    (cloud) => ({
      readMany: async (refs, call) =>
        (await cloud.readMany(refs, call)).map((reading) => readAs(reading, "unreadable", { state: "missing" })),
    }),
  ],
  [
    "answers a bulk read in an order of its own",
    "reads in bulk what it reads directly, in the order asked for",
    (cloud) => ({
      readMany: async (refs, call) =>
        (await cloud.readMany(refs, call)).reverse().slice(1).concat({ state: "missing" }),
    }),
  ],
  [
    "overwrites on create",
    "creates only: a taken id is AlreadyExists and nothing changes",
    (cloud) => ({
      create: async (resource, call) => {
        if (resource.resourceId) await cloud.remove({ type: resource.type, resourceId: resource.resourceId }, {}, call);
        return cloud.create(resource, call);
      },
    }),
  ],
  [
    "looks before it creates, in two calls",
    "lets one of many creators win",
    (cloud) => ({
      create: async (resource, call) => {
        const resourceId = resource.resourceId ?? "";
        const found = await cloud.read({ type: resource.type, resourceId }, call);
        if (found.state === "present") throw new LiveplaneError("AlreadyExists");
        return cloud.create(resource, call).catch(() => ({ resourceId }));
      },
    }),
  ],
  [
    "ignores etags on update",
    "refuses a write bound to an etag that has moved, and changes nothing",
    (cloud) => ({ update: (ref, change, _condition, call) => cloud.update(ref, change, {}, call) }),
  ],
  [
    "ignores etags on remove",
    "refuses a write bound to an etag that has moved, and changes nothing",
    (cloud) => ({ remove: (ref, _condition, call) => cloud.remove(ref, {}, call) }),
  ],
  [
    "ignores etags when it removes a tag",
    "refuses to remove a tag under an etag that has moved, and keeps the tag",
    (cloud) => ({ removeTag: (ref, key, _condition, call) => cloud.removeTag(ref, key, {}, call) }),
  ],
  [
    "keeps its etag through tag edits",
    "moves the etag with every change, made by a call or by hand",
    (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        return reading.state === "present" ? { ...reading, etag: JSON.stringify(reading.parameters) } : reading;
      },
    }),
  ],
  [
    "has no etag although it says so",
    "gives an etag exactly where writes can be conditional",
    (cloud) => ({
      read: async (...args) => {
        const { etag: _, ...reading } = (await cloud.read(...args)) as Extract<Reading, { state: "present" }>;
        return reading;
      },
    }),
  ],
  [
    "removes every tag",
    "removes one tag alone, and again without complaint",
    (_cloud, { byHand }) => ({
      removeTag: async (ref) => {
        await byHand.setTags(ref.resourceId, {});
        return {};
      },
    }),
  ],
  [
    "complains about a tag that is gone already",
    "removes one tag alone, and again without complaint",
    (cloud) => ({
      removeTag: async (ref, key, condition, call) => {
        const reading = await cloud.read(ref, call);
        if (reading.state === "present" && !(key in reading.tags)) throw new LiveplaneError("NotFound");
        return cloud.removeTag(ref, key, condition, call);
      },
    }),
  ],
  [
    "compares tag keys in its own way",
    "compares tag keys as it says that it does",
    (cloud) => ({ capabilities: { ...cloud.capabilities, caselessTagKeys: !cloud.capabilities.caselessTagKeys } }),
  ],
  [
    "replaces all tags on update",
    "changes the parameters and tags that are named, and no other",
    (cloud, { byHand }) => ({
      update: async (ref, change, condition, call) => {
        await cloud.update(ref, change, condition, call);
        await byHand.setTags(ref.resourceId, change.tags);
        return {};
      },
    }),
  ],
  [
    "makes anew what it should change",
    "tells NotFound to a change of what is gone",
    (cloud, under) => ({
      update: async (ref, change, condition, call) => {
        const reading = await cloud.read(ref, call);
        if (reading.state !== "missing") return cloud.update(ref, change, condition, call);
        const { target, parameters } = under;
        return cloud.create({ ...ref, name: "never-made", target, parameters, tags: {}, intent: "again" }, call);
      },
    }),
  ],
  [
    "complains about what is deleted already",
    "deletes, and again without complaint",
    (cloud) => ({
      remove: async (ref, condition, call) => {
        if ((await cloud.read(ref, call)).state === "missing") throw new LiveplaneError("NotFound");
        return cloud.remove(ref, condition, call);
      },
    }),
  ],
  [
    "gives one identity to all incarnations",
    "tells a resource made again from the one before, where it tells identities at all",
    (cloud) => ({
      read: async (ref, call) => {
        const reading = await cloud.read(ref, call);
        return reading.state === "present" ? { ...reading, identity: ref.resourceId } : reading;
      },
    }),
  ],
  [
    "shows declared tags among the parameters",
    "shows declared tags among the tags, never among the parameters",
    (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        if (reading.state !== "present") return reading;
        return { ...reading, parameters: { ...reading.parameters, [cloud.capabilities.tagParameter]: reading.tags } };
      },
    }),
  ],
  [
    "promises an id and takes another",
    "knows ids beforehand, or says that it doesn't",
    (cloud) => ({
      resourceIdFor: (type, name, target) => `${cloud.resourceIdFor(type, name, target)}-x`,
      create: (resource, call) => cloud.create({ ...resource, resourceId: null }, call),
    }),
  ],
  [
    "spells ids otherwise than it makes them",
    "takes the ids that it makes as they are, with a name that makes them again",
    (cloud) => ({
      parseResourceId: (...args) => changedId(cloud.parseResourceId(...args), (id) => id.toLowerCase()),
    }),
  ],
  [
    "takes the ids of its neighbours",
    "refuses an id that lies outside of the target",
    (cloud, { otherTarget }) => ({
      parseResourceId: (type, id, target) => {
        const parsed = cloud.parseResourceId(type, id, target);
        return "refused" in parsed ? cloud.parseResourceId(type, id, otherTarget) : parsed;
      },
    }),
  ],
  ...[
    /[/]+$/,
    /[?#].*$/,
    /[\s\0]+$/,
    /[/]\.\.$/,
    /\/\.(?=\/)/,
    /^.*elsewhere.invalid[/]/,
    /%2fanother$/,
    /\\another$/,
  ].map(
    (ignored) =>
      [
        `ignores ${ignored.source} in an id`,
        "refuses an id that could be read as another path or address",
        (cloud: Cloud) => ({
          parseResourceId: (type, id, target) => cloud.parseResourceId(type, id.replace(ignored, ""), target),
        }),
      ] satisfies (typeof mistakes)[number],
  ),
  [
    "holds two spellings for two resources",
    "takes two spellings for one id, or one of them for none",
    (cloud) => ({
      parseResourceId: (type, id, target) =>
        changedId(cloud.parseResourceId(type, id, target), (own) => (id === id.toUpperCase() ? `${own}-2` : own)),
    }),
  ],
  [
    "tells strangers what is there",
    "says the same of an id whatever is there",
    (cloud) => {
      let turn = 0;
      return {
        parseResourceId: (...args) =>
          turn++ === 0 ? cloud.parseResourceId(...args) : { refused: "resourceId", detail: "There is no such thing." },
      };
    },
  ],
  [
    "lets all scopes slow each other",
    "counts what one scope does apart from another",
    () => ({ throttleScope: () => "the cloud" }),
  ],
  [
    "says of a lost answer that the call failed",
    "says that the outcome is unknown when an answer is lost",
    (cloud) => ({ update: (...args) => cloud.update(...args).catch(failed) }),
  ],
  [
    "forgets its intents",
    "finds what was created when the answer was lost: by its id, else by its intent",
    () => ({ findCreated: async () => null }),
  ],
  [
    "finds what is gone",
    "finds what was created when the answer was lost: by its id, else by its intent",
    (cloud) => {
      let last: Awaited<ReturnType<Cloud["findCreated"]>> = null;
      return {
        findCreated: async (intent, target, call) => {
          last = (await cloud.findCreated(intent, target, call)) ?? last;
          return intent === "intent-first" ? last : null;
        },
      };
    },
  ],
  [
    "doesn't say how long to wait",
    "says how long to wait when it is throttled",
    (cloud) => ({
      removeTag: (...args) => cloud.removeTag(...args).catch(() => Promise.reject(new LiveplaneError("RateLimited"))),
    }),
  ],
  [
    "calls a passing failure final",
    "changes nothing when a write fails, and says that trying again may help",
    (cloud) => ({
      update: (...args) => cloud.update(...args).catch(() => Promise.reject(new LiveplaneError("ProviderError"))),
    }),
  ],
  [
    "applies what it says has failed",
    "changes nothing when a write fails, and says that trying again may help",
    (cloud, under) => ({
      update: async (ref, change, condition, call) => {
        await under.break("write", null);
        await cloud.update(ref, change, condition, call);
        await under.break("write", "fail");
        throw new LiveplaneError("ProviderError", undefined, { retryable: true });
      },
    }),
  ],
  [
    "works for a caller who has gone",
    "begins nothing for a caller who has gone",
    (cloud) => ({ create: (resource, { credentials }) => cloud.create(resource, { credentials }) }),
  ],
  [
    "prints the credential",
    "lets no credential out",
    (cloud) => ({
      create: (resource, call) =>
        cloud.create(resource, call).catch(() => {
          throw new LiveplaneError("ProviderError", `refused ${call.credentials.secret?.reveal()}`);
        }),
    }),
  ],
  [
    "lets rejected credentials see the places",
    "rejects credentials by their own code",
    (cloud, { call }) => ({ locations: (scope, tenantId) => cloud.locations(scope, tenantId, call) }),
  ],
  [
    "lists a place twice",
    "lists places by names that are all different",
    (cloud) => ({ locations: async (...args) => (await cloud.locations(...args)).flatMap((place) => [place, place]) }),
  ],
  [
    "plans other steps each time",
    "plans the same steps whenever it is asked, each with a name of its own",
    (cloud) => {
      let turn = 0;
      return {
        initializationSteps: (...args) =>
          cloud.initializationSteps(...args).map((step) => ({ ...step, name: `${step.name}-${turn++}` })),
      };
    },
  ],
  [
    "makes a thing anew at every attempt",
    "makes each thing once, however often its step is run",
    (cloud) => {
      let turn = 0;
      return { runStep: async (...args) => ({ ...(await cloud.runStep(...args)), id: `thing-${turn++}` }) };
    },
  ],
  [
    "stumbles over its own work",
    "goes on behind any step",
    (cloud) => {
      const done = new Set<string>();
      return {
        runStep: (step, ...rest) => {
          if (done.has(step)) throw new LiveplaneError("AlreadyExists");
          done.add(step);
          return cloud.runStep(step, ...rest);
        },
      };
    },
  ],
  [
    "sets out with rejected credentials",
    "rejects credentials at the first step",
    (cloud, { call }) => ({ runStep: (step, request) => cloud.runStep(step, request, call) }),
  ],
  [
    "loses a parameter",
    "reads back the tags and parameters that it was given",
    (cloud) => ({
      create: ({ parameters: { nested: _, ...kept }, ...resource }, call) =>
        cloud.create({ ...resource, parameters: kept }, call),
    }),
  ],
  [
    "gives no outputs",
    "gives the outputs id and name",
    (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        return reading.state === "present" ? { ...reading, outputs: {} } : reading;
      },
    }),
  ],
  [
    "reads from a memory of its own",
    "sees what was done by hand",
    (cloud) => {
      const seen = new Map<string, Reading>();
      return {
        read: async (ref, call) => {
          const reading = seen.get(ref.resourceId) ?? (await cloud.read(ref, call));
          seen.set(ref.resourceId, reading);
          return reading;
        },
      };
    },
  ],
  [
    "reads what is being changed as made already",
    "reads a change that takes its time as working or not yet made, then as made",
    (cloud) => ({
      read: async (...args) => {
        const reading = await cloud.read(...args);
        const { resource } = reading.state === "working" ? reading : {};
        if (resource === undefined) return reading;
        return { state: "present", ...resource, parameters: { ...resource.parameters, size: "changed" } };
      },
    }),
  ],
  [
    "answers as done what it has only accepted",
    "never reads as present what is still being made",
    (cloud) => ({
      create: async (...args) => {
        const { resourceId } = await cloud.create(...args);
        return { resourceId };
      },
    }),
  ],
  [
    "reads what is being deleted as missing",
    "never reads as missing what is still being deleted",
    (cloud) => ({ read: async (...args) => readAs(await cloud.read(...args), "working", { state: "missing" }) }),
  ],
  [
    "takes an operation that failed for one that is done",
    "tells in the cloud's own words how an operation failed, and changes nothing then",
    (cloud) => ({
      follow: async (...args) => {
        const reading = await cloud.follow?.(...args);
        return reading === undefined || reading.state === "failed" ? { state: "done" } : reading;
      },
    }),
  ],
  [
    "says Conflict of a write that it is at another of",
    "takes no write while it is at another, and says so",
    (cloud) => ({
      update: (...args) =>
        cloud.update(...args).catch((error) => {
          throw isLiveplaneError(error, "InvalidState") ? new LiveplaneError("ProviderError") : error;
        }),
    }),
  ],
  [
    "writes its tags once more when it is done",
    "keeps off a tag that a person takes off while it is at a write",
    (cloud, { byHand }) => ({
      follow: async (ref, operation, call) => {
        const reading = await cloud.follow?.(ref, operation, call);
        if (reading?.state === "done") await byHand.setTags(ref.resourceId, { stage: "test", keep: "me" });
        return reading ?? { state: "gone" };
      },
    }),
  ],
  [
    "keeps its operations to itself",
    "lets an operation be followed from elsewhere, by its address alone",
    (cloud) => {
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
  ],
  [
    "takes an operation that can't be asked after for one that is gone",
    "is unreadable when an operation can't be asked after: never ended, never thrown",
    (cloud) => ({
      follow: async (...args) => {
        const reading = await cloud.follow?.(...args);
        return reading === undefined || reading.state === "unreadable" ? { state: "gone" } : reading;
      },
    }),
  ],
  [
    "takes an operation that it doesn't know for one that is done",
    "says of an operation that it doesn't know neither that it ended nor that it goes on",
    (cloud) => ({
      follow: async (...args) => {
        const reading = await cloud.follow?.(...args);
        return reading === undefined || reading.state === "gone" ? { state: "done" } : reading;
      },
    }),
  ],
  [
    "empties what a change doesn't name",
    "leaves all as it is where a change names nothing",
    (cloud, { byHand }) => ({
      update: async (ref, change, condition, call) => {
        const written = await cloud.update(ref, change, condition, call);
        if (change.parameters.length === 0) await byHand.setTags(ref.resourceId, {});
        return written;
      },
    }),
  ],
  [
    "writes whole bodies, tags and all",
    "leaves beside what is named what a person has changed since it was read",
    (cloud, { byHand }) => {
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
  ],
];

test.each(mistakes)("notices a cloud that %s", async (_, lawName, broken) => {
  const law = cloudLaws.find(({ name }) => name === lawName);
  const under = await simulatedUnderTest({ choosesIds: lawName.includes("intent") });
  const cloud = { ...under.cloud, ...broken(under.cloud, under) };
  await expect(law?.check({ ...under, cloud })).rejects.toThrow();
});

test("has a mistake for every law", () => {
  const caught = new Set(mistakes.map(([, law]) => law));
  expect(cloudLaws.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
});

function changedId(parsed: ParsedResourceId, change: (id: string) => string): ParsedResourceId {
  return "refused" in parsed ? parsed : { ...parsed, id: change(parsed.id) };
}

function readAs(reading: Reading, state: Reading["state"], instead: Reading): Reading {
  return reading.state === state ? instead : reading;
}

function failed(): never {
  throw new LiveplaneError("ProviderError", undefined, { retryable: true });
}
