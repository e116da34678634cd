import { gunzipSync } from "node:zlib";
import type { JsonObject } from "@liveplane/core/clouds";
import type { AwsKind, AwsTags } from "../src/aws/aws-kinds.ts";
import type { AwsMembers } from "../src/aws/aws-mistakes.ts";
import { type MemberType, type MemberTypes, marks, ordered } from "./described-api.ts";
import type { DescriptionPackages } from "./description-packages.ts";
import { awsTagsUnread, awsUnechoed } from "./unechoed.ts";

/** What was taken from AWS's descriptions. */
export interface AwsTables {
  readonly kinds: Readonly<Record<string, AwsKind>>;
  /** The members of each taggable type under its name. What they hold is under a number, reduced to what is required there. */
  readonly schemas: Readonly<Record<string, MemberTypes>>;
  /** All properties that may be declared, by type. What they hold is under a number. */
  readonly members: Readonly<Record<string, AwsMembers>>;
  /** What AWS sets where a declaration says nothing, by type. Tests let it answer with these values. */
  readonly defaults: Readonly<Record<string, JsonObject>>;
  /** Why described types, or their tags, aren't in the table. */
  readonly skipped: Readonly<Record<string, string>>;
}

/** Parts of the database of `@aws-cdk/aws-service-spec`, as far as they are read here. */
interface Database {
  readonly schema: {
    readonly resource: { readonly entities: readonly Resource[] };
    readonly typeDefinition: { readonly entities: readonly Definition[] };
  };
}

interface Definition {
  readonly $id: string;
  readonly properties: Readonly<Record<string, Property>>;
}

interface Resource extends Definition {
  readonly cloudFormationType: string;
  readonly attributes: Readonly<Record<string, { readonly type: PropertyType }>>;
  readonly primaryIdentifier?: readonly string[];
  readonly arnTemplate?: string;
  readonly tagInformation?: { readonly tagPropertyName: string; readonly variant: "standard" | "asg" | "map" };
  readonly additionalReplacementProperties?: readonly (readonly string[])[];
}

interface Property {
  readonly type: PropertyType;
  readonly required?: boolean;
  readonly causesReplacement?: "yes" | "no" | "maybe";
  /** As JSON. */
  readonly defaultValue?: string;
}

interface PropertyType {
  readonly type: string;
  readonly element?: PropertyType;
  readonly types?: readonly PropertyType[];
  readonly reference?: { readonly $ref: string };
  readonly allowedValues?: readonly (string | number)[];
}

/** Reads the tables of AWS from the description of CloudFormation's types, which Cloud Control uses too. */
export function awsTables(packages: DescriptionPackages): AwsTables {
  const packed = packages.readBytes("@aws-cdk/aws-service-spec", "db.json.gz");
  const { schema } = JSON.parse(gunzipSync(packed).toString("utf8")) as Database;
  const schemas = collecting(schema.typeDefinition.entities);
  const kinds: Record<string, AwsKind> = {};
  // Without an identifier Cloud Control can't address a resource.
  const addressable = schema.resource.entities.filter(({ primaryIdentifier }) => primaryIdentifier !== undefined);
  for (const resource of [...addressable].sort((a, b) => (a.cloudFormationType < b.cloudFormationType ? -1 : 1))) {
    const members = schemas.membersOf(resource);
    schemas.all[resource.cloudFormationType] = members;
    kinds[resource.cloudFormationType] = kindOf(resource, members, schemas.all);
  }
  const taggable = Object.keys(kinds).filter((type) => kinds[type]?.tags !== undefined);
  const types = addressable.filter(({ cloudFormationType }) => kinds[cloudFormationType] !== undefined);
  return {
    kinds,
    schemas: withRequired(schemas.all, taggable),
    members: declarableMembers(types, schema.typeDefinition.entities),
    defaults: ordered(Object.fromEntries(types.flatMap(defaultsOf))),
    skipped: ordered(Object.fromEntries(schema.resource.entities.flatMap((one) => whySkipped(one, kinds)))),
  };
}

function defaultsOf({ cloudFormationType: type, properties }: Resource): [string, JsonObject][] {
  const said = Object.entries(properties).flatMap(([name, { defaultValue }]) =>
    defaultValue === undefined ? [] : [[name, JSON.parse(defaultValue)] as const],
  );
  return said.length === 0 ? [] : [[type, ordered(Object.fromEntries(said))]];
}

function whySkipped({ cloudFormationType: type }: Resource, kinds: AwsTables["kinds"]): [string, string][] {
  if (kinds[type] === undefined) return [[type, "It has no identifier, so Cloud Control can't address it."]];
  return awsTagsUnread.has(type) ? [[type, "AWS never returns its tags."]] : [];
}

