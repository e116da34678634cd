import {
  type Cloud,
  isObject,
  type JsonObject,
  type NewResource,
  type Reading,
  type ResourceChange,
  type ResourceType,
  type SeenResource,
  valueAt,
  type Written,
} from "@liveplane/core/clouds";

/**
 * What a type of the simulator's plays: a type that a vendor has, with a member of it for each parameter that is declared. A number that
 * stands in a text is written as JSON.
 */
export interface Cast {
  readonly type: string;
  /** Pointers of the vendor's members, by the simulator's; `"text "` before one whose member is a text. */
  readonly members: Readonly<Record<string, string>>;
  /** What the vendor wants beside them. */
  readonly fixed: JsonObject;
}

type Json = JsonObject[string];

interface Member {
  readonly own: string;
  readonly theirs: string;
  readonly isText: boolean;
}

/** A body as the vendor has it. */
export function bodyOf(cast: Cast, parameters: JsonObject): JsonObject {
  return withFixed(
    placedAll(membersOf(cast).flatMap((member) => placedOf(member, valueAt(parameters, member.own)))),
    cast,
  );
}

/** A patch of a body, for the members that a patch of the parameters names. */
export function patchOf(cast: Cast, patch: JsonObject): JsonObject {
  return placedAll(membersOf(cast).flatMap((member) => placedOf(member, valueAt(patch, member.own))));
}

/** The parameters that a vendor's body stands for. */
export function parametersIn(cast: Cast, body: JsonObject): JsonObject {
  const found = membersOf(cast).flatMap(({ own, theirs, isText }): [string, Json][] => {
    const value = valueAt(body, theirs);
    return value === undefined || value === null ? [] : [[own, isText ? decoded(value) : value]];
  });
  return placedAll(found);
}

/** What of a body no parameter stands for: nobody has a reason to change it. */
export function restOf(cast: Cast, body: JsonObject): JsonObject {
  return placedAll(
    membersOf(cast).map(({ theirs }) => [theirs, null]),
    body,
  );
}

/** A cloud whose types play others: everything else is the adapter's own. */
export function castCloud(cloud: Cloud, casts: readonly Cast[], { zone }: { readonly zone?: string } = {}): Cloud {
  const castOf = (type: string) => casts.find((one) => one.type === type);
  const placed = <Target extends object>(target: Target) => ({ ...target, ...(zone && { zone }) });
  const reading = (type: string, seen: Reading): Reading => {
    const cast = castOf(type);
    if (cast === undefined || seen.state === "missing" || seen.state === "unreadable") return seen;
    if (seen.state === "present") return { ...seen, ...seenAs(cast, seen) };
    return seen.resource === undefined
      ? seen
      : { ...seen, resource: { ...seen.resource, ...seenAs(cast, seen.resource) } };
  };
  const answered = <Answer extends object>(type: string, answer: Answer & Pick<Written, "shown">): Answer => {
    const cast = castOf(type);
    if (cast === undefined || answer.shown === undefined) return answer;
    return { ...answer, shown: { ...answer.shown, ...seenAs(cast, answer.shown) } };
  };
  const { follow } = cloud;
  return {
    ...cloud,
    resourceType: (type) => factsOf(cloud.resourceType(type)),
    resourceIdFor: (type, name, target) => cloud.resourceIdFor(type, name, placed(target)),
    parseResourceId: (type, id, target) => cloud.parseResourceId(type, id, placed(target)),
    read: async (ref, call) => reading(ref.type, await cloud.read(ref, call)),
    readMany: async (refs, call) =>
      (await cloud.readMany(refs, call)).map((seen, at) => reading(refs[at]?.type ?? "", seen)),
    ...(follow && { follow: async (ref, ...asked) => answered(ref.type, await follow(ref, ...asked)) }),
    create: async (resource, call) =>
      answered(resource.type, await cloud.create(created(resource, castOf(resource.type), placed), call)),
    update: async (ref, change, condition, call) =>
      answered(ref.type, await cloud.update(ref, changed(change, castOf(ref.type)), condition, call)),
  };
}

