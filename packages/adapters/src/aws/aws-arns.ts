import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { type AwsPlace, type PlacedAwsResource, partitionOf } from "./aws-ids.ts";
import { type AwsKind, awsKinds, isItsArn, type NamedAwsKind } from "./aws-kinds.ts";

/** The ARN of a resource: what it shows itself, or its type's template. `null`: AWS doesn't publish how it is made. */
export function arnOf({ kind, identifier, ...place }: PlacedAwsResource, properties: JsonObject): string | null {
  if (identifier.startsWith("arn:")) return identifier;
  const shown = properties[arnMember(kind.type, kind) ?? ""];
  // A log group shows the ARN of what is in it.
  if (typeof shown === "string") return shown.replace(/:\*$/, "");
  const given = identifier.split("|");
  if (kind.arn === undefined || given.length !== kind.id.length) return null;
  const values = new Map([...kind.id.map((name, at) => [name, given[at]] as const), ...partsOf(place)]);
  const names = [...kind.arn.matchAll(variable)].map(([, name = ""]) => name);
  if (!names.every((name) => values.has(name))) return null;
  return kind.arn.replaceAll(variable, (_, name: string) => values.get(name) ?? "");
}

/** The identifier that an ARN contains; `null` if it isn't one of the type, or doesn't contain it. */
export function identifierIn(kind: NamedAwsKind, arn: string): string | null {
  if (isItsArn(kind)) return arn;
  const parts = partsIn(kind, arn);
  return parts !== null && kind.id.every((name) => name in parts) ? kind.id.map((name) => parts[name]).join("|") : null;
}

const byService: ReadonlyMap<string, readonly NamedAwsKind[]> = Map.groupBy(awsKinds, ({ arn }) => serviceIn(arn));

/** The types whose ARNs have the form of this one, the likeliest first. */
export function kindsOfArn(arn: string): readonly NamedAwsKind[] {
  const service = serviceIn(arn);
  const fitting = (byService.get(service) ?? []).filter((kind) => partsIn(kind, arn) !== null);
  // The longest form says the most. Where several services share one, it is that of the service in the ARN.
  const rank = (kind: NamedAwsKind) => [
    fixedPart(kind).length,
    Number(isOf(kind, service)),
    Number(kind.tags !== undefined),
  ];
  return fitting.sort((a, b) => compared(rank(b), rank(a)));
}

/** The tags by ARN in an answer of `GetResources`. */
export function taggedIn({ ResourceTagMappingList: found }: JsonObject): ReadonlyMap<string, Record<string, string>> {
  const listed = (Array.isArray(found) ? found : []).filter(isObject);
  return new Map(listed.map(({ ResourceARN, Tags }) => [String(ResourceARN), tagsIn(Tags)]));
}

function tagsIn(tags: unknown): Record<string, string> {
  const items = (Array.isArray(tags) ? tags : []).filter(isObject);
  return Object.fromEntries(items.map(({ Key, Value }) => [String(Key), String(Value ?? "")]));
}

function serviceIn(arn: string | undefined): string {
  return arn?.split(":")[2] ?? "";
}

function fixedPart({ arn = "" }: NamedAwsKind): string {
  return arn.replaceAll(variable, "");
}

function isOf({ type }: NamedAwsKind, service: string): boolean {
  return type.split("::")[1]?.toLowerCase() === service.replaceAll("-", "");
}

function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The member that shows a resource's own ARN. */
function arnMember(type: string, { readOnly = [] }: AwsKind): string | undefined {
  const own = new Set(["arn", "resourcearn", `${type.split("::")[2]}arn`.toLowerCase()]);
  return readOnly.map((pointer) => pointer.slice(1)).find((name) => own.has(name.toLowerCase()));
}

function partsOf({ account, region }: AwsPlace): readonly (readonly [string, string])[] {
  return [
    ["Partition", partitionOf(region)],
    ["Region", region],
    ["Account", account],
  ];
}

const variable = /\$\{(\w+)\}/g;

/** Types whose names contain slashes. */
const slashed = new Set(["AWS::Logs::LogGroup", "AWS::SSM::Parameter", "AWS::SecretsManager::Secret"]);

const patterns = new Map<string, RegExp>();

/** What stands in an ARN for the names in its form; `null` if it has another form. */
function partsIn({ type, arn: form }: NamedAwsKind, arn: string): Readonly<Record<string, string>> | null {
  if (form === undefined) return null;
  const pattern = patterns.get(type) ?? patternOf(type, form);
  patterns.set(type, pattern);
  const values = pattern.exec(arn)?.slice(1);
  const names = [...form.matchAll(variable)].map(([, name = ""]) => name);
  return values === undefined ? null : Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}

function patternOf(type: string, form: string): RegExp {
  const literals = form.split(/\$\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join(slashed.has(type) ? "([^:]*)" : "([^:/]*)")}$`);
}