/** The properties of types and of what they hold. Equal definitions are one, under one number. */
function declarableMembers(types: readonly Resource[], definitions: readonly Definition[]): AwsTables["members"] {
  const { all, nameOf } = numbering(definitions, membersOf);

  function held({ type, element, types, reference, allowedValues }: PropertyType): string {
    if (type === "ref") return `#${nameOf(reference?.$ref ?? "")}`;
    if (type === "array") return element ? held(element) : "";
    if (type === "map") return `*${element ? held(element) : ""}`;
    if (type === "union") return types?.length === 1 && types[0] ? held(types[0]) : "";
    return type === "string" && allowedValues !== undefined ? `|${allowedValues.join("|")}` : "";
  }

  function membersOf(properties: Definition["properties"]): AwsMembers {
    return ordered(Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, held(type)])));
  }

  for (const { cloudFormationType, properties } of [...types].sort((a, b) =>
    a.cloudFormationType < b.cloudFormationType ? -1 : 1,
  ))
    all[cloudFormationType] = membersOf(properties);
  return ordered(all);
}

/** Tests make resources with these schemas, so members inside others matter only if they are required. */
function withRequired(schemas: AwsTables["schemas"], types: readonly string[]): AwsTables["schemas"] {
  const kept: Record<string, MemberTypes> = {};
  const keep = (name: string, members: MemberTypes) => {
    kept[name] = members;
    for (const type of Object.values(members)) {
      const reference = referenceIn(String(type))?.name ?? name;
      if (kept[reference] === undefined) keep(reference, requiredOf(schemas[reference] ?? {}));
    }
  };
  for (const type of types) keep(type, schemas[type] ?? {});
  return ordered(kept);
}

function requiredOf(members: MemberTypes): MemberTypes {
  return Object.fromEntries(Object.entries(members).filter(([, type]) => String(type).includes(marks.required)));
}

/** The schema that a type refers to, and how many lists and maps are around it. */
function referenceIn(type: string): { readonly name: string; readonly depth: number } | null {
  const [, steps = "", name] = /^((?:\[\]|\{\})*)#(.*?)[!\-=*]*$/.exec(type) ?? [];
  return name === undefined ? null : { name, depth: steps.length / 2 };
}

function kindOf(
  { cloudFormationType, primaryIdentifier = [], arnTemplate, tagInformation, properties, ...resource }: Resource,
  members: MemberTypes,
  schemas: AwsTables["schemas"],
): AwsKind {
  const tags = tagInformation && !awsTagsUnread.has(cloudFormationType) && tagsOf(tagInformation, members, schemas);
  const added = resource.additionalReplacementProperties ?? [];
  const all = membersIn(members, schemas);
  const marked = (mark: string) => all.flatMap(([pointer, type]) => (type.endsWith(mark) ? [pointer] : []));
  const readOnly = marked(marks.readOnly);
  const written = all.filter(([, type]) => /^(\[\]|\{\})*string/.test(type)).map(([pointer]) => pointer);
  const { secret, input } = awsUnechoed(
    cloudFormationType,
    written.filter((pointer) => !readOnly.includes(pointer)),
  );
  const arn = arnOf(arnTemplate ?? unpublishedArn(cloudFormationType), primaryIdentifier);
  return {
    id: primaryIdentifier,
    ...(tags && { tags }),
    ...(arn !== undefined && { arn }),
    ...listed(
      "required",
      Object.keys(properties).filter((name) => properties[name]?.required),
    ),
    ...listed("fixed", outermost([...marked(marks.immutable), ...added.map((path) => `/${path.join("/")}`)])),
    ...listed("readOnly", readOnly),
    ...listed("secret", outermost(secret)),
    ...listed("input", input),
  };
}

/** Forms of ARNs that the package leaves out. AWS's service authorization reference has them. */
const unpublishedArns: Readonly<Record<string, string>> = {
  "AWS::AutoScaling::AutoScalingGroup":
    "autoscaling:<Region>:<Account>:autoScalingGroup:<GroupId>:autoScalingGroupName/<AutoScalingGroupName>",
  "AWS::ElasticLoadBalancingV2::LoadBalancer":
    "elasticloadbalancing:<Region>:<Account>:loadbalancer/<Kind>/<Name>/<LoadBalancerId>",
};

function unpublishedArn(type: string): string | undefined {
  const form = unpublishedArns[type];
  return form && `arn:<Partition>:${form}`.replaceAll(/<(\w+)>/g, (_, name: string) => `\${${name}}`);
}

/**
 * The form of a type's ARN. If one name of the service's stands for the identifier, the property takes its place; ARNs and addresses aren't
 * parts of others.
 */
