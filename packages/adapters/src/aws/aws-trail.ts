import { type Cloud, isObject, type JsonObject, type ResourceChanger } from "@liveplane/core/clouds";
import { placedAws } from "./aws-ids.ts";
import type { AwsRequests } from "./aws-requests.ts";

/** Reads CloudTrail's history of management events, which is always on. Events are there within about fifteen minutes. */
export function awsTrail(requests: AwsRequests): Required<Pick<Cloud, "whoChanged">> {
  return {
    async whoChanged(ref, { since, until }, call) {
      const place = placedAws(ref);
      const { arn } = await requests.callerAt(place, call);
      const input = {
        LookupAttributes: [{ AttributeKey: "ResourceName", AttributeValue: place.identifier }],
        StartTime: Date.parse(since) / 1000,
        EndTime: Date.parse(until) / 1000,
        MaxResults: 50,
      };
      const { Events } = await requests.call("cloudtrail", "LookupEvents", input, { place, call });
      const own = arn.slice(arn.lastIndexOf("/") + 1);
      const found = (Array.isArray(Events) ? Events : [])
        .filter(isObject)
        .flatMap(changerIn)
        .filter(({ name }) => name !== own);
      return found.find(({ operation }) => /tag/i.test(operation)) ?? found[0] ?? null;
    },
  };
}

/** Who made a change. AWS writes whether an event only read as text. */
function changerIn({ Username, EventName, EventTime, ReadOnly }: JsonObject): ResourceChanger[] {
  const isChange = ReadOnly !== "true" && ReadOnly !== true;
  if (!isChange || typeof Username !== "string" || typeof EventName !== "string" || typeof EventTime !== "number")
    return [];
  return [{ name: Username, at: new Date(EventTime * 1000).toISOString(), operation: EventName }];
}
