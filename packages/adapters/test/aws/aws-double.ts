import { randomUUID } from "node:crypto";
import { type JsonObject, pointerTo, valueAt } from "@liveplane/core/clouds";
import { awsTagsIn, writtenTags } from "../../src/aws/aws-tags.ts";
import { withoutPointers } from "../../src/cloud-http/cloud-resource.ts";
import { awsDefaults, awsKinds, membersOf, refusalOf } from "./aws-models.ts";
import { awsRightsDouble, formIn, queryServices, role, xmlRefusal, xmlResult } from "./aws-query.ts";
import { type AwsFailure, type AwsResourcesOptions, awsResources, type KeptAws } from "./aws-resources.ts";
import { patched, UnfitPatch } from "./json-patch.ts";
import { signatureIn, signatureOf } from "./signature.ts";

export type AwsFault = "fail" | "throttle" | "lose-answer";

/** A request as it arrives. */
export interface IncomingToAws {
  readonly method: string;
  /** Path and query: `/<service>/<region>/…`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface AwsAnswer {
  readonly status: number;
  /** An object is sent as JSON, a text as it is. */
  readonly body: unknown;
}

/** A key of this double, and the account that it belongs to. */
export const goodKey = {
  id: "AKIAIOSFODNN7EXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  account: "111122223333",
};

class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export interface AwsDoubleOptions extends Partial<Omit<AwsResourcesOptions, "arnOf">> {
  /** Accepts requests without a signature. @default false */
  readonly unsigned?: boolean;
}

/**
 * Cloud Control, and what else the adapter calls: the tagging API, the token service, the account service and CloudTrail. Types are those
 * that AWS describes. It misbehaves as AWS documents: what is write-only or secret isn't returned, writes are answered before they are
 * done, an identifier that AWS chooses comes later, the index of tags lags and keeps deleted resources.
 */
