import { type Departures, departures } from "../descriptions/departures.ts";
import { type JudgedRequest, judgeRequest } from "../descriptions/judge.ts";
import { isObject, type Problem } from "../descriptions/judge-members.ts";
import { doubleActivity } from "./double-activity.ts";
import { type DeploymentStack, graphAnswer, stackAnswer } from "./double-graph.ts";
import { grantsAt, pageOf, plainList } from "./double-lists.ts";
import { doubleLogin, tenant } from "./double-login.ts";
import { doubleOperations } from "./double-operations.ts";
import { partsLeftOut, shownWithParts } from "./double-parts.ts";
import { doubleProviders } from "./double-providers.ts";
import { type DoubleChange, doubleResources, etagOf, type Kept, type Rewrites, taggedBy } from "./double-resources.ts";
import {
  type Addressed,
  addressed,
  answerType,
  type Body,
  type DoubleKind,
  type OfferedType,
  pruned,
} from "./double-shapes.ts";

/** What may go wrong with a kind of call. */
export type AzureFault = "fail" | "throttle" | "lose-answer";

/** How writes take their time. */
export interface DoubleSlowness {
  readonly takesMs: number;
  /** Where it is told how far it is: at an operation's state, at its result, or by the resource alone. @default "state" */
  readonly tells?: "state" | "result" | "resource";
  /** What is being made is answered 404 until it is there. */
  readonly hides?: boolean;
  readonly fails?: { readonly code: string; readonly message: string };
  /** A failure is told of by the operation alone. */
  readonly isUnmarked?: boolean;
  readonly retryAfterSeconds?: number;
}

/** How the double is made. */
export interface AzureDoubleOptions {
  /** Notes what no description knows. */
  readonly judged?: Departures;
  readonly now?: () => number;
  /** Any member of a body is taken: for worlds that declare what no type has. @default false */
  readonly isLenient?: boolean;
  /** Rows in one answer of Resource Graph. @default 1000 */
  readonly graphPage?: number;
  /** What a description doesn't allow and the service takes all the same. @default none */
  readonly allows?: (problem: Problem) => boolean;
  readonly onChange?: (change: DoubleChange) => void;
  readonly rewrites?: Rewrites;
  /** Asked of each write that is carried out, and may take its time. @default as its state says */
  readonly slownessOf?: (kind: DoubleKind) => DoubleSlowness | null;
  /** So many reads after a write of its caller still show what was before it. @default 0 */
  readonly lateReads?: number;
}

/** A request as it came in. */
export interface DoubleRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** An answer; `null`: the connection is cut. */
export type DoubleAnswer = { status: number; headers: Record<string, string>; body: unknown } | null;

/**
 * Azure Resource Manager, Resource Graph and Entra, made from the descriptions: it knows the operations, members and etags that they know,
 * and refuses all else. It can take its time, throttle, lag in bulk, lose answers, and fail in the end.
 */