function arnOf(template: string | undefined, id: readonly string[]): string | undefined {
  if (template === undefined) return undefined;
  const written = template.replace("arn:aws:", () => `arn:\${Partition}:`);
  const variables = [...written.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  const own = variables.filter((name) => !["Partition", "Region", "Account"].includes(name));
  const [only = "", ...others] = id;
  const isNamed = own.length === 1 && others.length === 0 && !/(arn|url)$/i.test(only);
  return isNamed ? written.replace(`{${own[0]}}`, () => `{${only}}`) : written;
}

/** Pointers without those inside others, in order. */
function outermost(pointers: readonly string[]): string[] {
  const isInside = (pointer: string) => pointers.some((other) => pointer.startsWith(`${other}/`));
  return [...new Set(pointers)].filter((pointer) => !isInside(pointer)).sort();
}

/** Where tags are, and in which form. Most are a list of keys and values; the names of those two differ. */
function tagsOf(
  { tagPropertyName: at, variant }: NonNullable<Resource["tagInformation"]>,
  members: MemberTypes,
  schemas: AwsTables["schemas"],
): AwsTags {
  const type = String(members[at]).replace(/[!\-=*]+$/, "");
  const isFixed = String(members[at]).endsWith(marks.immutable);
  const fixed = isFixed ? { fixed: true as const } : {};
  if (variant === "map") return { at, form: "map", ...fixed };
  if (variant === "asg") return { at, form: "launched", ...fixed };
  if (type.startsWith("[]")) return { at, form: "list", ...fixed };
  // One type holds its list in a member of its tags.
  const [inner = ""] = Object.keys(schemas[type.slice(1)] ?? {});
  return { at, within: inner, form: "list", ...fixed };
}

/** Every member with its type, by pointer, down to where a schema occurs in itself. */
function membersIn(members: MemberTypes, schemas: AwsTables["schemas"]): readonly (readonly [string, string])[] {
  const visit = (of: MemberTypes, above: string, around: readonly MemberTypes[]): [string, string][] =>
    Object.entries(of).flatMap(([name, written]) => {
      const pointer = `${above}/${name}`;
      const type = String(written);
      const { name: reference = "", depth = 0 } = referenceIn(type) ?? {};
      const below = schemas[reference];
      const isDeeper = below !== undefined && !around.includes(below);
      const inside = isDeeper ? visit(below, `${pointer}${"/*".repeat(depth)}`, [...around, below]) : [];
      return [[pointer, type] as [string, string], ...inside];
    });
  return visit(members, "", [members]);
}

function listed<Name extends string>(
  name: Name,
  values: readonly string[],
): { readonly [N in Name]?: readonly string[] } {
  return (values.length === 0 ? {} : { [name]: values }) as { readonly [N in Name]?: readonly string[] };
}

/** Numbers definitions as they are referred to. Those with equal members are one. */
function numbering<Members extends object>(
  definitions: readonly Definition[],
  membersOf: (properties: Definition["properties"]) => Members,
) {
  const byId = new Map(definitions.map((one) => [one.$id, one]));
  const names = new Map<string, string>();
  const byContent = new Map<string, string>();
  const all: Record<string, Members> = {};
  function nameOf(id: string): string {
    const known = names.get(id);
    if (known !== undefined) return known;
    const definition = byId.get(id);
    if (definition === undefined) throw new RangeError(`The definition ${id} is missing.`);
    // Set before its members are read, because a definition may hold itself.
    const name = String(names.size);
    names.set(id, name);
    const members = membersOf(definition.properties);
    const content = JSON.stringify(members);
    const same = byContent.get(content) ?? name;
    byContent.set(content, same);
    names.set(id, same);
    all[same] = members;
    return same;
  }
  return { all, nameOf };
}

/** The members of types and of definitions, by name and by number. */
function collecting(definitions: readonly Definition[]) {
  const typed = (properties: Definition["properties"]) =>
    ordered(Object.fromEntries(Object.entries(properties).map(member)));
  const { all, nameOf } = numbering<MemberTypes>(definitions, typed);

  function typeOf({ type, element, types, reference }: PropertyType): string {
    if (type === "ref") return `#${nameOf(reference?.$ref ?? "")}`;
    if (type === "array") return `[]${element ? typeOf(element) : "any"}`;
    if (type === "map") return `{}${element ? typeOf(element) : "any"}`;
    // Of several types the first is the one that AWS documents.
    if (type === "union") return types?.[0] ? typeOf(types[0]) : "any";
    return { integer: "number", json: "any", "date-time": "string" }[type] ?? type;
  }

  function member([name, { type, required, causesReplacement }]: [string, Property]): [string, MemberType] {
    const isFixed = causesReplacement === "yes";
    return [name, `${typeOf(type)}${required ? marks.required : ""}${isFixed ? marks.immutable : ""}`];
  }

  return {
    all,
    /** The members of a type; attributes that aren't properties are read-only. */
    membersOf({ properties, attributes }: Resource): MemberTypes {
      const shown = Object.entries(attributes).filter(([name]) => !(name in properties) && !name.includes("."));
      return ordered({
        ...Object.fromEntries(Object.entries(properties).map(member)),
        ...Object.fromEntries(shown.map(([name, { type }]) => [name, `${typeOf(type)}${marks.readOnly}`])),
      });
    },
  };
}