export function awsDouble({ now = Date.now, unsigned = false, ...options }: AwsDoubleOptions = {}) {
  const store = awsResources({ now, ...options, arnOf });
  const tokens = new Map<string, { readonly input: string; readonly request: string }>();
  const faults = new Map<"read" | "bulk" | "write", AwsFault>();
  const events: JsonObject[] = [];
  const recorded: { readonly target: string; readonly body: JsonObject }[] = [];
  const denied = new Set<string>();
  const rights = awsRightsDouble();
  let before: (() => void) | null = null;
  let after: (() => Promise<void>) | null = null;

  function found(region: string, { TypeName, Identifier }: JsonObject) {
    const type = String(TypeName);
    if (awsKinds[type] === undefined) throw new Refusal("TypeNotFoundException", `The type ${type} cannot be found.`);
    const key = keyOf(region, type, String(Identifier));
    const resource = store.at(key);
    if (resource === undefined || resource.hidden === true || (resource.lateUntil ?? 0) > now())
      throw new Refusal(
        "ResourceNotFoundException",
        `Resource of type '${type}' with identifier '${Identifier}' was not found.`,
      );
    return { key, resource };
  }

  function refuseRunning(key: string): void {
    if (store.isBusy(key))
      throw new Refusal("ConcurrentOperationException", "Another operation is being performed on this resource.");
  }

  /** Tags by ARN, as the tagging API writes them. */
  function tagged(arns: unknown, edit: (tags: Record<string, string>) => Record<string, string>): JsonObject {
    const [arn] = arns as string[];
    const found = store.all().find(([, resource]) => arnOf(resource) === arn);
    const failure = { StatusCode: 400, ErrorCode: "InvalidParameterException", ErrorMessage: "The ARN is unknown." };
    if (found === undefined) return { FailedResourcesMap: { [String(arn)]: failure } };
    const [key, { type, properties, ...resource }] = found;
    const tags = edit(awsTagsIn(awsKinds[type]?.tags, properties));
    store.keep(key, { ...resource, type, properties: withTags(type, properties, tags) }, "caller");
    return { FailedResourcesMap: {} };
  }

  /** An answered creation is answered the same way again. */
  function once(input: JsonObject, work: () => JsonObject): JsonObject {
    const token = String(input.ClientToken ?? randomUUID());
    const known = tokens.get(token);
    const text = JSON.stringify(input);
    if (known !== undefined && known.input !== text)
      throw new Refusal("ClientTokenConflictException", "The client token was used for another request.");
    if (known !== undefined) return { ProgressEvent: store.requestOf(known.request) ?? {} };
    const answer = work();
    tokens.set(token, { input: text, request: String((answer.ProgressEvent as JsonObject).RequestToken) });
    return answer;
  }

  const operations: Readonly<Record<string, (input: JsonObject, region: string) => JsonObject>> = {
    CreateResource: (input, region) =>
      once(input, () => {
        const type = String(input.TypeName);
        if (awsKinds[type] === undefined)
          throw new Refusal("TypeNotFoundException", `The type ${type} cannot be found.`);
        const wanted = JSON.parse(String(input.DesiredState)) as JsonObject;
        const problem = refusalOf(type, wanted) ?? tagProblem(type, wanted);
        if (problem !== null) throw new Refusal("ValidationException", problem);
        const order = store.nextOrder();
        const properties = withReadOnly(type, wanted, { region, order });
        const identifier = (awsKinds[type]?.id ?? []).map((name) => String(valueAt(properties, `/${name}`))).join("|");
        const key = keyOf(region, type, identifier);
        refuseRunning(key);
        if (store.at(key) !== undefined)
          throw new Refusal("AlreadyExistsException", `Resource with identifier '${identifier}' already exists.`);
        const event = { TypeName: type, Identifier: identifier, Operation: "CREATE" };
        const resource = { region, type, identifier, properties, made: order };
        const { Identifier, ...whole } = store.begin(event, { at: key, resource, outcome: (own) => own });
        return { ProgressEvent: nameless(type) ? whole : { ...whole, Identifier: identifier } };
      }),
    GetResource: (input, region) => {
      const { resource } = found(region, input);
      const shown = JSON.stringify(shownOf(resource));
      return { TypeName: resource.type, ResourceDescription: { Identifier: resource.identifier, Properties: shown } };
    },
    UpdateResource: (input, region) =>
      once(input, () => {
        const { key, resource } = found(region, input);
        refuseRunning(key);
        const steps = JSON.parse(String(input.PatchDocument)) as Record<string, JsonObject[string]>[];
        const next = updated(resource, steps);
        const event = { TypeName: resource.type, Identifier: resource.identifier, Operation: "UPDATE" };
        const outcome = (current: JsonObject) => withChanges(current, resource.properties, next);
        return { ProgressEvent: store.begin(event, { at: key, resource, outcome }) };
      }),
    DeleteResource: (input, region) => {
      const { key, resource } = found(region, input);
      refuseRunning(key);
      const event = { TypeName: resource.type, Identifier: resource.identifier, Operation: "DELETE" };
      return { ProgressEvent: store.begin(event, { at: key, resource, outcome: () => null }) };
    },
    GetResourceRequestStatus: ({ RequestToken }) => {
      const event = store.requestOf(String(RequestToken));
      if (event === undefined) throw new Refusal("RequestTokenNotFoundException", "The request token was not found.");
      return { ProgressEvent: event };
    },
    ListResources: ({ TypeName, NextToken, MaxResults = 20 }, region) => {
      const own = store.all().filter(([, one]) => one.type === TypeName && one.region === region && !one.hidden);
      const from = Number(NextToken ?? 0);
      const page = own
        .slice(from, from + Number(MaxResults))
        .map(([, { identifier, properties }]) => ({ Identifier: identifier, Properties: JSON.stringify(properties) }));
      return {
        TypeName: TypeName ?? null,
        ResourceDescriptions: page,
        ...(from + Number(MaxResults) < own.length && { NextToken: String(from + Number(MaxResults)) }),
      };
    },
    GetResources: ({ TagFilters, ResourceARNList, PaginationToken, ResourcesPerPage, ...rest }, region) => {
      const arns = ResourceARNList as string[] | undefined;
      if (arns !== undefined) {
        const others = [TagFilters, PaginationToken, ResourcesPerPage].some((one) => one !== undefined);
        if (others || Object.keys(rest).length > 0 || arns.length < 1 || arns.length > 100)
          throw new Refusal("InvalidParameterException", "ResourceARNList must be alone, with 1 to 100 ARNs.");
      }
      const filters = (Array.isArray(TagFilters) ? TagFilters : []) as { Key: string; Values?: string[] }[];
      const own = [...store.index().values()].filter(
        ({ region: at, arn, tags }) =>
          at === region &&
          (arns === undefined || arns.includes(arn)) &&
          filters.every(({ Key, Values }) => Key in tags && (Values === undefined || Values.includes(tags[Key] ?? ""))),
      );
      const from = Number(PaginationToken ?? 0);
      const end = from + Number(ResourcesPerPage ?? 100);
      const list = own.slice(from, end).map(({ arn, tags }) => ({
        ResourceARN: arn,
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      }));
      return { PaginationToken: end < own.length ? String(end) : "", ResourceTagMappingList: list };
    },
    TagResources: ({ ResourceARNList, Tags }) => {
      const now = (tags: Record<string, string>) => ({ ...tags, ...(Tags as Record<string, string>) });
      return tagged(ResourceARNList, now);
    },
    UntagResources: ({ ResourceARNList, TagKeys }) => {
      const removed = TagKeys as string[];
      return tagged(ResourceARNList, (tags) =>
        Object.fromEntries(Object.entries(tags).filter(([key]) => !removed.includes(key))),
      );
    },
    LookupEvents: ({ LookupAttributes, StartTime, EndTime }) => {
      const [{ AttributeValue } = { AttributeValue: null }] = (LookupAttributes ?? []) as { AttributeValue: string }[];
      const isWithin = (time: unknown) => Number(time) >= Number(StartTime) && Number(time) <= Number(EndTime);
      const own = events.filter(({ EventTime, resource }) => resource === AttributeValue && isWithin(EventTime));
      return { Events: own.toReversed() };
    },
  };

  function queried(name: string, input: JsonObject): JsonObject {
    if (name === "GetCallerIdentity") {
      const Arn = `arn:aws:sts::${goodKey.account}:assumed-role/${role.name}/agent`;
      return { Account: goodKey.account, Arn, UserId: "AROA:agent" };
    }
    const result = rights.operations[name]?.(input);
    if (result === undefined) throw new Refusal("InvalidAction", "There is no such operation.");
    if ("missing" in result) throw new Refusal("NoSuchEntity", String(result.missing), 404);
    return result;
  }

  function carriedOut({ method, url, headers, text }: IncomingToAws): JsonObject | string {
    const { pathname } = new URL(url, "http://fake");
    const [, service = "", region = ""] = pathname.split("/");
    if (!unsigned) refuseUnsigned({ method, url, headers, text }, { service, region });
    const isForm = service in queryServices;
    const { Action, ...form } = isForm ? formIn(text) : {};
    const input = isForm ? form : ((text === "" ? {} : JSON.parse(text)) as JsonObject);
    const target = headers["x-amz-target"] ?? String(Action ?? pathname.split("/").slice(3).join("/"));
    recorded.push({ target, body: input });
    const name = target.slice(target.indexOf(".") + 1);
    if (denied.has(name)) {
      const code = isForm ? "AccessDenied" : "AccessDeniedException";
      throw new Refusal(code, `canary: not authorized to perform ${name}.`, isForm ? 403 : 400);
    }
    if (isForm) return xmlResult(service, name, queried(name, input));
    if (target === "listRegions")
      return {
        Regions: ["eu-central-1", "us-east-1"].map((RegionName) => ({
          RegionName,
          RegionOptStatus: "ENABLED_BY_DEFAULT",
        })),
      };
    const operation = operations[name];
    if (operation === undefined) throw new Refusal("UnknownOperationException", "There is no such operation.");
    return operation(input, region);
  }

  function byHand(resourceId: string, type: string, edit: (properties: JsonObject) => JsonObject | null): void {
    store.settle();
    const { key, identifier } = keyIn(resourceId);
    const resource = store.at(key);
    if (resource === undefined) throw new RangeError(`${resourceId} of ${type} doesn't exist.`);
    const properties = edit(resource.properties);
    store.keep(key, properties && { ...resource, properties }, "hand");
    const told = { Username: "ada", EventName: "UntagResource", EventTime: now() / 1000, ReadOnly: "false" };
    events.push({ ...told, resource: identifier });
  }

  return {
    /** What the double answers; `null`: the connection is cut. */
    async answer(incoming: IncomingToAws): Promise<AwsAnswer | null> {
      const sort = sortOf(incoming);
      const fault = faults.get(sort);
      const refused = refusalBy(serviceIn(incoming));
      try {
        if (fault === "fail") throw new Refusal("ServiceUnavailable", "canary: the service is unavailable.", 503);
        if (fault === "throttle") throw new Refusal("ThrottlingException", "Rate exceeded");
        if (sort === "write") {
          const due = before;
          before = null;
          due?.();
        }
        store.settle();
        const body = carriedOut(incoming);
        if (sort === "write") {
          const due = after;
          after = null;
          await due?.();
        }
        return fault === "lose-answer" ? null : { status: 200, body };
      } catch (error) {
        if (fault === "lose-answer") return null;
        if (error instanceof UnfitPatch) return refused("ValidationException", error.message);
        if (!(error instanceof Refusal)) throw error;
        return refused(error.code, error.message, error.status);
      }
    },
    byHand,
    setTags: (resourceId: string, type: string, tags: Readonly<Record<string, string>>) =>
      byHand(resourceId, type, (properties) => withTags(type, properties, tags)),
    remove: (resourceId: string, type: string) => byHand(resourceId, type, () => null),
    propertiesOf(resourceId: string, type: string): JsonObject {
      let found: JsonObject = {};
      byHand(resourceId, type, (properties) => (found = properties));
      return found;
    },
    beforeWrite: (deed: () => void) => {
      before = deed;
    },
    beforeAnswer: (deed: () => Promise<void>) => {
      after = deed;
    },
    slow: (fails?: AwsFailure) => store.slow({ takesMs: Number.POSITIVE_INFINITY, hidden: true, fails }),
    finish: store.finish,
    index: { now: store.indexNow, show: store.show },
    resourceAt(resourceId: string): KeptAws | undefined {
      store.settle();
      return store.at(keyIn(resourceId).key);
    },
    /** What a person makes. */
    make(resourceId: string, type: string, wanted: JsonObject, tags: Readonly<Record<string, string>>): void {
      const { key, region, identifier } = keyIn(resourceId);
      const order = store.nextOrder();
      const [name = ""] = awsKinds[type]?.id ?? [];
      const properties = withReadOnly(type, { ...awsDefaults[type], ...wanted, [name]: identifier }, { region, order });
      const resource = { region, type, identifier, properties: withTags(type, properties, tags), made: order };
      store.keep(key, resource, "hand");
    },
    deny: (operation: string) => void denied.add(operation),
    /** What IAM says that the caller may do. */
    rights: { deny: rights.deny, describe: rights.describe },
    faults,
    recorded,
  };
}