export function azureDouble(options: AzureDoubleOptions = {}) {
  const { judged = departures(), now = Date.now, isLenient = false, graphPage = 1000, lateReads = 0 } = options;
  const activity = doubleActivity(now);
  /** What is still shown of resources that were written, and for how many reads. */
  const late = new Map<string, { readonly shown: Kept; left: number }>();
  const resources = doubleResources(
    now,
    (change) => {
      activity.note(change);
      const { by, before, after } = change;
      const key = (after ?? before)?.id.toLowerCase() ?? "";
      if (by === "caller" && before !== null && lateReads > 0) late.set(key, { shown: before, left: lateReads });
      else if (by === "hand") late.delete(key);
      options.onChange?.(change);
    },
    options.rewrites,
  );
  const operations = doubleOperations(now);
  const login = doubleLogin();
  const providers = doubleProviders(now);
  const faults = new Map<"read" | "bulk" | "write", AzureFault>();
  const seen: string[] = [];
  const state = {
    slowness: null as DoubleSlowness | null,
    /** What Resource Graph shows; `null`: what is there. */
    indexed: null as readonly Kept[] | null,
    /** Done to each request before it is carried out. */
    before: null as ((request: DoubleRequest) => void) | null,
    /** Done once after a write is carried out, before its answer goes out. */
    beforeAnswer: null as (() => void) | null,
    /** Told of each request by somebody who is signed in. */
    arriving: null as ((request: DoubleRequest) => void) | null,
    /** Headers that every answer carries: what is left of a quota. */
    telling: {} as Readonly<Record<string, string>>,
    /** What the role of whoever calls permits. */
    actions: ["*"] as readonly string[],
    stacks: [] as readonly DeploymentStack[],
    unregistered: new Set<string>(),
    /** Types beside those of the descriptions. */
    offered: [] as readonly OfferedType[],
    /** A refusal of the next requests to paths that fit. */
    refusal: null as {
      readonly path: RegExp;
      readonly status: number;
      readonly code: string;
      readonly message?: string;
    } | null,
  };
  let url = "https://management.azure.com";
  const shown = (one: Kept) => shownWithParts(one, resources.all());

  const refused = (
    status: number,
    code: string,
    message = `${code}: what was sent may stand here: canary-client-secret, token-of-azure.`,
  ) =>
    ({ status, headers: { "x-ms-request-id": `request-${seen.length}` }, body: { error: { code, message } } }) as const;

  function slownessOf({ kind }: Addressed, method: string): DoubleSlowness | null {
    if (!kind.operations.includes(method)) return null;
    return options.slownessOf?.(kind) ?? state.slowness;
  }

  /** The answer to a write that has been accepted. */
  function accepted(at: Addressed, method: string, slowness: DoubleSlowness, statuses: readonly number[]) {
    const { tells = "state", retryAfterSeconds = 2, takesMs, fails } = slowness;
    const status = tells !== "result" && method !== "DELETE" && statuses.includes(201) ? 201 : 202;
    const headers: Record<string, string> = { "retry-after": String(retryAfterSeconds) };
    const subscription = at.id.split("/")[2] ?? "";
    const path = operations.begin({
      subscription,
      until: now() + takesMs,
      startedAt: now(),
      fails: fails ?? null,
      retryAfterSeconds,
    });
    if (tells === "state" || status === 202)
      headers[tells === "state" ? "azure-asyncoperation" : "location"] = `${url}${path(tells)}`;
    return { status, headers };
  }

  function write(
    request: JudgedRequest,
    at: Addressed,
  ): { status: number; headers: Record<string, string>; body: unknown } {
    const { method, headers } = request;
    const body = isObject(request.body) ? request.body : {};
    const before = resources.get(at.id);
    const namespace = at.kind.type.split("/")[0] ?? "";
    if (method === "PUT" && state.unregistered.has(namespace))
      return refused(
        409,
        "MissingSubscriptionRegistration",
        `The subscription is not registered to use namespace '${namespace}'.`,
      );
    if (before === null && method === "PATCH") return refused(404, "ResourceNotFound");
    if (before?.underway !== undefined)
      return refused(409, namespace === "Microsoft.Network" ? "AnotherOperationInProgress" : "Conflict");
    if (headers["if-none-match"] === "*" && before !== null) return refused(412, "PreconditionFailed");
    if (headers["if-match"] !== undefined && (before === null || headers["if-match"] !== etagOf(before)))
      return refused(412, "PreconditionFailed");
    const statuses = at.kind.statuses[method] ?? [];
    if (before === null && method === "DELETE")
      return { status: statuses.includes(204) ? 204 : 200, headers: {}, body: null };
    const slowness = slownessOf(at, method);
    const { takesMs = 0, fails = null, hides = false, isUnmarked = false } = slowness ?? {};
    const underway = (word: "Creating" | "Updating" | "Deleting") =>
      slowness === null
        ? undefined
        : { word, until: now() + takesMs, isHidden: hides && word === "Creating", fails: fails ?? null, isUnmarked };
    const carryOut = () => {
      if (before === null) return resources.make("caller", at.kind, at.id, body, underway("Creating"));
      if (method === "DELETE") return resources.remove("caller", before, underway("Deleting"));
      const change = method === "PUT" ? resources.replace : resources.patch;
      return change("caller", before, body, underway("Updating"));
    };
    const left = method === "PUT" && before !== null ? partsLeftOut(before, body, resources.all()) : [];
    const kept = carryOut();
    for (const part of left) resources.remove("azure", part);
    const answer =
      slowness === null
        ? { status: settledStatus(method, before !== null, statuses), headers: {} }
        : accepted(at, method, slowness, statuses);
    return { ...answer, body: kept === null || method === "DELETE" ? null : shown(kept) };
  }

  function read(at: Addressed, asked: string): { status: number; headers: Record<string, string>; body: unknown } {
    if (!at.isCollection) {
      const former = late.get(at.id.toLowerCase());
      if (former !== undefined && former.left-- > 0) return { status: 200, headers: {}, body: shown(former.shown) };
      const one = resources.get(at.id);
      if (one === null || one.underway?.isHidden) return refused(404, "ResourceNotFound");
      return { status: 200, headers: {}, body: shown(one) };
    }
    const inside = `${at.id.toLowerCase()}/`;
    const [, scope] = /^(.*)\/providers\/Microsoft\.Authorization\/roleAssignments$/i.exec(at.id) ?? [];
    const value = (scope === undefined ? resources.all() : grantsAt(scope, resources.all())).filter(
      ({ id, kind, underway }) =>
        kind === at.kind && !underway?.isHidden && (scope !== undefined || id.toLowerCase().startsWith(inside)),
    );
    return {
      status: 200,
      headers: {},
      body: pageOf(new URL(asked, url), value, { most: 100, by: "$skip", shown }),
    };
  }

  /** A part of a site's configuration, which its own body doesn't show: by name, however it was sent. */
  function shownApart(site: Kept | null, part: string) {
    if (site === null) return refused(404, "ResourceNotFound");
    const { siteConfig } = isObject(site.body.properties) ? site.body.properties : {};
    const [, sent = {}] = Object.entries(siteConfig ?? {}).find(([name]) => name.toLowerCase() === part) ?? [];
    const properties = Array.isArray(sent)
      ? Object.fromEntries(
          sent.map(({ name, value, connectionString, type }) => [
            name,
            connectionString === undefined ? value : { value: connectionString, type },
          ]),
        )
      : sent;
    return { status: 200, headers: {}, body: { id: `${site.id}/config/${part}`, name: part, properties } };
  }

  function tags(id: string, { body }: JudgedRequest) {
    const one = resources.get(id);
    if (one === null || one.underway?.isHidden) return refused(404, "ResourceNotFound");
    const { operation, properties } = isObject(body) ? body : {};
    const named = isObject(properties) && isObject(properties.tags) ? (properties.tags as Record<string, string>) : {};
    const next = taggedBy(operation, one.tags, named);
    if (next === null) return refused(400, "InvalidTagsPatchOperation");
    if (JSON.stringify(next) !== JSON.stringify(one.tags)) resources.tag("caller", one, next);
    const path = `${id}/providers/Microsoft.Resources/tags/default`;
    return {
      status: 200,
      headers: {},
      body: { id: path, name: "default", type: "Microsoft.Resources/tags", properties: { tags: next } },
    };
  }

  function carriedOut(
    request: JudgedRequest,
    path: string,
  ): { status: number; headers: Record<string, string>; body: unknown } {
    const { method } = request;
    if (path === "/providers/Microsoft.ResourceGraph/resources") {
      const asked = isObject(request.body) ? request.body : {};
      const body = stackAnswer(asked, state.stacks) ?? graphAnswer(asked, state.indexed ?? resources.all(), graphPage);
      return body === null ? refused(400, "InvalidQuery") : { status: 200, headers: {}, body };
    }
    if (path.endsWith("/providers/Microsoft.Insights/eventtypes/management/values")) {
      const body = activity.answer(new URL(request.url, url).searchParams.get("$filter"));
      return body === null ? refused(400, "BadRequest") : { status: 200, headers: {}, body };
    }
    if (isPlainList(path)) {
      const list = plainList(new URL(request.url, url), resources.all());
      return { status: 200, headers: {}, body: list };
    }
    if (path.endsWith(rightsPath))
      return { status: 200, headers: {}, body: { value: [{ actions: state.actions, notActions: [] }] } };
    if (/^\/subscriptions\/[^/]+\/locations$/.test(path))
      return { status: 200, headers: {}, body: { value: places(path) } };
    if (/^\/subscriptions\/[^/]+\/providers\/[^/]+(\/register)?$/i.test(path))
      return providers(path, method, state) ?? refused(404, "InvalidResourceNamespace");
    const tagged = /^(.*)\/providers\/Microsoft\.Resources\/tags\/default$/i.exec(path)?.[1];
    if (tagged !== undefined) return tags(tagged, request);
    const [, site = "", part] = /^(.*)\/config\/(\w+)\/list$/.exec(path) ?? [];
    if (part !== undefined) return shownApart(resources.get(site), part);
    const at = addressed(path, state.offered);
    if (at === null) return refused(404, "InvalidResourceType");
    return method === "GET" ? read(at, request.url) : write(request, at);
  }

  async function answer(incoming: DoubleRequest): Promise<DoubleAnswer> {
    const { method, headers, text } = incoming;
    const path = decodeURIComponent(new URL(incoming.url, url).pathname);
    const signedIn = login.answer(url, path, text);
    if (signedIn !== null) return { ...signedIn, headers: {} };
    if (!login.isGood(headers.authorization ?? null)) {
      const challenge = `Bearer authorization_uri="https://login.windows.net/${tenant}", error="invalid_token"`;
      return { ...refused(401, "InvalidAuthenticationToken"), headers: { "www-authenticate": challenge } };
    }
    seen.push(`${method} ${path}`);
    state.arriving?.(incoming);
    const request: JudgedRequest = {
      vendor: "azure",
      method,
      url: incoming.url,
      headers,
      body: text === "" ? null : (JSON.parse(text) as unknown),
    };
    const fault = faults.get(kindOf(method, path));
    if (fault === "fail") return refused(503, "ServiceUnavailable");
    if (fault === "throttle") return { ...refused(429, "TooManyRequests"), headers: { "retry-after": "7" } };
    const followed = operations.answer(path, url);
    if (followed !== null) return fault === "lose-answer" ? null : followed;
    // Rights and the plain list aren't among the described types.
    const isBeyond = path.endsWith(rightsPath) || isPlainList(path);
    const isUndescribed =
      isLenient || isBeyond || (addressed(path) === null && addressed(path, state.offered) !== null);
    const { operation, problems: found } = isUndescribed ? { operation: null, problems: [] } : judgeRequest(request);
    const problems = found.filter((one) => !options.allows?.(one));
    if (!isUndescribed) judged.judge(request, null);
    if (operation === null && !isUndescribed) return refused(404, "InvalidResourceType", told(problems));
    if (problems.length > 0)
      return refused(
        400,
        problems.some(({ where }) => where === "query api-version")
          ? "NoRegisteredProviderFound"
          : "InvalidRequestContent",
        told(problems),
      );
    state.before?.(incoming);
    const own = state.refusal;
    const done = own?.path.test(path) ? refused(own.status, own.code, own.message) : carriedOut(request, path);
    const isError = done.status >= 400;
    const tellingMore = { ...state.telling, ...done.headers };
    const body = isError || isUndescribed ? done.body : (pruned(answerType(operation, done.status), done.body) ?? null);
    const response = { ...done, headers: tellingMore, body };
    if (!isUndescribed) judged.judge(request, response);
    if (method !== "GET") {
      const { beforeAnswer } = state;
      state.beforeAnswer = null;
      beforeAnswer?.();
    }
    return fault === "lose-answer" ? null : response;
  }

  const hand = (id: string): Kept => {
    const one = resources.get(id);
    if (one === null) throw new RangeError(`There is no ${id}.`);
    return one;
  };
  return {
    answer,
    faults,
    seen,
    state,
    forms: login.forms,
    signIn: login.signIn,
    revoke: login.revoke,
    /** Where it is reached. */
    at(address: string) {
      url = address;
    },
    /** In place of the runtime's `fetch`, without a connection. */
    fetch: (async (input: string | URL | Request, init: RequestInit = {}) => {
      const { pathname, search, origin } = new URL(String(input));
      url = origin;
      init.signal?.throwIfAborted();
      const headers = Object.fromEntries(new Headers(init.headers));
      const text = init.body === undefined || init.body === null ? "" : String(init.body);
      const answered = await answer({ method: init.method ?? "GET", url: `${pathname}${search}`, headers, text });
      init.signal?.throwIfAborted();
      if (answered === null) throw new TypeError("the connection was cut");
      const { status, body } = answered;
      return new Response(status === 204 || body === null ? null : JSON.stringify(body), {
        status,
        headers: answered.headers,
      });
    }) as typeof fetch,
    get: (id: string) => resources.get(id),
    all: resources.all,
    /** What a person does in the portal, or with `az tag update`. */
    setTags: (id: string, tags: Readonly<Record<string, string>>) => void resources.tag("hand", hand(id), tags),
    patch: (id: string, patch: Body) => void resources.patch("hand", hand(id), patch),
    setState: (id: string, provisioningState: string) => void resources.state(hand(id), provisioningState),
    make(id: string, whole: Body) {
      const at = addressed(id);
      if (at !== null) resources.make("hand", at.kind, id, whole);
    },
    remove: (id: string) => void resources.remove("hand", hand(id)),
    /** Resource Graph goes on showing what is there now, until it is let catch up. */
    lag() {
      state.indexed = resources.all();
    },
    catchUp() {
      state.indexed = null;
    },
  };
}

function settledStatus(method: string, isThere: boolean, statuses: readonly number[]): number {
  if (method === "PUT" && !isThere && statuses.includes(201)) return 201;
  return statuses.includes(200) ? 200 : (statuses.find((status) => status < 300 && status !== 202) ?? 200);
}

const isPlainList = (path: string) => /^\/subscriptions\/[^/]+(\/resourceGroups\/[^/]+)?\/resources$/i.test(path);
const rightsPath = "/providers/Microsoft.Authorization/permissions";

function kindOf(method: string, path: string): "read" | "bulk" | "write" {
  if (path.includes("Microsoft.ResourceGraph")) return "bulk";
  return method === "GET" ? "read" : "write";
}

function told(problems: readonly { readonly where: string; readonly detail: string }[]): string {
  return problems.map(({ where, detail }) => `${where} ${detail}`).join("; ");
}

function places(path: string): Body[] {
  const place = (name: string, regionType: string) => ({
    id: `${path}/${name}`,
    name,
    displayName: name.toUpperCase(),
    metadata: { regionType, geography: "Europe" },
  });
  return [place("westeurope", "Physical"), place("eastus", "Physical"), place("europe", "Logical")];
}
