import { createPublicKey, type KeyObject } from "node:crypto";
import { jwtVerify } from "jose";
import { type Departures, departures } from "../descriptions/departures.ts";
import { type JudgedRequest, judgeRequest } from "../descriptions/judge.ts";
import type { Problem } from "../descriptions/judge-members.ts";
import { type Body, type GoogleAnswer, noProject, ok, problem } from "./google-answers.ts";
import { type GoogleChange, type GoogleSlowness, googleServices, type Rewrites } from "./google-services.ts";

/** What may go wrong with a kind of call. */
export type GoogleFault = "fail" | "throttle" | "lose-answer" | "quota";

/** The account whose key is good. */
export const serviceAccount = "agent@project-one.iam.gserviceaccount.com";

/** A token that is good without having been granted, as a person's sign-in gives one. */
export const goodToken = "token-of-google";

/** Another identity provider that the project trusts, with a token of its own. */
export const federation = {
  provider: "projects/1/locations/global/workloadIdentityPools/pipelines/providers/ci-system",
  token: "canary.federated.token",
  /** The service account that its identities may act as. */
  account: "agent@project-one.iam.gserviceaccount.com",
};

/** What a client sent, as far as it says what is to be done. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly body: unknown;
}

/** How the double is set up. */
export interface GoogleDoubleOptions {
  /** Whose key is good; without one no token is granted. */
  readonly privateKey?: KeyObject;
  /** Judges what is asked and answered. */
  readonly judged?: Departures;
  readonly now?: () => number;
  readonly projects?: readonly string[];
  readonly onChange?: (change: GoogleChange) => void;
  /** Asked of each write that is an operation, and may take its time. @default as it is slowed */
  readonly slownessOf?: () => GoogleSlowness | null;
  readonly rewrites?: Rewrites;
  /** What a description doesn't allow and the service takes all the same. @default none */
  readonly allows?: (problem: Problem) => boolean;
  /** So many reads after a write still show what was before it. @default 0 */
  readonly lateReads?: number;
}