function keyOf(region: string, type: string, identifier: string): string {
  return `${goodKey.account}/${region}/${type}/${identifier}`;
}

function keyIn(resourceId: string) {
  const [, region = "", type = "", ...rest] = resourceId.split("/");
  const identifier = decodeURIComponent(rest.join("/").replaceAll("!", "%"));
  return { key: keyOf(region, type, identifier), region, identifier };
}

/** A handler writes the members that change, and leaves the others as they are by then. */
function withChanges(current: JsonObject, before: JsonObject, next: JsonObject): JsonObject {
  const names = Object.keys({ ...before, ...next });
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(next[name]));
  const own = Object.entries(current).filter(([name]) => !changed.includes(name));
  const written = changed.flatMap((name) => (next[name] === undefined ? [] : [[name, next[name]] as const]));
  return { ...Object.fromEntries(own), ...Object.fromEntries(written) };
}

/** How a service refuses. */
function refusalBy(service: string) {
  return (code: string, message: string, status = 400): AwsAnswer => {
    const json = { __type: `com.amazonaws.cloudcontrol#${code}`, Message: message };
    return { status, body: service in queryServices ? xmlRefusal(service, code, message) : json };
  };
}

function serviceIn({ url }: Pick<IncomingToAws, "url">): string {
  return url.split("/")[1] ?? "";
}

