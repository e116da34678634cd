import type { DescribedOperation } from "../../tables/described-api.ts";
import {
  type Body,
  busy,
  type GoogleAnswer,
  notThere,
  ok,
  problem,
  stale,
  switchedOff,
  taken,
} from "./google-answers.ts";
import { answerOf, type KeptResource, masked, membersOf, merged, ownNameOf, shownAs, typeAt } from "./google-bodies.ts";
import { googleLog } from "./google-log.ts";

/** Words that an operation ends in. */
export interface GoogleFailure {
  readonly code: string;
  readonly message: string;
}

/** How long writes take: until so many milliseconds have passed, or until they are finished. */
export interface GoogleSlowness {
  readonly takesMs: number | "until finished";
  readonly fails?: GoogleFailure | undefined;
  /** What is being made isn't seen until it is. */
  readonly hidden?: boolean;
}

interface Operation {
  readonly since: number;
  readonly until: number;
  readonly fails: GoogleFailure | undefined;
  /** What it comes to, once it is done. */
  lands: (() => void) | null;
}

/** What became of a resource, and by whom. */
export interface GoogleChange {
  readonly by: "caller" | "hand";
  readonly path: string;
  readonly before: KeptResource | null;
  readonly after: KeptResource | null;
}

/** A request that the description knows. */
export interface KnownRequest {
  readonly operation: DescribedOperation;
  readonly path: string;
  readonly project: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

const mostOnAPage = 500;

/**
 * What Google's resources are and how they change, by its own descriptions: what can be done at a path, what is bound by what, which
 * members a body has. Kept by their paths.
 */
export function googleServices({
  now = Date.now,
  onChange = () => {},
}: {
  readonly now?: () => number;
  readonly onChange?: (change: GoogleChange) => void;
} = {}) {
  const resources = new Map<string, KeptResource>();
  const operations = new Map<string, Operation>();
  /** What lists show, where they lag. */
  let seenInBulk: ReadonlyMap<string, KeptResource> | null = null;
  let slowness: GoogleSlowness | null = null;
  let pageSize = mostOnAPage;
  let made = 0;

  const log = googleLog(now);
  let by: GoogleChange["by"] = "caller";
  const put = (path: string, project: string, body: Body, more: Partial<KeptResource> = {}): KeptResource => {
    const known = resources.get(path);
    const kept = { project, made: known?.made ?? ++made, revision: (known?.revision ?? 0) + 1, body, ...more };
    resources.set(path, kept);
    const isLabels = known !== undefined && sameBut(known.body, body);
    log.note({ by, path, project, isLabels });
    onChange({ by, path, before: known ?? null, after: kept });
    return kept;
  };
  const drop = (path: string): void => {
    const before = resources.get(path);
    resources.delete(path);
    if (before !== undefined) onChange({ by, path, before, after: null });
  };
  const byHand = (work: () => void): void => {
    by = "hand";
    work();
    by = "caller";
  };

  function settle(): void {
    for (const operation of operations.values()) {
      if (operation.until > now() || operation.lands === null) continue;
      const { lands } = operation;
      operation.lands = null;
      lands();
    }
  }

  /** Carries a write out at once, or lets it take its time. */
  function carriedOut(request: KnownRequest, at: string, write: Write): GoogleAnswer {
    const { operation, path, project } = request;
    const answer = answerOf(operation);
    const isWatched = /Operation$/.test(answer ?? "");
    if (slowness === null || !isWatched) {
      write.lands();
      const kept = resources.get(at);
      if (isWatched) return ok(begun(request, { since: now(), until: now(), fails: undefined, lands: null }));
      if (kept === undefined) return path.startsWith("/storage/") ? { status: 204, body: null } : ok({});
      return ok(shownAs(answer, at, kept));
    }
    const { takesMs, fails, hidden = false } = slowness;
    const since = now();
    const until = takesMs === "until finished" ? Number.POSITIVE_INFINITY : since + takesMs;
    const before = resources.get(at);
    const isSeen = showsItsState(at);
    // What says nothing of its state is not seen until it is made.
    if (write.what === "CREATING") put(at, project, write.body, { underway: write.what, hidden: hidden || !isSeen });
    else if (before !== undefined) resources.set(at, { ...before, underway: write.what });
    // What is written whole is written at once, and carried out then: nothing that comes between is lost.
    const isAtOnce = write.isWhole === true;
    if (isAtOnce) write.lands();
    const written = resources.get(at);
    const lands = () => {
      const current = resources.get(at);
      if (current === undefined) return;
      resources.set(at, settledOf(current));
      if (fails === undefined && !isAtOnce) write.lands();
      else if (fails !== undefined && write.what === "CREATING") drop(at);
      else if (fails !== undefined && isAtOnce && current === written && before !== undefined)
        put(at, project, before.body);
    };
    return ok(begun(request, { since, until, fails, lands }));
  }

  function begun({ operation, path, project }: KnownRequest, own: Operation): Body {
    const name = `operation-${operations.size + 1}`;
    const service = operation.id.split(".")[0] ?? "";
    const place = /\/projects\/[^/]+\/(global|(?:zones|regions|locations)\/[^/]+)/.exec(path)?.[1];
    const at = {
      compute: `/compute/compute/v1/projects/${project}/${place}/operations/${name}`,
      sqladmin: `/sqladmin/v1/projects/${project}/operations/${name}`,
      serviceusage: `/serviceusage/v1/operations/${name}`,
    }[service];
    const version = /^\/\w+\/(v\d+)\//.exec(path)?.[1];
    operations.set(at ?? `/${service}/${version}/projects/${project}/${place}/operations/${name}`, own);
    return shownOperation(service, at ?? `/${service}/${version}/projects/${project}/${place}/operations/${name}`, own);
  }

  function shownOperation(service: string, path: string, { since, until, fails, lands }: Operation): Body {
    const done = lands === null && until <= now();
    const name = ownNameOf(path);
    const started = new Date(since).toISOString();
    const error = done && fails !== undefined ? fails : null;
    if (service === "compute" || service === "sqladmin") {
      const errors = error === null ? {} : { error: { errors: [error] } };
      const sql = service === "sqladmin";
      return {
        kind: sql ? "sql#operation" : "compute#operation",
        name: name.split("/").at(-1),
        status: done ? "DONE" : "RUNNING",
        insertTime: started,
        ...(!sql && { progress: done ? 100 : 0, id: "17" }),
        ...errors,
      };
    }
    const info = error && [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: error.code }];
    return {
      name,
      done,
      metadata: { createTime: started },
      ...(error !== null && { error: { code: 8, message: error.message, details: info } }),
    };
  }

