import { type Cloud, type CloudCall, type Reading, type ResourceRef, unread } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { readable } from "../cloud-http/cloud-resource.ts";
import { arnOf, taggedIn } from "./aws-arns.ts";
import { type AwsPlace, type PlacedAwsResource, placedAws } from "./aws-ids.ts";
import { hexDigest, isIntentTag } from "./aws-intents.ts";
import type { AwsRequests } from "./aws-requests.ts";

/** The most ARNs that one call of `GetResources` accepts. */
export const mostArns = 100;
const mostRemembered = 20_000;

type Present = Extract<Reading, { state: "present" }>;

/** What a direct read showed. */
interface Remembered {
  /** `null`: the resource isn't in the index of tags by any known ARN. */
  readonly arn: string | null;
  readonly reading: Present;
  readonly from: number;
  readonly until: number;
}

/** Reads many resources by the index of tags, which shows no properties. */
export interface AwsBulk {
  readonly readMany: Cloud["readMany"];
  /** Tells it what a direct read showed. */
  saw(of: PlacedAwsResource, properties: Present["parameters"], reading: Present, call: CloudCall): void;
}

/**
 * A bulk read asks the tagging API for the tags of a hundred resources. Properties are those of the last direct read, until they are too
 * old. What the index doesn't contain is left to a direct read: untagged or deleted resources, and types that the tagging API doesn't know.
 */
export function awsBulk({
  requests,
  now,
  valuesMs,
}: {
  readonly requests: AwsRequests;
  readonly now: () => number;
  readonly valuesMs: number;
}): AwsBulk {
  const remembered = new Map<string, Remembered>();
  const knownOf = (ref: ResourceRef, call: CloudCall) => {
    const known = remembered.get(keyOf(ref, call));
    // A clock that was set back must not make it last longer.
    return known !== undefined && known.from <= now() && known.until > now() ? known : null;
  };

  /** The tags of resources at one place; `null` if the index can't be used. */
  async function tagsAt(place: AwsPlace, arns: readonly string[], call: CloudCall) {
    try {
      return taggedIn(await requests.call("tagging", "GetResources", { ResourceARNList: [...arns] }, { place, call }));
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  }

  return {
    saw(of, properties, reading, call) {
      const key = keyOf({ type: of.kind.type, resourceId: of.resourceId }, call);
      remembered.delete(key);
      if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value ?? "");
      // Not all become too old at the same time.
      const share = 0.5 + (Number.parseInt(hexDigest(key).slice(0, 4), 16) / 0xffff) * 0.5;
      const from = now();
      remembered.set(key, { arn: arnOf(of, properties), reading, from, until: from + valuesMs * share });
    },
    async readMany(refs, call) {
      const asked = new Map<string, { readonly place: AwsPlace; readonly arns: Set<string> }>();
      for (const ref of refs) {
        const { arn = null } = knownOf(ref, call) ?? {};
        if (arn === null) continue;
        const place = placedAws(ref);
        const at = `${place.account}/${place.region}`;
        const { arns } = asked.get(at) ?? { arns: new Set<string>() };
        asked.set(at, { place, arns: arns.add(arn) });
      }
      const found = await readable(async () => {
        const answers = await Promise.all([...asked.values()].map(({ place, arns }) => tagsAt(place, [...arns], call)));
        return { tags: new Map(answers.flatMap((answer) => [...(answer ?? [])])) };
      });
      if (!("tags" in found)) return refs.map(() => (found.state === "missing" ? unread : found));
      return refs.map((ref) => {
        const known = knownOf(ref, call);
        if (known === null) return unread;
        if (placedAws(ref).kind.tags === undefined) return known.reading;
        const tags = known.arn === null ? undefined : found.tags.get(known.arn);
        if (tags === undefined) return unread;
        const shown = Object.entries(tags).filter(([key]) => !isIntentTag(key));
        return { ...known.reading, tags: Object.fromEntries(shown) };
      });
    },
  };
}

/** Whether AWS will refuse the index again: a right is missing, or an ARN isn't one for it. */
function isRefused(error: unknown): boolean {
  const isFinal = isLiveplaneError(error, "ProviderError") && !error.retryable;
  return isFinal || isLiveplaneError(error, "ProviderCredentialsRejected");
}

/** One caller may see what another may not. */
function keyOf({ type, resourceId }: ResourceRef, { credentials: { kind, name } }: CloudCall): string {
  return JSON.stringify([kind, name, type, resourceId]);
}
