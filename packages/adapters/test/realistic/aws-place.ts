import { awsCloud } from "@liveplane/adapters/aws-cloud";
import { type JsonObject, withValuesAt } from "@liveplane/core/clouds";
import { awsTagsIn } from "../../src/aws/aws-tags.ts";
import { awsDouble, goodKey } from "../aws/aws-double.ts";
import { awsKinds } from "../aws/aws-models.ts";
import { placedIn } from "../aws/aws-under-test.ts";
import { departures } from "../descriptions/departures.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import type { Place, PlaceOptions } from "./place.ts";

const lateMsOfARead = 30_000;
const throttled = { status: 400, body: { __type: "ThrottlingException", message: "Rate exceeded" } };
const failures = ["GeneralServiceException", "NotStabilized", "Throttling", "ServiceInternalError"];

/**
 * AWS by its double. Tags come back in another order. A service that takes its time also fails once, at the second update, in AWS's own
 * words.
 */
export function awsPlace({
  type,
  now,
  rewrites,
  slowness,
  lateReads = 0,
  throttles = () => false,
}: PlaceOptions): Place {
  let writes = 0;
  let updates = 0;
  const isTaggable = awsKinds[type]?.tags !== undefined;
  const aws = awsDouble({
    now,
    unsigned: true,
    lateMs: lateReads * lateMsOfARead,
    onChange({ by, before, after }) {
      const isUpdate = by === "caller" && before !== null && after !== null && after.type === type;
      const isDone = by === "aws" && before?.underway?.operation === "update" && !before.underway.fails;
      if ((isUpdate && slowness === undefined) || isDone)
        writes += Number(propertiesOf(before) !== propertiesOf(after));
    },
    ...(slowness && {
      slownessOf(operation) {
        const nth = operation === "update" ? updates++ : -1;
        const code = failures[type.length % failures.length] ?? "";
        // What follows a holder needs a sweep more.
        const fails = nth === 1 && isTaggable ? { code, message: "AWS had a failure." } : undefined;
        return { takesMs: slowness.takesMs, hidden: true, fails };
      },
    }),
    rewrites: (of, properties) => (of === type ? reordered(of, rewrites(properties)) : reordered(of, properties)),
  });
  const cloud = awsCloud({
    provider: "provider-b",
    fetch: fetchFrom((asked) => (throttles() ? throttled : aws.answer(asked))),
    now,
    urlOf: (service, region) => `https://aws.invalid/${service}/${region}`,
    sign: async ({ headers }) => headers,
    credentials: async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret }),
    identifierPollMs: 0,
    // Each sweep sees the properties.
    valuesMs: 120_000,
  });
  return {
    provider: "provider-b",
    cloud: placedIn(cloud),
    writes: () => writes,
    body: (id) => aws.resourceAt(id)?.properties ?? null,
    edit: (id, change) => aws.byHand(id, type, (properties) => withValuesAt(properties, [change])),
    setTags: (ref, tags) => aws.setTags(ref.resourceId, ref.type, tags),
    judged: departures(),
  };
}

function propertiesOf(kept: { readonly type: string; readonly properties: JsonObject } | null): string {
  const at = awsKinds[kept?.type ?? ""]?.tags?.at ?? "";
  return JSON.stringify({ ...kept?.properties, [at]: null });
}

/** Lists of tags in the order of their keys, backwards. */
function reordered(type: string, properties: JsonObject): JsonObject {
  const tags = awsKinds[type]?.tags;
  const list = tags && properties[tags.at];
  if (tags === undefined || !Array.isArray(list)) return properties;
  const keys = Object.keys(awsTagsIn(tags, properties)).sort().reverse();
  const keyOf = (item: unknown) => keys.indexOf(String((item as JsonObject).Key));
  return { ...properties, [tags.at]: [...list].sort((a, b) => keyOf(a) - keyOf(b)) };
}
