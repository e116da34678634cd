import { awsCloud } from "@liveplane/adapters/aws-cloud";
import type { JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation } from "@liveplane/simulator";
import { awsTagsIn } from "../../src/aws/aws-tags.ts";
import { awsDouble, goodKey } from "../aws/aws-double.ts";
import { awsKinds } from "../aws/aws-models.ts";
import type { AwsIndex, KeptAws } from "../aws/aws-resources.ts";
import { awsTroupe, pickOf } from "./casts.ts";
import type { DoubledVendor, DoubleHooks, PlacedDouble } from "./double-place.ts";
import type { Asked } from "./in-process.ts";
import type { KeptState } from "./place.ts";

const region = "eu-central-1";
const urlOf = (service: string, at: string) => `https://aws.invalid/${service}/${at}`;
const credentials = async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret });

/** What became of updates whose resource a person took over while they were on their way, by the form of the tags. */
export interface Snatched {
  readonly refused: Set<string>;
  readonly carriedOut: string[];
}

/** Later nobody interferes any more, because the judge waits until everything has come to rest. */
const snatchingMs = 15 * 60_000;

/** AWS by its double. With `snatched`, a person takes the resource over during every third update that tests the tag. */
export function awsPlace(variation: CloudVariation, snatched?: Snatched): DoubledVendor<AwsIndex> {
  return {
    // The simulator declares components in two places; this one takes the part of the second.
    provider: "provider-b",
    location: region,
    scope: goodKey.account,
    troupe: awsTroupe(pickOf(variation)),
    adapter: (options) =>
      awsCloud({
        provider: "provider-b",
        // Properties are read again before the judge expects that everything is known.
        valuesMs: 60_000,
        // Signatures take turns of the event loop that differ from run to run.
        sign: async ({ headers }) => headers,
        ...(options && { ...options, credentials, urlOf }),
      }),
    double: (hooks) => doubled(hooks, variation, snatched),
  };
}

function doubled(
  { now, onChange, slownessOf }: DoubleHooks,
  { lateMs = 0 }: CloudVariation,
  snatched: Snatched | undefined,
): PlacedDouble<AwsIndex> {
  const aws = awsDouble({
    now,
    lateMs,
    unsigned: true,
    onChange({ by, before, after }) {
      const type = (before ?? after)?.type ?? "";
      onChange({ by: by === "aws" ? "cloud" : by, type, before: stateOf(before), after: stateOf(after) });
    },
    slownessOf() {
      const drawn = slownessOf();
      return drawn && { takesMs: drawn.takesMs, hidden: drawn.hidden ?? false, fails: drawn.fails };
    },
  });
  const startedAt = now();
  let updates = 0;

  async function answer(asked: Asked) {
    const taken = snatched && takenBy(asked);
    const isCalm = now() - startedAt > snatchingMs;
    if (snatched === undefined || taken == null || isCalm || updates++ % 3 !== 0) return aws.answer(asked);
    const { resourceId, type } = taken;
    const { [managed]: _, ...others } = tagsOf(aws.resourceAt(resourceId));
    aws.setTags(resourceId, type, others);
    const answered = await aws.answer(asked);
    if (answered?.status === 200) snatched.carriedOut.push(resourceId);
    else snatched.refused.add(awsKinds[type]?.tags?.form ?? "");
    return answered;
  }

  /** The resource of an update that tests the management tag. */
  function takenBy({ headers, text }: Asked) {
    if (!headers["x-amz-target"]?.endsWith(".UpdateResource")) return undefined;
    const { TypeName: type, Identifier, PatchDocument } = JSON.parse(text) as Record<string, string>;
    const resourceId = `${goodKey.account}/${region}/${type}/${Identifier}`;
    const isTested = PatchDocument?.includes('"op":"test"') && PatchDocument.includes(managed);
    const isThere = managed in tagsOf(aws.resourceAt(resourceId));
    return type !== undefined && isTested && isThere ? { type, resourceId } : undefined;
  }

  return {
    answer,
    all: aws.index.now,
    show: aws.index.show,
    get(id) {
      const kept = aws.resourceAt(id);
      return kept === undefined ? null : { type: kept.type, state: stateOf(kept) };
    },
    make: aws.make,
    setTags: (id, tags) => aws.setTags(id, typeIn(id), tags),
    patch: (id, patch) => aws.byHand(id, typeIn(id), (properties) => merged(properties, patch)),
    remove(id) {
      if (aws.resourceAt(id) !== undefined) aws.remove(id, typeIn(id));
    },
  };
}

const managed = "managed-by";

function typeIn(resourceId: string): string {
  return resourceId.split("/")[2] ?? "";
}

function tagsOf(kept: KeptAws | undefined): Record<string, string> {
  return kept === undefined ? {} : awsTagsIn(awsKinds[kept.type]?.tags, kept.properties);
}

function stateOf(kept: KeptAws): KeptState;
function stateOf(kept: KeptAws | null): KeptState | null;
function stateOf(kept: KeptAws | null): KeptState | null {
  if (kept === null) return null;
  const { region: at, type, identifier, properties, made, underway } = kept;
  const { id = [], tags, readOnly = [] } = awsKinds[type] ?? {};
  // The name is in the ID, and the tags are apart.
  const apart = new Set([...id, tags?.at, ...readOnly.map((pointer) => pointer.slice(1))]);
  return {
    resourceId: `${goodKey.account}/${at}/${type}/${identifier}`,
    identity: String(made),
    tags: tagsOf(kept),
    body: Object.fromEntries(Object.entries(properties).filter(([name]) => !apart.has(name))),
    ...(underway && { underway }),
  };
}

function merged(body: JsonObject, patch: JsonObject): JsonObject {
  const after: Record<string, JsonObject[string]> = { ...body };
  for (const [name, value] of Object.entries(patch)) {
    const known = after[name];
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (value === null) delete after[name];
    else after[name] = isInner ? merged((known ?? {}) as JsonObject, value as JsonObject) : value;
  }
  return after;
}
