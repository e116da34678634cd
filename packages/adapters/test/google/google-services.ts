import { withConditionNames } from "./google-alerts.ts";
import {
  type Body,
  busy,
  type GoogleAnswer,
  type KnownRequest,
  notThere,
  ok,
  problem,
  stale,
  switchedOff,
  taken,
} from "./google-answers.ts";
import { assetOf, policiesIn } from "./google-assets.ts";
import { answerOf, type KeptResource, masked, membersOf, merged, ownNameOf, shownAs, typeAt } from "./google-bodies.ts";
import { googleLog } from "./google-log.ts";
import { answerPolicy, policyHolderIn } from "./google-policies.ts";

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
  /** What fails says so itself, where its service does; else the operation tells of it alone, and what was being made is gone. */
  readonly marks?: boolean;
}

interface Operation {
  readonly since: number;
  readonly until: number;
  readonly fails: GoogleFailure | undefined;
  /** What it comes to, once it is done. */
  lands: ((own: Operation) => void) | null;
  /** The resource as it was then, where operations of its service hold it. */
  response?: Body;
}

/** What became of a resource, and by whom. */
export interface GoogleChange {
  /** `google`: a write that was accepted before has come to its end. */
  readonly by: "caller" | "hand" | "google";
  readonly path: string;
  readonly before: KeptResource | null;
  readonly after: KeptResource | null;
}

/** What a service makes of a body that it is sent. @default the same */
export type Rewrites = (write: { readonly path: string; readonly before: Body | null; readonly body: Body }) => Body;

const mostOnAPage = 500;

/**
 * What Google's resources are and how they change, by its own descriptions: what can be done at a path, what is bound by what, which
 * members a body has. Kept by their paths.
 */