  function created(request: KnownRequest): GoogleAnswer {
    const { operation, path, project, query, body } = request;
    const service = operation.id.split(".")[0] ?? "";
    const inQuery = [...query].find(([key]) => /[a-z]Id$/.test(key) && key !== "requestId")?.[1];
    const given = body.accountId ?? body.roleId ?? body.name;
    const name = body.accountId === undefined ? given : `${given}@${project}.iam.gserviceaccount.com`;
    const at = operation.method === "PUT" ? path : `${path}/${inQuery ?? String(name)}`;
    if (resources.has(at)) return taken(service);
    const { accountId: _, roleId: __, serviceAccount, role, ...own } = body;
    const held = { ...own, ...(serviceAccount as Body | undefined), ...(role as Body | undefined) };
    return carriedOut(request, at, { what: "CREATING", body: held, lands: () => void put(at, project, held) });
  }

  function changed(request: KnownRequest, at: string, known: KeptResource): GoogleAnswer {
    const { operation, query, body } = request;
    const service = operation.id.split(".")[0] ?? "";
    const call = operation.id.split(".").at(-1) ?? "";
    const held = (["topic", "subscription", "serviceAccount"] as const).map((name) => body[name]).find(isBody) ?? body;
    const mask = query.get("updateMask") ?? (typeof body.updateMask === "string" ? body.updateMask : null);
    const { etag: _, fingerprint: __, labelFingerprint: ___, name: ____, ...sent } = held;
    const isCall = call.startsWith("set") || call === "resize";
    const write = (before: Body): Body => {
      if (isCall) return { ...before, ...sent };
      if (mask !== null) return masked(before, sent, mask);
      return operation.method === "PUT" || service === "run" ? sent : (merged(before, sent) as Body);
    };
    const lands = () => {
      const current = resources.get(at);
      if (current !== undefined) put(at, current.project, write(current.body), stillOf(current));
    };
    const isWhole = !isCall && mask === null && (operation.method === "PUT" || service === "run");
    return carriedOut(request, at, { what: "UPDATING", body: known.body, lands, isWhole });
  }

