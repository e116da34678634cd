import type { ParsedResourceId } from "../../ports/cloud.ts";
import { cloudHolds, draft, equals, made, namedId } from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

/** Changes to an ID that would make it another path or address. */
const detours: readonly ((id: string) => string)[] = [
  (id) => `${id}/`,
  (id) => id.replace(/(?<=.)\//, "//"),
  (id) => `${id}/..`,
  (id) => `${id}/../another`,
  (id) => id.replace(/\/([^/]*)$/, "/./$1"),
  (id) => `${id}/%2e%2e/another`,
  (id) => `${id}%2fanother`,
  (id) => `${id}?another`,
  (id) => `${id}#another`,
  (id) => `${id}\\another`,
  (id) => `${id} `,
  (id) => `${id}\n`,
  (id) => `${id}\u0000`,
  (id) => `//elsewhere.invalid/${id}`,
  (id) => `https://elsewhere.invalid/${id}`,
  (id) => `.elsewhere.invalid/${id}`,
  (id) => `@elsewhere.invalid/${id}`,
  (id) => `:8443/${id}`,
  () => "",
  () => "/",
];

/** How a cloud must validate IDs. */
export const idLaws: readonly CloudLaw[] = [
  {
    name: "takes the ids that it makes as they are, with a name that makes them again",
    async check(under) {
      const { cloud, type, target } = under;
      const { resourceId } = await made(under, "first");
      const parsed = accepted(cloud.parseResourceId(type, resourceId, target));
      equals(parsed.id, resourceId, "the id");
      if (namedId(under, "first") === null) return;
      equals(cloud.resourceIdFor(type, parsed.name, target), resourceId, "the id that its name makes");
    },
  },
  {
    name: "refuses an id that lies outside of the target",
    async check(under) {
      const { cloud, type, target, otherTarget } = under;
      const there = draft(under, "first", { target: otherTarget });
      const elsewhere = (await cloud.create(there, under.call)).resourceId;
      accepted(cloud.parseResourceId(type, elsewhere, otherTarget));
      refusedAsId(cloud.parseResourceId(type, elsewhere, target), "an id outside of the target");
    },
  },
  {
    name: "refuses an id that could be read as another path or address",
    async check(under) {
      const { resourceId } = await made(under, "first");
      for (const detour of detours) refusedAsId(parsedIn(under, detour(resourceId)), JSON.stringify(detour("<id>")));
    },
  },
  {
    name: "takes two spellings for one id, or one of them for none",
    async check(under) {
      const { resourceId } = await made(under, "first");
      for (const spelling of [resourceId.toUpperCase(), resourceId.toLowerCase()]) {
        const parsed = parsedIn(under, spelling);
        if (!("refused" in parsed)) equals(parsed.id.toLowerCase(), resourceId.toLowerCase(), "the id without case");
      }
    },
  },
  {
    name: "says the same of an id whatever is there",
    async check(under) {
      const { resourceId } = await made(under, "first");
      const there = parsedIn(under, resourceId);
      await under.byHand.remove(resourceId);
      equals(parsedIn(under, resourceId), there, "what is said of an id when its resource is gone");
    },
  },
];

function parsedIn({ cloud, type, target }: CloudUnderTest, id: string): ParsedResourceId {
  return cloud.parseResourceId(type, id, target);
}

function accepted(parsed: ParsedResourceId): Extract<ParsedResourceId, { readonly id: string }> {
  cloudHolds(!("refused" in parsed), "an id of the cloud's own is refused");
  return parsed;
}

function refusedAsId(parsed: ParsedResourceId, what: string): void {
  cloudHolds("refused" in parsed, `${what} is accepted`);
  equals(parsed.refused, "resourceId", "what is at fault");
}