/** A request as it came in. */
export interface IncomingToGoogle {
  readonly method: string;
  /** Path and query; the path begins with the name of the service. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Google's services and its token endpoint. Each service lies under its name. What can be asked, and what bodies hold, is what Google
 * publishes: a request that its descriptions don't know is refused, and every answer is judged by them.
 */
export function googleDouble({
  privateKey,
  judged = departures(),
  now = Date.now,
  projects = ["project-one", "project-two"],
  onChange,
  slownessOf,
  rewrites,
  lateReads,
  allows = () => false,
}: GoogleDoubleOptions = {}) {
  const publicKey = privateKey && createPublicKey(privateKey);
  const faults = new Map<"read" | "bulk" | "write", GoogleFault>();
  const services = googleServices({ now, slownessOf, rewrites, lateReads, ...(onChange && { onChange }) });
  const tokens = new Set([goodToken]);
  const seen: string[] = [];
  const recorded: RecordedRequest[] = [];
  let deed: (() => void) | null = null;
  let granted = 0;
  let url = "https://google.invalid";

  async function grant(form: URLSearchParams): Promise<GoogleAnswer> {
    try {
      if (publicKey === undefined) throw new RangeError("No key is good.");
      await jwtVerify(form.get("assertion") ?? "", publicKey, {
        issuer: serviceAccount,
        subject: serviceAccount,
        audience: `${url}/token`,
        algorithms: ["RS256"],
        requiredClaims: ["scope", "iat", "exp"],
      });
    } catch {
      const body = { error: "invalid_grant", error_description: "canary: the assertion may stand here" };
      return { status: 400, body };
    }
    const token = `token-${++granted}-of-google`;
    tokens.add(token);
    return ok({ access_token: token, expires_in: 3600 });
  }

  /** A token of another identity provider for one of Google's (RFC 8693). */
  function exchange(form: URLSearchParams): GoogleAnswer {
    const isRight =
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:token-exchange" &&
      form.get("audience") === `//iam.googleapis.com/${federation.provider}` &&
      form.get("requested_token_type") === "urn:ietf:params:oauth:token-type:access_token" &&
      form.get("subject_token_type") === "urn:ietf:params:oauth:token-type:jwt" &&
      form.get("subject_token") === federation.token &&
      form.has("scope");
    if (!isRight) return { status: 400, body: { error: "invalid_grant", error_description: federation.token } };
    const token = `token-${++granted}-of-google`;
    tokens.add(token);
    return ok({ access_token: token, expires_in: 3600, token_type: "Bearer", issued_token_type: "…access_token" });
  }

  /** A service account's token for a federated identity that may act as it. */
  function impersonate({ headers, url }: IncomingToGoogle): GoogleAnswer {
    if (!tokens.has(String(headers.authorization).replace("Bearer ", "")))
      return problem(401, { status: "UNAUTHENTICATED", message: federation.token });
    if (!decodeURIComponent(url).endsWith(`/projects/-/serviceAccounts/${federation.account}:generateAccessToken`))
      return problem(403, { status: "PERMISSION_DENIED", message: federation.token });
    const accessToken = `token-${++granted}-of-${federation.account}`;
    tokens.add(accessToken);
    return ok({ accessToken, expireTime: new Date(now() + 3_600_000).toISOString() });
  }

  function answered(asked: JudgedRequest, body: Body): GoogleAnswer {
    const address = new URL(asked.url, "http://fake");
    const { operation, problems } = judgeRequest(asked);
    const wrong = problems.find((one) => !allows(one));
    if (operation === null) return problem(404, { status: "NOT_FOUND", message: "No such method." });
    if (wrong !== undefined)
      return problem(400, { status: "INVALID_ARGUMENT", reason: "invalid", message: `${wrong.where} ${wrong.detail}` });
    const path = decodeURIComponent(address.pathname);
    const inPath = /\/projects\/([^/:]+)/.exec(path)?.[1] ?? address.searchParams.get("project");
    const project = inPath ?? services.at(path)?.project ?? projects[0] ?? "";
    if (!projects.includes(project)) return noProject(operation.id.split(".")[0] ?? "", project);
    return services.carryOut({ operation, path, project, query: address.searchParams, body });
  }

  /** What somebody gets who is signed in; `null`: the connection is cut. */
  function carriedOut({ method, url: target, headers, text }: IncomingToGoogle): GoogleAnswer | null {
    const address = new URL(target, "http://fake");
    const asked = { vendor: "google", method, url: target, headers, body: jsonOf(text) } as const;
    const answer = (given: GoogleAnswer): GoogleAnswer => {
      judged.judge(asked, { ...given, headers: given.headers ?? {} });
      return given;
    };
    const token = /^Bearer (.+)$/.exec(String(headers.authorization ?? ""))?.[1] ?? "";
    if (!tokens.has(token)) return answer(problem(401, { status: "UNAUTHENTICATED" }));
    seen.push(`${method} ${address.pathname}${address.search}`);
    recorded.push({
      method,
      path: decodeURIComponent(address.pathname),
      query: [...address.searchParams].sort(),
      body: asked.body,
    });
    const fault = faults.get(sortOf(method, address));
    if (fault === "fail") return answer(problem(503, { status: "UNAVAILABLE" }));
    if (fault === "throttle")
      return answer({ ...problem(429, { status: "RESOURCE_EXHAUSTED" }), headers: { "retry-after": "7" } });
    if (fault === "quota") return answer(problem(403, { status: "PERMISSION_DENIED", reason: "rateLimitExceeded" }));
    const result = answered(asked, (asked.body ?? {}) as Body);
    if (method !== "GET") {
      const due = deed;
      deed = null;
      due?.();
    }
    if (fault !== "lose-answer") return answer(result);
    judged.judge(asked, null);
    return null;
  }

  return {
    ...services,
    /** Where it is reached. */
    at(address: string) {
      url = address;
    },
    resourceAt: services.at,
    answer(incoming: IncomingToGoogle): GoogleAnswer | null | Promise<GoogleAnswer> {
      const { pathname } = new URL(incoming.url, "http://fake");
      if (pathname.startsWith("/iamcredentials/")) return impersonate(incoming);
      if (pathname === "/token") return grant(new URLSearchParams(incoming.text));
      return pathname === "/sts/v1/token" ? exchange(new URLSearchParams(incoming.text)) : carriedOut(incoming);
    },
    /** Does something once after the next write is carried out, before its answer goes out. */
    beforeAnswer(next: () => void) {
      deed = next;
    },
    faults,
    seen,
    recorded,
    tokens: () => granted,
    /** Lets every token that was granted end at once. */
    revoke: () => tokens.clear(),
  };
}

/** Where a resource of these types lies in the double, by its id. */
export function pathOf(type: string, resourceId: string): string {
  const [service = "", version = ""] = type.split(".");
  if (service === "storage") return `/storage/storage/v1/b/${resourceId.replace(/^projects\/[^/]+\/buckets\//, "")}`;
  const own = resourceId.replace(`/${service}/`, "/");
  const isTwice = ["bigquery", "compute", "dns"].includes(service);
  return `/${service}/${isTwice ? `${service}/` : ""}${version}/${own}`;
}

const labelsOf: Readonly<Record<string, string>> = {
  "container.v1.cluster": "resourceLabels",
  "monitoring.v3.alertPolicy": "userLabels",
};

/** A body with these labels, where its type has them. */
export function labelled(type: string, body: Body, labels: unknown): Body {
  if (type === "sqladmin.v1.instance")
    return { ...body, settings: { ...(body.settings as object), userLabels: labels } };
  return { ...body, [labelsOf[type] ?? "labels"]: labels };
}

function jsonOf(text: string): unknown {
  return text === "" ? null : (JSON.parse(text) as unknown);
}

/** Buckets are read one by one by a list of one. */
export function sortOf(method: string, { pathname, searchParams }: URL): "read" | "bulk" | "write" {
  if (method !== "GET") return "write";
  // Clusters and their pools are listed without pages.
  const isPage =
    searchParams.has("maxResults") || searchParams.has("pageSize") || /\/(clusters|nodePools)$/.test(pathname);
  return isPage && searchParams.get("maxResults") !== "1" && !/\/(regions|zones)$/.test(pathname) ? "bulk" : "read";
}