/** Replaces all tags, as AWS's console and tagging API do. */
function withTags(
  type: string,
  { ...properties }: Record<string, JsonObject[string]>,
  tags: Readonly<Record<string, string>>,
): JsonObject {
  const form = awsKinds[type]?.tags;
  if (form === undefined) return properties;
  delete properties[form.at];
  return Object.keys(tags).length === 0 ? properties : { ...properties, [form.at]: writtenTags(form, tags) };
}

function shownOf({ type, properties }: KeptAws): JsonObject {
  const { secret = [], input = [] } = awsKinds[type] ?? {};
  return withoutPointers(properties, [...secret, ...input]);
}

/** The resource after a patch of what AWS shows of it. */
function updated(resource: KeptAws, steps: readonly Record<string, JsonObject[string]>[]): JsonObject {
  const { type, properties } = resource;
  const shown = shownOf(resource);
  const next = patched(shown, steps);
  const { fixed = [], readOnly = [] } = awsKinds[type] ?? {};
  const changed = (pointer: string) =>
    JSON.stringify(valueAt(shown, pointer)) !== JSON.stringify(valueAt(next, pointer));
  const isFixed = fixed.find((pointer) => !pointer.includes("*") && changed(pointer));
  if (isFixed !== undefined)
    throw new Refusal("NotUpdatableException", `createOnlyProperties [${isFixed}] cannot be updated.`);
  if (readOnly.some(changed)) throw new Refusal("ValidationException", "A read-only property cannot be updated.");
  const own = Object.fromEntries(Object.entries(next).filter(([name]) => !readOnly.includes(pointerTo("", name))));
  const problem = refusalOf(type, own) ?? tagProblem(type, own);
  if (problem !== null) throw new Refusal("ValidationException", problem);
  const hidden = Object.entries(properties).filter(([name]) => !(name in shown) && !(name in next));
  return { ...Object.fromEntries(hidden), ...next };
}