  function listed({ operation, path, project, query }: KnownRequest): GoogleAnswer {
    const page = membersOf(answerOf(operation));
    const isList = (name: string) => String(page[name]).startsWith("[]#");
    const [items = "items"] = Object.keys(page).filter((name) => isList(name) && name !== "unreachable");
    const type = String(page[items]).slice(2);
    const prefix = query.get("prefix") ?? "";
    const all = [...(seenInBulk ?? resources)]
      .filter(([at, { hidden }]) => at.slice(0, at.lastIndexOf("/")) === path && hidden !== true)
      .filter(([, kept]) => kept.project === project)
      .map(([at, kept]) => shownAs(type, at, kept))
      .filter(({ name }) => String(name).startsWith(prefix))
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    const from = Number(query.get("pageToken") ?? "0");
    const most = Math.min(pageSize, Number(query.get("maxResults") ?? query.get("pageSize") ?? pageSize));
    const next = from + most < all.length ? { nextPageToken: String(from + most) } : {};
    return ok({ [items]: all.slice(from, from + most), ...(page.nextPageToken === undefined ? {} : next) });
  }

  /** Services that a project has switched off. */
  const off = new Set<string>();

  function ofServices({ operation, project, body, query, path }: KnownRequest): GoogleAnswer {
    const call = operation.id.split(".").at(-1);
    const nameOf = (id: string) => id.split("/").at(-1)?.replace(".googleapis.com", "") ?? "";
    if (call === "batchGet") {
      const services = query.getAll("names").map((name) => ({
        name,
        state: off.has(`${project} ${nameOf(name)}`) ? "DISABLED" : "ENABLED",
      }));
      return ok({ services });
    }
    const ids = Array.isArray(body.serviceIds)
      ? body.serviceIds.map(String)
      : [path.replace(/^.*\/([^/:]+):enable$/, "$1")];
    const lands = () => {
      for (const id of ids) off.delete(`${project} ${nameOf(id)}`);
    };
    if (slowness === null) lands();
    const until = slowness === null ? now() : Number.POSITIVE_INFINITY;
    const own = { since: now(), until, fails: undefined, lands: slowness === null ? null : lands };
    return ok(begun({ operation, project, body, query, path }, own));
  }

  function carryOut(request: KnownRequest): GoogleAnswer {
    settle();
    const { operation, path, project, query } = request;
    const [service = "", collection = ""] = operation.id.split(".");
    const call = operation.id.split(".").at(-1) ?? "";
    if (off.has(`${project} ${service}`)) return switchedOff(service);
    if (service === "serviceusage") return ofServices(request);
    if (service === "logging") return log.answer(request.body);
    if (collection === "Regions" && call === "list") return ok({ items: regions });
    if (collection === "Zones" && call === "list") return ok({ items: zones });
    if (/perations$/.test(operation.id.split(".").at(-2) ?? "")) {
      const known = operations.get(path);
      return known === undefined ? notThere(service, path) : ok(shownOperation(service, path, known));
    }
    if (call === "insert" || call === "create") return created(request);
    if (call === "list") return listed(request);
    const byName = query.get("autoscaler");
    const at = byName !== null ? `${path}/${byName}` : path.replace(/\/(set[A-Z]\w*|resize)$/, "");
    const known = resources.get(at);
    if (known === undefined || known.hidden === true) return notThere(service, at);
    if (call === "get") return ok(shownAs(answerOf(operation), at, known));
    return written(request, at, known);
  }

