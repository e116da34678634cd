import { type Cloud, isObject, type JsonObject, type ResourceChanger } from "@liveplane/core/clouds";
import { elsewhere } from "../cloud-http/cloud-http.ts";
import { type AzureRequests, isOwnPath, subscriptionOf } from "./azure-requests.ts";

const version = "2015-04-01";
const members = "caller,claims,eventTimestamp,operationName,status";

/** Reads Azure's activity log, which reports a change some minutes later. */
export function azureActivity({ sendTo }: Pick<AzureRequests, "sendTo">): Required<Pick<Cloud, "whoChanged">> {
  return {
    async whoChanged({ resourceId }, { since, until }, call) {
      if (!isOwnPath(resourceId)) throw elsewhere();
      const subscription = subscriptionOf(resourceId);
      const filter = `eventTimestamp ge '${since}' and eventTimestamp le '${until}' and resourceUri eq '${resourceId}'`;
      const query = new URLSearchParams({ "api-version": version, $filter: filter, $select: members });
      const at = `/subscriptions/${subscription}/providers/Microsoft.Insights/eventtypes/management/values?${query}`;
      const { body } = await sendTo(subscription, { method: "GET", at }, call);
      const { kind, name } = call.credentials;
      const ownApp = kind === "servicePrincipal" || kind === "clientAssertion" ? name : null;
      const events = (Array.isArray(body.value) ? body.value.filter(isObject) : []).flatMap((event) =>
        changerIn(event, ownApp),
      );
      const newest = events.sort((a, b) => (a.at < b.at ? 1 : -1));
      return newest.find(({ operation }) => operation.toLowerCase().endsWith("/tags/write")) ?? newest[0] ?? null;
    },
  };
}

/** Who made a successful change; nobody if it was this application. */
function changerIn(event: JsonObject, ownApp: string | null): ResourceChanger[] {
  const { caller, claims, eventTimestamp } = event;
  const operation = wordIn(event.operationName);
  const isDone = ["succeeded", "accepted", "started"].includes(wordIn(event.status).toLowerCase());
  if (!isDone || !/\/(write|action)$/i.test(operation)) return [];
  if (typeof caller !== "string" || caller === "" || typeof eventTimestamp !== "string") return [];
  const isOwn = ownApp !== null && isObject(claims) && claims.appid === ownApp;
  const at = Date.parse(eventTimestamp);
  return isOwn || Number.isNaN(at) ? [] : [{ name: caller, at: new Date(at).toISOString(), operation }];
}

function wordIn(word: JsonObject[string] | undefined): string {
  return isObject(word) && typeof word.value === "string" ? word.value : "";
}
