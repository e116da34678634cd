import type { DescribedOperation } from "../../tables/described-api.ts";

/** A status, a body, and what is in the headers beside. */
export interface GoogleAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Body = Record<string, unknown>;

/** An answer that all is well. */
export const ok = (body: unknown): GoogleAnswer => ({ status: 200, body });

/** An error as Google's services say it: a number, a word, and in the older ones a reason; newer ones have an ErrorInfo. */
export function problem(
  code: number,
  { status, reason, info, message = "canary: what was sent may stand here" }: ProblemWords,
): GoogleAnswer {
  const details = info && [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: info, domain: "googleapis.com" },
  ];
  const errors = reason && [{ reason, message, domain: "global" }];
  return {
    status: code,
    body: { error: { code, status, message, ...(errors && { errors }), ...(details && { details }) } },
  };
}

/** How a problem is worded. */
export interface ProblemWords {
  readonly status: string;
  readonly reason?: string;
  readonly info?: string;
  readonly message?: string;
}

/** What each service says of an id that is taken. */
export function taken(service: string): GoogleAnswer {
  switch (service) {
    case "storage":
      return problem(409, { status: "CONFLICT", reason: "conflict" });
    case "compute":
      return problem(409, { status: "ALREADY_EXISTS", reason: "alreadyExists" });
    case "sqladmin":
      return problem(409, { status: "ALREADY_EXISTS", reason: "instanceAlreadyExists" });
    default:
      return problem(409, { status: "ALREADY_EXISTS" });
  }
}

/** What each says of a resource that another write is under way at. */
export function busy(service: string): GoogleAnswer {
  switch (service) {
    case "compute":
      return problem(400, { status: "INVALID_ARGUMENT", reason: "resourceNotReady" });
    case "sqladmin":
      return problem(409, { status: "ABORTED", reason: "operationInProgress" });
    default:
      return problem(409, { status: "ABORTED" });
  }
}

/** What each says of a state that has moved. */
export function stale(service: string): GoogleAnswer {
  switch (service) {
    case "storage":
    case "compute":
      return problem(412, { status: "FAILED_PRECONDITION", reason: "conditionNotMet" });
    case "secretmanager":
      return problem(400, { status: "FAILED_PRECONDITION", message: "The etag that was sent isn't the resource's." });
    default:
      return problem(409, { status: "ABORTED" });
  }
}

/** What each says of what isn't there; each in its own words. */
export function notThere(service: string, path: string): GoogleAnswer {
  const own = path.replace(/^\/\w+\/(\w+\/)?v\d+\//, "");
  const name = own.split("/").at(-1);
  switch (service) {
    case "compute":
      return problem(404, { status: "NOT_FOUND", reason: "notFound", message: `The resource '${own}' was not found` });
    case "storage":
      return problem(404, { status: "NOT_FOUND", reason: "notFound", message: "The specified bucket does not exist." });
    case "sqladmin":
      return problem(404, { status: "NOT_FOUND", reason: "instanceDoesNotExist", message: "It does not exist." });
    case "pubsub":
      return problem(404, { status: "NOT_FOUND", message: `Resource not found (resource=${name}).` });
    default:
      return problem(404, { status: "NOT_FOUND", message: `Resource '${own}' was not found` });
  }
}

/** What a project says that isn't there, or that can't be seen. */
export function noProject(service: string, project: string): GoogleAnswer {
  if (service === "compute")
    return problem(404, {
      status: "NOT_FOUND",
      reason: "notFound",
      message: `The resource 'projects/${project}' was not found`,
    });
  return problem(403, { status: "PERMISSION_DENIED", info: "CONSUMER_INVALID" });
}

/** What a service says that is switched off. */
export function switchedOff(service: string): GoogleAnswer {
  return problem(403, {
    status: "PERMISSION_DENIED",
    reason: service === "compute" || service === "storage" ? "accessNotConfigured" : undefined,
    info: "SERVICE_DISABLED",
    message: `${service} API has not been used in this project before or it is disabled.`,
  } as ProblemWords);
}

/** A request that the description knows. */
export interface KnownRequest {
  readonly operation: DescribedOperation;
  readonly path: string;
  readonly project: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}
