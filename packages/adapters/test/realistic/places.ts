import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type JsonObject, withValuesAt } from "@liveplane/core/clouds";
import { azureDouble } from "../azure/azure-double.ts";
import type { Body } from "../azure/double-shapes.ts";
import { departures } from "../descriptions/departures.ts";
import { goodToken, googleDouble, labelled, pathOf } from "../google/google-double.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { awsPlace } from "./aws-place.ts";
import type { Place, PlaceOptions } from "./place.ts";

/**
 * Services leave what is read-only as it is, and take whole numbers for the texts that they write. Zones of replicas are required of regional
 * disks alone.
 */
function allows({ where, detail }: { readonly where: string; readonly detail: string }): boolean {
  if (detail === "isn't a string") return where === "/cloudStorageConfig/maxBytes";
  return detail === "is read-only" || (where.endsWith("/replicaZones") && detail === "is missing");
}

/** Of all that departs from the descriptions, what no service allows. */
export function unallowed(told: readonly string[]): readonly string[] {
  const parts = told.map((one) => ({ one, found: /: (\S+) (.*)$/.exec(one) }));
  return parts
    .filter(({ found }) => !allows({ where: found?.[1] ?? "", detail: found?.[2] ?? "" }))
    .map(({ one }) => one);
}

export function placeOf(options: PlaceOptions): Place {
  if (options.type.startsWith("AWS::")) return awsPlace(options);
  return options.type.startsWith("Microsoft.") ? azurePlace(options) : googlePlace(options);
}

function azurePlace({ type, now, rewrites, slowness, lateReads = 0 }: PlaceOptions): Place {
  const judged = departures();
  let writes = 0;
  const azure = azureDouble({
    judged,
    now,
    lateReads,
    allows,
    onChange({ by, before, after }) {
      const isOfTags = before !== null && before.body === after?.body && before.underway === after.underway;
      if (by === "caller" && after?.kind.type === type && !isOfTags) writes++;
    },
    // Types without a state of their own tell of a write by its operation alone.
    ...(slowness && {
      slownessOf: ({ properties }) =>
        properties.provisioningState === undefined ? { ...slowness, tells: "state" } : slowness,
    }),
    rewrites: (write) => (write.type === type ? (rewrites(write.body as JsonObject) as Body) : write.body),
  });
  const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: 0 }) };
  const bodyOf = (id: string) => (azure.get(id)?.body ?? null) as JsonObject | null;
  return {
    provider: "provider-a",
    cloud: azureCloud({ fetch: azure.fetch, credential, now }),
    writes: () => writes,
    body: bodyOf,
    edit: (id, change) => azure.patch(id, withValuesAt(bodyOf(id) ?? {}, [change]) as Body),
    setTags: ({ resourceId }, tags) => azure.setTags(resourceId, tags),
    judged,
  };
}

function googlePlace({ type, now, rewrites, slowness, lateReads = 0 }: PlaceOptions): Place {
  const judged = departures();
  const google = googleDouble({
    judged,
    now,
    lateReads,
    allows,
    ...(slowness && { slownessOf: () => slowness }),
    rewrites: ({ path, body }) => (path.endsWith("/holder") ? body : (rewrites(body as JsonObject) as Body)),
  });
  const authClient = { getAccessToken: async () => ({ token: goodToken }) };
  const urlOf = (service: string) => `https://google.invalid/${service}`;
  const cloud = googleCloud({ fetch: fetchFrom(google.answer), urlOf, authClient, now });
  const isWrite = (line: string) =>
    /^(POST|PUT|PATCH) /.test(line) && !/setLabels|entries:list|:batch|\/holder(?!:setIam)/.test(line);
  return {
    provider: "provider-b",
    cloud: {
      ...cloud,
      resourceIdFor: (of, name, target) => cloud.resourceIdFor(of, name, { ...target, zone: "europe-west1-b" }),
    },
    writes: () => google.seen.filter(isWrite).length,
    body: (id) => (google.resourceAt(pathOf(type, id))?.body ?? null) as JsonObject | null,
    edit: (id, change) => google.byHand(pathOf(type, id), (body) => withValuesAt(body as JsonObject, [change]) as Body),
    setTags: (ref, tags) => google.byHand(pathOf(ref.type, ref.resourceId), (body) => labelled(ref.type, body, tags)),
    judged,
  };
}