  function written(request: KnownRequest, at: string, known: KeptResource): GoogleAnswer {
    const { operation } = request;
    const service = operation.id.split(".")[0] ?? "";
    if (known.underway !== undefined) return busy(service);
    if (movedFor(request, shownAs(typeAt(at), at, known))) return stale(service);
    if (operation.method !== "DELETE") return changed(request, at, known);
    if (full.has(at)) return problem(409, { status: "CONFLICT", reason: "conflict", message: "It is not empty." });
    return carriedOut(request, at, { what: "DELETING", body: known.body, lands: () => drop(at) });
  }

  const full = new Set<string>();
  return {
    carryOut,
    /** What a person does at the console, or with gcloud. */
    byHand(path: string, change: (body: Body) => Body): void {
      const known = resources.get(path);
      if (known !== undefined) byHand(() => put(path, known.project, change(known.body), stillOf(known)));
    },
    remove: (path: string) => byHand(() => drop(path)),
    putAt: (path: string, project: string, body: Body) => byHand(() => put(path, project, body)),
    at: (path: string) => resources.get(path),
    paths: () => [...resources.keys()],
    slow(next: GoogleSlowness | null): void {
      slowness = next;
    },
    /** Lets what is under way come to its end. */
    finish(): void {
      slowness = null;
      for (const [path, operation] of operations) operations.set(path, { ...operation, until: now() });
      settle();
    },
    /** From here on lists show what is there now, until they catch up. */
    lag: (lags: boolean) => {
      seenInBulk = lags ? new Map(resources) : null;
    },
    /** All that is kept now. */
    all: (): ReadonlyMap<string, KeptResource> => new Map(resources),
    /** From here on lists show this; `null`: what is there. */
    showInBulk: (shown: ReadonlyMap<string, KeptResource> | null) => {
      seenInBulk = shown;
    },
    pages(size: number): void {
      pageSize = size;
    },
    switchOff: (project: string, service: string) => void off.add(`${project} ${service}`),
    fill: (path: string) => void full.add(path),
  };
}

interface Write {
  readonly what: NonNullable<KeptResource["underway"]>;
  readonly body: Body;
  readonly lands: () => void;
  readonly isWhole?: boolean;
}

/** Whether what lies at a path tells that Google is at it. */
function showsItsState(at: string): boolean {
  const service = at.split("/")[1] ?? "";
  if (service === "compute") return membersOf(typeAt(at)).status !== undefined;
  return ["redis", "run", "sqladmin"].includes(service);
}

/** Whether nothing but labels differs. */
function sameBut({ labels: _, ...before }: Body, { labels: __, ...after }: Body): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function settledOf({ underway: _, hidden: __, ...settled }: KeptResource): KeptResource {
  return settled;
}

function stillOf({ underway, hidden }: KeptResource): Partial<KeptResource> {
  return { ...(underway !== undefined && { underway }), ...(hidden !== undefined && { hidden }) };
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether what a write is bound to has moved. */
function movedFor({ query, body, operation }: KnownRequest, current: Body): boolean {
  const bound = query.get("ifMetagenerationMatch");
  if (bound !== null && bound !== current.metageneration) return true;
  const etag = body.etag ?? query.get("etag");
  if (etag != null && current.etag !== undefined && etag !== current.etag) return true;
  // Some set labels with the other members, under the same fingerprint.
  const isLabels = operation.id.endsWith(".setLabels") || body.labelFingerprint !== undefined;
  if (isLabels && body.labelFingerprint !== current.labelFingerprint) return true;
  const { fingerprint } = body;
  return fingerprint !== undefined && current.fingerprint !== undefined && fingerprint !== current.fingerprint;
}

const region = (name: string) => `https://www.googleapis.com/compute/v1/projects/project-one/regions/${name}`;

const regions = [
  { name: "europe-west1", status: "UP" },
  { name: "us-central1", status: "UP" },
  { name: "mars-north1", status: "UP" },
  { name: "closed-west9", status: "DOWN" },
];

const zones = [
  { name: "europe-west1-d", status: "UP", region: region("europe-west1") },
  { name: "europe-west1-b", status: "UP", region: region("europe-west1") },
  { name: "europe-west1-a", status: "DOWN", region: region("europe-west1") },
  { name: "us-central1-a", status: "UP", region: region("us-central1") },
];
