import type { ListedResource, ListedResources } from "../../ports/cloud.ts";
import { cloudHolds, draft, equals, made, refusal, tagged } from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

/** What a cloud lists in a target. Skipped if it can't list. */
export const discoveryLaws: readonly CloudLaw[] = [
  {
    name: "lists each resource of a target once, across pages, and none of another target",
    async check(under) {
      const { cloud, otherTarget, type, around = [] } = under;
      if (cloud.discover === undefined) return;
      const refs = [];
      for (const name of ["first", "second", "third"]) refs.push(await made(under, name));
      await cloud.create(draft(under, "fourth", { target: otherTarget }), under.call);
      await under.settle?.();
      const listed = await allListed(under, 2);
      equals(ids(listed), ids([...refs, ...around.map((resourceId) => ({ resourceId }))]), "the IDs");
      for (const one of listed.filter(({ resourceId }) => !around.includes(resourceId))) {
        equals(one.tags, tagged(under), "the tags");
        equals(one.type.toLowerCase(), bareType(type), "the type");
        if (cloud.typeOf !== undefined) equals(one.type, cloud.typeOf(one.resourceId), "the type that the ID names");
        const parsed = cloud.parseResourceId(type, one.resourceId, under.target);
        equals("id" in parsed && parsed.id.toLowerCase(), one.resourceId.toLowerCase(), "the ID as it is parsed");
      }
    },
  },
  {
    name: "throws where it couldn't list: never an empty list",
    async check(under) {
      const discover = under.cloud.discover?.bind(under.cloud);
      if (discover === undefined) return;
      const page = { after: null, limit: 10 };
      for (const fault of ["fail", "throttle"] as const) {
        await under.break("bulk", fault);
        await refusal(["ProviderError", "ProviderTimeout", "RateLimited"], () =>
          discover(under.target, page, under.call),
        );
      }
      await under.break("bulk", null);
      await refusal("ProviderCredentialsRejected", () => discover(under.target, page, under.rejected));
    },
  },
];

async function allListed({ cloud, target, call }: CloudUnderTest, limit: number): Promise<ListedResource[]> {
  const found: ListedResource[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < 10; pages++) {
    const listed: ListedResources | undefined = await cloud.discover?.(target, { after, limit }, call);
    found.push(...(listed?.items ?? []));
    after = listed?.next ?? null;
    if (after === null) return found;
  }
  cloudHolds(false, "the list doesn't end");
}

function ids(refs: readonly { readonly resourceId: string }[]): string[] {
  return refs.map(({ resourceId }) => resourceId.toLowerCase()).sort();
}

function bareType(type: string): string {
  return type.split("@")[0]?.toLowerCase() ?? "";
}