function tagProblem(type: string, model: JsonObject): string | null {
  const tags = Object.keys(awsTagsIn(awsKinds[type]?.tags, model));
  if (tags.length > 50) return "A resource can have at most 50 tags.";
  return null;
}

/** Whether AWS chooses the identifier. */
function nameless(type: string): boolean {
  const { id = [], readOnly = [] } = awsKinds[type] ?? {};
  return id.some((name) => readOnly.includes(`/${name}`));
}

/** What AWS adds to a new resource: identifiers, ARNs and other members that only it sets. */
function withReadOnly(
  type: string,
  wanted: JsonObject,
  { region, order }: { readonly region: string; readonly order: number },
): JsonObject {
  const tail = type.split("::").at(-1)?.toLowerCase() ?? "";
  const own = `${tail}-${order.toString(16).padStart(8, "0")}`;
  const { id = [] } = awsKinds[type] ?? {};
  const added = membersOf(type).flatMap(({ name, type: of, marks }) => {
    const isIdentifier = id.includes(name);
    if (name in wanted || of !== "string" || !(marks.includes("-") || isIdentifier)) return [];
    // A secret's Id is its ARN.
    const isArn = /arn$/i.test(name) || type === "AWS::SecretsManager::Secret";
    const given = String(wanted[id.at(-1) ?? ""] ?? own);
    if (isArn) return [[name, madeArn(type, { region, tail, own: given })]];
    return [[name, isIdentifier ? own : `${name}-of-${own}`]];
  });
  return { ...wanted, ...Object.fromEntries(added) };
}

/** An ARN of the published form, or of one that nobody knows. */
function madeArn(type: string, { region, tail, own }: { region: string; tail: string; own: string }): string {
  const known: Record<string, string> = { Partition: "aws", Region: region, Account: goodKey.account };
  const form =
    awsKinds[type]?.arn ?? `arn:aws:${type.split("::")[1]?.toLowerCase()}:${region}:${goodKey.account}:${tail}/x`;
  const filled = form.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => known[name] ?? own);
  return form.includes("$") ? filled : filled.replace(/x$/, own);
}

/** The ARN in the index of tags: the one that the resource shows, or of the published form. */
function arnOf({ region, type, properties, identifier }: KeptAws): string {
  const { account } = goodKey;
  const { arn } = awsKinds[type] ?? {};
  if (identifier.startsWith("arn:")) return identifier;
  const name = `${type.split("::")[2]}Arn`;
  const shown = properties.Arn ?? properties.ResourceARN ?? properties[name] ?? properties[name.toUpperCase()];
  if (typeof shown === "string") return shown;
  const known: Record<string, unknown> = { ...properties, Partition: "aws", Region: region, Account: account };
  if (arn !== undefined) return arn.replaceAll(/\$\{(\w+)\}/g, (_, part: string) => String(known[part] ?? "x"));
  return `arn:aws:other:${region}:${account}:thing/${identifier}`;
}

function sortOf({ headers }: IncomingToAws): "read" | "bulk" | "write" {
  const target = headers["x-amz-target"] ?? "";
  if (/(Create|Update|Delete)Resource$|agResources$/.test(target)) return "write";
  return target.endsWith(".GetResources") || target.endsWith(".ListResources") ? "bulk" : "read";
}

function refuseUnsigned(request: IncomingToAws, at: { readonly service: string; readonly region: string }): void {
  const found = signatureIn(request.headers.authorization ?? "");
  if (found === null) throw new Refusal("MissingAuthenticationTokenException", "The request isn't signed.", 403);
  if (found.key !== goodKey.id)
    throw new Refusal("UnrecognizedClientException", `canary: the security token ${found.key} is invalid.`);
  const isHere = found.service === at.service && found.region === at.region;
  const expected = signatureOf(request, { ...found, secret: goodKey.secret });
  if (!isHere || found.signature !== expected)
    throw new Refusal("InvalidSignatureException", "The request signature we calculated does not match.", 403);
}
