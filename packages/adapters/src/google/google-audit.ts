import { type Cloud, isObject, type JsonObject, type ResourceChanger } from "@liveplane/core/clouds";
import { nameOf, ownNameOf, type PlacedResource, placed, projectOf } from "./google-ids.ts";
import type { SendToGoogle } from "./google-reads.ts";

const mostEntries = 20;

/** Reads a project's admin activity log, which is always on and reports a change within a minute. */
export function googleAudit(send: SendToGoogle): Required<Pick<Cloud, "whoChanged">> {
  return {
    async whoChanged(ref, { since, until }, call) {
      const of = placed(ref);
      const project = projectOf(of.resourceId);
      const filter = [
        `logName="projects/${project}/logs/cloudaudit.googleapis.com%2Factivity"`,
        `timestamp>="${since}"`,
        `timestamp<="${until}"`,
        `protoPayload.resourceName:"/${endOf(of)}"`,
        ...(call.credentials.kind === "serviceAccountKey" && call.credentials.name !== null
          ? [`protoPayload.authenticationInfo.principalEmail!=${JSON.stringify(call.credentials.name)}`]
          : []),
      ].join(" AND ");
      const body = { resourceNames: [`projects/${project}`], filter, orderBy: "timestamp desc", pageSize: mostEntries };
      const request = { method: "POST", path: "/v2/entries:list", body, changes: false } as const;
      const { entries } = await send("logging", request, call);
      const found = (Array.isArray(entries) ? entries.filter(isObject) : []).flatMap((entry) => changerIn(entry, of));
      return found.find(({ operation }) => /setLabels$/i.test(operation)) ?? found[0] ?? null;
    },
  };
}

/** Services name the same resource by project number, by `_`, or in a namespace; the end of the name is common. */
function endOf({ kind, resourceId }: PlacedResource): string {
  return `${kind.name === "storage.bucket" ? "buckets" : kind.collection}/${nameOf(resourceId)}`;
}

/** Who made a successful change. */
function changerIn({ protoPayload, timestamp }: JsonObject, of: PlacedResource): ResourceChanger[] {
  if (!isObject(protoPayload) || typeof timestamp !== "string") return [];
  const { authenticationInfo, methodName, resourceName, status } = protoPayload;
  const name = isObject(authenticationInfo) ? authenticationInfo.principalEmail : null;
  const isFailed = isObject(status) && typeof status.code === "number" && status.code !== 0;
  const whole = String(resourceName);
  // Compute Engine has the same name in other zones.
  const isIt = of.kind.service === "compute" ? whole === ownNameOf(of) : whole.endsWith(`/${endOf(of)}`);
  const at = Date.parse(timestamp);
  if (isFailed || !isIt || typeof name !== "string" || typeof methodName !== "string" || Number.isNaN(at)) return [];
  return [{ name, at: new Date(at).toISOString(), operation: methodName }];
}