/** What is known of the vendor's members says nothing of what they play. */
function factsOf({ immutable, name, taggable, boundBy }: ResourceType): ResourceType {
  return {
    taggable,
    sets: [],
    caseless: ["/location"],
    immutable: immutable.filter((one) => one === "location"),
    writeOnly: [],
    sensitiveOutputs: [],
    ...(name && { name }),
    ...(boundBy && { boundBy }),
  };
}

function seenAs(cast: Cast, { parameters, outputs }: SeenResource): Pick<SeenResource, "parameters" | "outputs"> {
  const own = parametersIn(cast, parameters);
  const scalars = Object.entries(own).filter(([, value]) => typeof value !== "object");
  return { parameters: own, outputs: { ...Object.fromEntries(scalars), id: outputs.id ?? null } };
}

function created(
  resource: NewResource,
  cast: Cast | undefined,
  placed: (target: NewResource["target"]) => NewResource["target"],
): NewResource {
  const target = placed(resource.target);
  if (cast === undefined) return { ...resource, target };
  const { tags, Tags, labels, ...parameters } = resource.parameters;
  const declared = Object.entries({ tags, Tags, labels }).filter(([, value]) => value !== undefined);
  const own = Object.fromEntries(declared) as JsonObject;
  return { ...resource, target, parameters: { ...bodyOf(cast, parameters), ...own } };
}

function changed({ parameters, tags }: ResourceChange, cast: Cast | undefined): ResourceChange {
  const own = parameters.flatMap((change) => {
    if (cast === undefined || /^\/(tags|Tags|labels)(\/|$)/.test(change.pointer)) return [change];
    return membersOf(cast).flatMap((member) => changeOf(change, member));
  });
  return { parameters: own, tags };
}

/** What a change of a parameter is for one member: the whole of it, a part of what holds it, or something in it. */
function changeOf({ pointer, value }: ResourceChange["parameters"][number], { own, theirs, isText }: Member) {
  const written = (inner: Json | undefined) => [
    { pointer: theirs, value: isText ? encoded(inner ?? null) : (inner ?? null) },
  ];
  if (pointer === own) return written(value);
  if (own.startsWith(`${pointer}/`))
    return written(isObject(value) ? valueAt(value, own.slice(pointer.length)) : undefined);
  if (pointer.startsWith(`${own}/`) && !isText) return [{ pointer: theirs + pointer.slice(own.length), value }];
  return [];
}

function membersOf({ members }: Cast): readonly Member[] {
  return Object.entries(members).map(([own, theirs]) => ({
    own,
    theirs: theirs.replace(/^text /, ""),
    isText: theirs.startsWith("text "),
  }));
}

function placedOf({ theirs, isText }: Member, value: Json | undefined): [string, Json][] {
  return value === undefined ? [] : [[theirs, isText ? encoded(value) : value]];
}

function encoded(value: Json): Json {
  return value === null ? null : JSON.stringify(value);
}

function decoded(value: Json): Json {
  try {
    return JSON.parse(String(value)) as Json;
  } catch {
    return value;
  }
}

function withFixed(body: JsonObject, { fixed }: Cast): JsonObject {
  return mergedInto(fixed, body);
}

function mergedInto(below: JsonObject, above: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const known = result[name];
    result[name] = isObject(known) && isObject(value) ? mergedInto(known, value) : value;
  }
  return result;
}

/** Members put where they belong; what is `undefined` there goes. */
function placedAll(values: readonly (readonly [string, Json])[], body: JsonObject = {}): JsonObject {
  return values.reduce<JsonObject>(
    (whole, [pointer, value]) => placedAt(whole, pointer.split("/").slice(1), value),
    body,
  );
}

function placedAt(body: JsonObject, [step = "", ...rest]: readonly string[], value: Json): JsonObject {
  const inner = body[step];
  return { ...body, [step]: rest.length === 0 ? value : placedAt(isObject(inner) ? inner : {}, rest, value) };
}