export function googleServices({
  now = Date.now,
  onChange = () => {},
  slownessOf = () => null,
  rewrites = ({ body }) => body,
  lateReads = 0,
}: {
  readonly now?: () => number;
  readonly onChange?: (change: GoogleChange) => void;
  /** Asked of each write that is an operation. @default as it is slowed */
  readonly slownessOf?: (() => GoogleSlowness | null) | undefined;
  readonly rewrites?: Rewrites | undefined;
  /** So many reads after a write of its caller still show what was before it. @default 0 */
  readonly lateReads?: number | undefined;
} = {}) {
  /** What is still shown of resources that were written, and for how many reads. */
  const late = new Map<string, { readonly shown: KeptResource; left: number }>();
  const resources = new Map<string, KeptResource>();
  const operations = new Map<string, Operation>();
  /** What lists show, where they lag. */
  let seenInBulk: ReadonlyMap<string, KeptResource> | null = null;
  let slowness: GoogleSlowness | null = null;
  let pageSize = mostOnAPage;
  let made = 0;

  const log = googleLog(now);
  let by: GoogleChange["by"] = "caller";
  /** Keeps a resource as it is from now on, and tells of it; `null`: it is gone. */
  const keep = (path: string, sent: KeptResource | null): void => {
    const before = resources.get(path) ?? null;
    const isNew = sent !== null && sent.body !== before?.body;
    const written = isNew ? rewrites({ path, before: before?.body ?? null, body: sent.body }) : {};
    const after = isNew ? { ...sent, body: withConditionNames(path, written) } : sent;
    if (after === null) resources.delete(path);
    else {
      resources.set(path, after);
      const isLabels = before !== null && sameBut(before.body, after.body);
      log.note({ by: by === "hand" ? by : "caller", path, project: after.project, isLabels });
    }
    if (by === "hand") late.delete(path);
    else if (by === "caller" && before !== null && lateReads > 0) late.set(path, { shown: before, left: lateReads });
    if (before !== null || after !== null) onChange({ by, path, before, after });
  };
  const put = (path: string, project: string, body: Body, more: Partial<KeptResource> = {}): void => {
    const known = resources.get(path);
    keep(path, { project, made: known?.made ?? ++made, revision: (known?.revision ?? 0) + 1, body, ...more });
  };
  const changedBy = (who: GoogleChange["by"], work: () => void): void => {
    if (who === "hand") settle();
    by = who;
    work();
    by = "caller";
  };

  function settle(): void {
    for (const operation of operations.values()) {
      if (operation.until > now() || operation.lands === null) continue;
      const { lands } = operation;
      operation.lands = null;
      changedBy("google", () => lands(operation));
    }
  }

  /** Carries a write out at once, or lets it take its time. */
  function carriedOut(request: KnownRequest, at: string, write: Write): GoogleAnswer {
    const { operation, path } = request;
    const answer = answerOf(operation);
    const isWatched = /Operation$/.test(answer ?? "") && !path.startsWith("/dns/");
    const slow = isWatched ? (slownessOf() ?? slowness) : null;
    if (slow !== null) return ok(begun(request, accepted(request, at, write, slow)));
    const known = resources.get(at);
    if (write.what === "DELETING") keep(at, null);
    else put(at, known?.project ?? request.project, write.after(known?.body ?? {}), known && stillOf(known));
    const kept = resources.get(at);
    const response = resultAt(at);
    if (isWatched)
      return ok(begun(request, { since: now(), until: now(), fails: undefined, lands: null, ...response }));
    if (kept === undefined) return answer === null ? { status: 204, body: null } : ok({});
    if (answer === "#dns.Operation") return ok({ id: "1", status: "done" });
    return ok(shownAs(answer, at, kept));
  }

  /** A write that takes its time, from the moment when it is accepted. */
  function accepted({ project }: KnownRequest, at: string, write: Write, slow: GoogleSlowness): Operation {
    const { takesMs, fails, hidden = false, marks = false } = slow;
    const { what, after } = write;
    const since = now();
    const until = takesMs === "until finished" ? Number.POSITIVE_INFINITY : since + takesMs;
    const before = resources.get(at);
    const underway = { underway: what, ...(fails !== undefined && { fails: true }) };
    // What says nothing of its state is not seen until it is made.
    if (what === "CREATING") put(at, project, after({}), { ...underway, hidden: hidden || !showsItsState(at) });
    // What is written whole is written at once, and carried out then: nothing that comes between is lost.
    else if (write.isWhole && before !== undefined) put(at, project, after(before.body), underway);
    else if (before !== undefined) keep(at, { ...before, ...underway });
    const begun = resources.get(at);
    const lands = (own: Operation) => {
      const current = resources.get(at);
      // It may have been taken away meanwhile, and another one made.
      if (current === undefined || current.made !== begun?.made) return;
      keep(at, fails === undefined ? done(current) : givenUp(current, fails));
      Object.assign(own, resultAt(at));
    };
    const done = (current: KeptResource): KeptResource | null => {
      if (what === "DELETING") return null;
      const isThere = what === "CREATING" || write.isWhole === true;
      return settledOf(current, isThere ? current.body : after(current.body));
    };
    const givenUp = (current: KeptResource, { message }: GoogleFailure): KeptResource | null => {
      if (marks && saysThatItFailed(at, what)) return { ...settledOf(current, current.body), failed: { message } };
      if (what === "CREATING") return null;
      const isUndone = write.isWhole === true && current.revision === begun?.revision;
      return settledOf(current, isUndone ? (before?.body ?? current.body) : current.body);
    };
    return { since, until, fails, lands };
  }

  /** What long-running operations hold once they are done: the resource as it is then. */
  function resultAt(at: string): Pick<Operation, "response"> {
    const kept = resources.get(at);
    const isHeld = kept !== undefined && !/^[/](compute|container|sqladmin)[/]/.test(at);
    return isHeld ? { response: { "@type": "type.googleapis.com/resource", ...shownAs(typeAt(at), at, kept) } } : {};
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

  function shownOperation(service: string, path: string, { since, until, fails, lands, response }: Operation): Body {
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
    if (service === "container")
      return {
        name: name.split("/").at(-1),
        operationType: "UPDATE_CLUSTER",
        status: done ? "DONE" : "RUNNING",
        location: name.split("/").at(-3),
        startTime: started,
        ...(error !== null && { error: { code: 8, message: error.message, details: info } }),
      };
    return {
      name,
      done,
      metadata: { createTime: started },
      ...(done && error === null && response && { response }),
      ...(error !== null && { error: { code: 8, message: error.message, details: info } }),
    };
  }

  function created(request: KnownRequest): GoogleAnswer {
    const { operation, path, project, query, body } = request;
    const service = operation.id.split(".")[0] ?? "";
    const inQuery = [...query].find(([key]) => /[a-z]Id$/.test(key) && key !== "requestId")?.[1];
    const { datasetId } = (isBody(body.datasetReference) ? body.datasetReference : {}) as Body;
    const inside = [body.cluster, body.nodePool].find(isBody);
    const isRecord = path.endsWith("/rrsets");
    const own = isRecord ? `${body.name}/${body.type}` : (inside ?? body).name;
    const chosen = service === "monitoring" ? String(7_000_000 + made) : undefined;
    const given = chosen ?? body.accountId ?? body.roleId ?? datasetId ?? own;
    const name = body.accountId === undefined ? given : `${given}@${project}.iam.gserviceaccount.com`;
    const at =
      operation.method === "PUT" ? path : `${path}/${inQuery ?? String(name).replace(`${ownNameOf(path)}/`, "")}`;
    if (resources.has(at)) return taken(service);
    const { accountId: _, roleId: __, ...rest } = body;
    const held = inside ?? [body.serviceAccount, body.role].find(isBody) ?? rest;
    return carriedOut(request, at, { what: "CREATING", after: () => held });
  }

  function changed(request: KnownRequest, at: string): GoogleAnswer {
    const { operation, query, body } = request;
    const service = operation.id.split(".")[0] ?? "";
    const call = operation.id.split(".").at(-1) ?? "";
    const held = (["topic", "subscription", "serviceAccount"] as const).map((name) => body[name]).find(isBody) ?? body;
    const mask = query.get("updateMask") ?? (typeof body.updateMask === "string" ? body.updateMask : null);
    const { etag: _, fingerprint: __, labelFingerprint: ___, name: ____, ...sent } = held;
    const isCall = call.startsWith("set") || call === "resize";
    const after = (before: Body): Body => {
      if (service === "container") return { ...before, ...partsIn(body) };
      if (isCall) return { ...before, ...sent };
      if (mask !== null) return masked(before, sent, mask);
      return operation.method === "PUT" || service === "run" ? sent : (merged(before, sent) as Body);
    };
    const isWhole =
      !isCall && service !== "container" && mask === null && (operation.method === "PUT" || service === "run");
    return carriedOut(request, at, { what: "UPDATING", after, isWhole });
  }

  function listed({ operation, path, project, query }: KnownRequest): GoogleAnswer {
    const page = membersOf(answerOf(operation));
    const isList = (name: string) => String(page[name]).startsWith("[]#");
    const [items = "items"] = Object.keys(page).filter((name) => isList(name) && name !== "unreachable");
    const type = String(page[items]).slice(2);
    const prefix = query.get("prefix") ?? "";
    const all = [...(seenInBulk ?? resources)]
      .filter(([at, { hidden }]) => isIn(at, path) && hidden !== true)
      .filter(([, kept]) => kept.project === project)
      .map(([at, kept]) => shownAs(type, at, kept))
      .filter(({ name }) => String(name).startsWith(prefix))
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    const from = Number(query.get("pageToken") ?? "0");
    const most = Math.min(pageSize, Number(query.get("maxResults") ?? query.get("pageSize") ?? pageSize));
    const next = from + most < all.length ? { nextPageToken: String(from + most) } : {};
    return ok({ [items]: all.slice(from, from + most), ...(page.nextPageToken === undefined ? {} : next) });
  }

  /** A list of all places: those that hold nothing say so. */
  function aggregated({ operation, path, project, query }: KnownRequest): GoogleAnswer {
    const name = path.split("/").at(-1) ?? "";
    const scoped = String(membersOf(answerOf(operation)).items).slice(2);
    const type = String(membersOf(scoped)[name]).slice(2);
    const empty = { warning: { code: "NO_RESULTS_ON_PAGE", message: "There are no results for this place." } };
    const all = [...resources]
      .filter(
        ([at, kept]) => collectionOf(at).endsWith(`/${name}`) && at.startsWith("/compute/") && kept.hidden !== true,
      )
      .filter(([, kept]) => kept.project === project)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const from = Number(query.get("pageToken") || "0");
    const to = from + Math.min(pageSize, Number(query.get("maxResults") ?? pageSize));
    const placeOf = (at: string) =>
      collectionOf(at)
        .replace(/^.*\/projects\/[^/]+\//, "")
        .replace(`/${name}`, "");
    const found = Map.groupBy(all.slice(from, to), ([at]) => placeOf(at));
    const items = [...found].map(([place, held]) => [
      place,
      { [name]: held.map(([at, kept]) => shownAs(type, at, kept)) },
    ]);
    const next = to < all.length ? { nextPageToken: String(to) } : {};
    return ok({ items: { "regions/mars-north1": empty, ...Object.fromEntries(items) }, ...next });
  }

  /** What Cloud Asset Inventory finds in a project. */
  function searched({ project, query }: KnownRequest): GoogleAnswer {
    const results = [...resources]
      .filter(([at, kept]) => kept.project === project && kept.hidden !== true && !at.includes("/iamBindings/"))
      // It documents instances and backups of Cloud SQL, and neither databases nor users.
      .filter(([at]) => !/^\/sqladmin\/.*\/(databases|users)\//.test(at))
      .map(([at, kept]) => assetOf(at, kept))
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    const from = Number(query.get("pageToken") || "0");
    const to = from + Math.min(pageSize, Number(query.get("pageSize")));
    return ok({ results: results.slice(from, to), ...(to < results.length && { nextPageToken: String(to) }) });
  }

  /** The IAM policies that Cloud Asset Inventory finds in a project, each with the resource that has it. */
  function searchedPolicies({ project, query }: KnownRequest): GoogleAnswer {
    const own = new Map([...resources].filter(([, kept]) => kept.project === project));
    const results = policiesIn(own, project);
    const from = Number(query.get("pageToken") || "0");
    const to = from + Math.min(pageSize, Number(query.get("pageSize")));
    return ok({ results: results.slice(from, to), ...(to < results.length && { nextPageToken: String(to) }) });
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
    if (service === "cloudasset") return call.endsWith("Policies") ? searchedPolicies(request) : searched(request);
    if (service === "logging") return log.answer(request.body);
    if (collection === "Regions" && call === "list") return ok({ items: regions });
    if (collection === "Zones" && call === "list") return ok({ items: zones });
    const holder = policyHolderIn(request);
    if (holder !== null) {
      const isThere = service === "cloudresourcemanager" || resources.has(holder);
      const store = { all: resources, put, remove: (at: string) => keep(at, null) };
      return isThere ? answerPolicy(request, store) : notThere(service, holder);
    }
    if (/perations$/.test(operation.id.split(".").at(-2) ?? "")) {
      const known = operations.get(path);
      return known === undefined ? notThere(service, path) : ok(shownOperation(service, path, known));
    }
    if (call === "insert" || call === "create") return created(request);
    if (call === "list") return listed(request);
    if (call === "aggregatedList") return aggregated(request);
    const byName = query.get("autoscaler") ?? (path.endsWith("/users") ? query.get("name") : null);
    const at = byName !== null ? `${path}/${byName}` : path.replace(/[/:](set[A-Z]\w*|resize)$/, "");
    const former = call === "get" ? late.get(at) : undefined;
    if (former !== undefined && former.left-- > 0) return ok(shownAs(answerOf(operation), at, former.shown));
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
    if (operation.method !== "DELETE") return changed(request, at);
    if (full.has(at)) return problem(409, { status: "CONFLICT", reason: "conflict", message: "It is not empty." });
    return carriedOut(request, at, { what: "DELETING", after: (body) => body });
  }

  const full = new Set<string>();
  return {
    carryOut,
    /** What a person does at the console, or with gcloud. */
    byHand(path: string, change: (body: Body) => Body): void {
      const known = resources.get(path);
      if (known !== undefined) changedBy("hand", () => put(path, known.project, change(known.body), stillOf(known)));
    },
    remove: (path: string) => changedBy("hand", () => keep(path, null)),
    putAt: (path: string, project: string, body: Body) => changedBy("hand", () => put(path, project, body)),
    at: (path: string) => {
      settle();
      return resources.get(path);
    },
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
    all: (): ReadonlyMap<string, KeptResource> => {
      settle();
      return new Map(resources);
    },
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
  /** What becomes of the body. */
  readonly after: (body: Body) => Body;
  readonly isWhole?: boolean;
}

/** Whether what lies at a path says itself that a write of it failed. */
function saysThatItFailed(at: string, what: Write["what"]): boolean {
  const service = at.split("/")[1] ?? "";
  return what !== "DELETING" && (service === "run" || (service === "sqladmin" && what === "CREATING"));
}

/** Whether what lies at a path tells that Google is at it. */
function showsItsState(at: string): boolean {
  const service = at.split("/")[1] ?? "";
  if (service === "compute") return membersOf(typeAt(at)).status !== undefined;
  return ["cloudfunctions", "container", "redis", "run", "sqladmin", "vpcaccess"].includes(service);
}

/** Whether nothing but labels differs. */
function sameBut({ labels: _, ...before }: Body, { labels: __, ...after }: Body): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function settledOf(kept: KeptResource, body: Body): KeptResource {
  const { underway: _, fails: __, hidden: ___, failed: ____, ...settled } = kept;
  return { ...settled, body, revision: kept.revision + 1 };
}

function stillOf({ underway, fails, hidden }: KeptResource): Partial<KeptResource> {
  return {
    ...(underway !== undefined && { underway }),
    ...(fails !== undefined && { fails }),
    ...(hidden !== undefined && { hidden }),
  };
}

/** What a change of a cluster or of a node pool names, as members of the resource. */
function partsIn({ update, ...body }: Body): Body {
  const { projectId: _, zone: __, clusterId: ___, imageType: ____, nodeVersion: _____, ...flat } = body;
  const { labelFingerprint: ______, etag: _______, ...parts } = isBody(update) ? update : flat;
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [
      name.replace(/^desired([A-Z])/, (_all, first: string) => first.toLowerCase()),
      value,
    ]),
  );
}

/** Whether what is at a path is in a collection; a dash means every location. */
function isIn(at: string, collection: string): boolean {
  const own = collectionOf(at);
  return own === collection || own.replace(/\/locations\/[^/]+\//, "/locations/-/") === collection;
}

/** Records are named by two segments. */
function collectionOf(at: string): string {
  return /^(.*\/rrsets)\/[^/]+\/[^/]+$/.exec(at)?.[1] ?? at.slice(0, at.lastIndexOf("/"));
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
