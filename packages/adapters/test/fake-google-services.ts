import { createHash } from "node:crypto";
import kinds from "../tables/google.json" with { type: "json" };

type Body = Record<string, unknown>;

/** A status and a body. */
export type GoogleAnswer = readonly [status: number, body: unknown];

interface Kept {
  readonly project: string;
  readonly made: number;
  readonly revision: number;
  readonly body: Body;
}

/** An error as Google's services say it: a number, a word, and in the older ones a reason. */
export function problem(code: number, status: string, reason?: string): GoogleAnswer {
  const message = "canary: what was sent may stand here";
  return [code, { error: { code, status, message, ...(reason && { errors: [{ reason, message }] }) } }];
}

const mostOnAPage = 2;
/** Compute Engine's fingerprints are of what they bind: one of the labels, one of the rest. */
const hash = (of: unknown) =>
  createHash("sha256")
    .update(JSON.stringify(of ?? null))
    .digest("base64url")
    .slice(0, 11);

/** What buckets, Compute Engine's resources and those of newer services are, and how they change. Kept by their paths. */
export function createFakeServices() {
  const resources = new Map<string, Kept>();
  const operations = new Map<string, { polls: number; error?: unknown }>();
  let made = 0;
  let polls = 1;
  let failure: unknown;

  const put = (path: string, project: string, body: Body): Kept => {
    const known = resources.get(path);
    const kept = { project, made: known?.made ?? ++made, revision: (known?.revision ?? 0) + 1, body };
    resources.set(path, kept);
    return kept;
  };

  /** Adds what the service itself says of a resource. */
  function shown(path: string, { made: at, revision, body, project }: Kept): Body {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
    if (path.startsWith("/storage/"))
      return { ...body, kind: "storage#bucket", id: name, name, metageneration: String(revision), timeCreated: time };
    if (path.startsWith("/compute/")) {
      const { labels, ...members } = body;
      const kind = Object.values(kinds).find(({ collection }) => collection === path.split("/").at(-2));
      const marks = {
        ...(kind?.etag === "fingerprint" && { fingerprint: hash(members) }),
        ...(kind?.labelFingerprint && { labelFingerprint: hash(labels) }),
        creationTimestamp: time,
      };
      return { ...body, kind: "compute#disk", id: String(1000 + at), name, ...marks };
    }
    return { ...body, name: `projects/${project}/${name}`, uid: `uid-${at}`, etag: `"${revision}"`, createTime: time };
  }

  function operation(service: string, path: string): GoogleAnswer {
    const name = `op-${operations.size + 1}`;
    operations.set(name, { polls, ...(failure !== undefined && { error: failure }) });
    if (service === "compute") return [200, { kind: "compute#operation", name, status: "RUNNING" }];
    if (service === "serviceusage") return [200, { name: `operations/${name}`, metadata: {} }];
    const project = /projects\/([^/]+)/.exec(path)?.[1];
    return [200, { name: `projects/${project}/locations/here/operations/${name}`, metadata: {} }];
  }

  function watched(service: string, name: string): GoogleAnswer {
    const known = operations.get(name);
    if (known === undefined) return problem(404, "NOT_FOUND");
    known.polls--;
    const done = known.polls <= 0;
    const error = done && known.error !== undefined ? { error: known.error } : {};
    if (service === "compute")
      return [200, { kind: "compute#operation", name, status: done ? "DONE" : "RUNNING", ...error }];
    return [200, { name: `operations/${name}`, done, ...error }];
  }

  function listed(path: string, project: string, address: URL): GoogleAnswer {
    const prefix = address.searchParams.get("prefix") ?? "";
    const all = [...resources]
      .filter(([at, kept]) => at.slice(0, at.lastIndexOf("/")) === path && kept.project === project)
      .map(([at, kept]) => shown(at, kept))
      .filter(({ name }) => String(name).startsWith(prefix))
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    const from = Number(address.searchParams.get("pageToken") ?? "0");
    const pageSize = Math.min(mostOnAPage, Number(address.searchParams.get("maxResults") ?? mostOnAPage));
    const next = from + pageSize < all.length ? { nextPageToken: String(from + pageSize) } : {};
    const name = path.startsWith("/run/") ? "services" : "items";
    return [200, { [name]: all.slice(from, from + pageSize), ...next }];
  }

  function created(service: string, path: string, project: string, body: Body): GoogleAnswer {
    if (resources.has(path)) {
      if (service === "storage") return problem(409, "CONFLICT", "conflict");
      return problem(409, "ALREADY_EXISTS", service === "compute" ? "alreadyExists" : undefined);
    }
    const kept = put(path, project, body);
    return service === "storage" || service === "iam" || service === "cloudkms"
      ? [200, shown(path, kept)]
      : operation(service, path);
  }

  function carryOut(method: string, address: URL, body: Body): GoogleAnswer {
    const path = decodeURIComponent(address.pathname);
    const service = path.split("/")[1] ?? "";
    const project = /projects\/([^/]+)/.exec(path)?.[1] ?? address.searchParams.get("project") ?? "";
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (path.endsWith("/regions")) return [200, { items: places }];
    if (path.endsWith("/services:batchEnable")) return operation(service, path);
    if (/\/operations\//.test(path)) return watched(service, name);
    if (method === "POST" && name !== "setLabels") {
      const id = [...address.searchParams].find(([key]) => key.endsWith("Id"))?.[1] ?? body.name ?? body.accountId;
      return created(service, `${path}/${String(id)}`, project, body);
    }
    const at = name === "setLabels" ? path.slice(0, path.lastIndexOf("/")) : path;
    const known = resources.get(at);
    if (known === undefined)
      return method === "GET" && isCollection(path)
        ? listed(path, project, address)
        : problem(404, "NOT_FOUND", "notFound");
    if (method === "GET") return [200, shown(at, known)];
    return refusedFor(service, shown(at, known), { address, body }) ?? written(method, at, known, { address, body });
  }

  function written(
    method: string,
    at: string,
    known: Kept,
    { address, body }: { address: URL; body: Body },
  ): GoogleAnswer {
    const service = at.split("/")[1] ?? "";
    const { etag: _, fingerprint: __, labelFingerprint: ___, ...own } = body;
    if (method === "DELETE") resources.delete(at);
    else if (method === "PUT") put(at, known.project, own);
    else if (address.searchParams.has("updateMask")) put(at, known.project, { ...known.body, ...own });
    else if (method === "POST") put(at, known.project, { ...known.body, labels: body.labels });
    else put(at, known.project, merged(known.body, own) as Body);
    if (service !== "storage") return operation(service, at);
    const now = resources.get(at);
    return now === undefined ? [204, null] : [200, shown(at, now)];
  }

  const pathOf = (resourceId: string): string => {
    const name = resourceId.slice(resourceId.lastIndexOf("/") + 1);
    if (/\/buckets\//.test(resourceId)) return `/storage/storage/v1/b/${name}`;
    if (resourceId.includes("/run/")) return `/run/v2/${resourceId.replace("/run/", "/")}`;
    return `/compute/compute/v1/${resourceId}`;
  };
  const byHand = (resourceId: string, change: (body: Body) => Body) => {
    const known = resources.get(pathOf(resourceId));
    if (known !== undefined) put(pathOf(resourceId), known.project, change(known.body));
  };

  return {
    carryOut,
    kindOf,
    byHand,
    remove: (resourceId: string) => void resources.delete(pathOf(resourceId)),
    /** How often operations are looked at until they are done. */
    slow(turns: number) {
      polls = turns;
    },
    /** Lets operations end in an error. */
    failing(error: unknown) {
      failure = error;
    },
    names: () => [...resources.keys()],
    putAt: put,
  };
}

const isCollection = (path: string) => /\/(b|disks|instances|firewalls|services)$/.test(path);

function kindOf(method: string, { pathname, searchParams }: URL): "read" | "bulk" | "write" | "operation" {
  if (/\/operations\//.test(pathname)) return "operation";
  if (method !== "GET") return "write";
  return isCollection(pathname) && searchParams.get("maxResults") !== "1" ? "bulk" : "read";
}

/** Why a write is refused: what it is bound to has moved. */
function refusedFor(
  service: string,
  current: Body,
  { address, body }: { address: URL; body: Body },
): GoogleAnswer | null {
  const bound = address.searchParams.get("ifMetagenerationMatch");
  if (bound !== null && bound !== current.metageneration) return problem(412, "CONDITION", "conditionNotMet");
  const etag = body.etag ?? address.searchParams.get("etag");
  if (service === "run" && etag != null && etag !== current.etag) return problem(409, "ABORTED");
  for (const mark of ["fingerprint", "labelFingerprint"])
    if (body[mark] !== undefined && body[mark] !== current[mark]) return problem(412, "CONDITION", "conditionNotMet");
  return null;
}

function merged(before: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const known = typeof before === "object" && before !== null && !Array.isArray(before) ? { ...(before as Body) } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete known[name];
    else known[name] = merged(known[name], value);
  }
  return known;
}

const places = [
  { name: "europe-west1", status: "UP" },
  { name: "us-central1", status: "UP" },
  { name: "mars-north1", status: "UP" },
  { name: "closed-west9", status: "DOWN" },
];
