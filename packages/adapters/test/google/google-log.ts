import { type Body, type GoogleAnswer, ok, problem } from "./google-answers.ts";
import { ownNameOf } from "./google-bodies.ts";

/** Who edits by hand in the console, and who the agent is. */
export const consoleUser = "ann@example.com";
const agent = "agent@project-one.iam.gserviceaccount.com";

const shape =
  /^logName="projects\/([^/]+)\/logs\/cloudaudit\.googleapis\.com%2Factivity" AND timestamp>="([^"]+)" AND timestamp<="([^"]+)" AND protoPayload\.resourceName:"([^"]+)"(?: AND protoPayload\.authenticationInfo\.principalEmail!="([^"]+)")?$/;

/** The audit log of the projects' administration. */
export function googleLog(now: () => number) {
  const entries: { readonly at: number; readonly project: string; readonly who: string; readonly shown: Body }[] = [];
  return {
    note({ by, path, project, isLabels }: { by: "caller" | "hand"; path: string; project: string; isLabels: boolean }) {
      const service = path.split("/")[1] ?? "";
      const who = by === "hand" ? consoleUser : agent;
      const name = service === "storage" ? `projects/_/buckets/${path.split("/").at(-1)}` : ownNameOf(path);
      const collection = path.split("/").at(-2);
      entries.unshift({
        at: now(),
        project,
        who,
        shown: {
          logName: `projects/${project}/logs/cloudaudit.googleapis.com%2Factivity`,
          resource: { type: "audited_resource", labels: {} },
          timestamp: new Date(now()).toISOString(),
          protoPayload: {
            "@type": "type.googleapis.com/google.cloud.audit.AuditLog",
            serviceName: `${service}.googleapis.com`,
            resourceName: name,
            methodName: `v1.${service}.${collection}.${isLabels && service === "compute" ? "setLabels" : "update"}`,
            authenticationInfo: { principalEmail: who },
          },
        },
      });
    },
    answer({ filter, resourceNames, pageSize }: Body): GoogleAnswer {
      const [, project, since = "", until = "", part = "", not] = shape.exec(String(filter)) ?? [];
      if (project === undefined || JSON.stringify(resourceNames) !== JSON.stringify([`projects/${project}`]))
        return problem(400, { status: "INVALID_ARGUMENT", message: "The filter can't be read." });
      const found = entries.filter(
        ({ at, who, shown, ...one }) =>
          one.project === project &&
          at >= Date.parse(since) &&
          at <= Date.parse(until) &&
          who !== not &&
          String((shown.protoPayload as Body).resourceName).includes(part),
      );
      return ok({ entries: found.slice(0, Number(pageSize)).map(({ shown }) => shown) });
    },
  };
}
