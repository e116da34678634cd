import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { isObject, type JsonObject, type SeenResource, valueAt, withValuesAt } from "@liveplane/core/clouds";
import { compare, type Expected } from "../../../core/src/override/protocol/drift.ts";
import { isSpellingOf } from "../../../core/src/override/protocol/spelling.ts";
import { azureReading } from "../../src/azure/azure-resource.ts";
import { placed } from "../../src/google/google-ids.ts";
import { type GoogleKind, googleKindOf } from "../../src/google/google-kinds.ts";
import { googleReading } from "../../src/google/google-reading.ts";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };
import type { Pair } from "./recordings.ts";

type Json = JsonObject[string];

/** One place of a pair that reads as drift. */
export interface Unlike {
  readonly pointer: string;
  readonly sent: Json;
  readonly shown: Json;
}

/** How the product compares what was sent with what was shown. */
export interface JudgedPair {
  readonly type: string;
  /** Without what was learned. */
  readonly drift: readonly Unlike[];
  /** With what the creation's own answer may teach. */
  readonly unsettled: readonly Unlike[];
  /** Leaves that were declared and are shown. */
  readonly leaves: number;
  /** Those of them that another value may take without being seen. */
  readonly missed: readonly string[];
}

/** Judges a pair; `null`: no table has its type. */
export function judgedPair(pair: Pair): JudgedPair | null {
  const known = pair.path.startsWith("/subscriptions/") ? azurePair(pair) : googlePair(pair);
  if (known === null) return null;
  const { type, expected, read } = known;
  const judge = (body: JsonObject, settled: ReadonlyMap<string, Json>) => {
    const shown = read(body);
    return shown === null ? [] : compare({ ...expected, settled }, shown).changes.map(unlike);
  };
  const drift = judge(pair.shown, new Map());
  const settled = new Map(
    drift
      .filter(({ sent, shown }) => isSpellingOf(sent, shown ?? undefined))
      .map(({ pointer, shown }) => [pointer, shown]),
  );
  const unsettled = judge(pair.shown, settled);
  const leaves = leavesOf(expected.parameters).filter((pointer) => isScalarAt(pair.shown, pointer));
  const missed = leaves.filter((pointer) => {
    const edited = withValuesAt(pair.shown, [{ pointer, value: another(valueAt(pair.shown, pointer)) }]);
    return JSON.stringify(judge(edited, settled)) === JSON.stringify(unsettled);
  });
  return { type, drift, unsettled, leaves: leaves.length, missed };
}

interface Known {
  readonly type: string;
  readonly expected: Expected;
  readonly read: (body: JsonObject) => SeenResource | null;
}

const nothing = {
  ignored: [],
  extraItems: {},
  secrets: [],
  unapplied: new Set<string>(),
  settled: new Map<string, Json>(),
};
const azureKinds = new Map(
  Object.entries(azureTables).map(([name, kind]) => [name.toLowerCase(), { ...kind, type: name }]),
);

function azurePair({ path, sent }: Pair): Known | null {
  const parts = /^.*\/providers\/(.+)$/i.exec(path)?.[1]?.split("/") ?? [];
  const isGroup = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i.test(path);
  const named = [parts[0], ...parts.slice(1).filter((_, at) => at % 2 === 0)].join("/");
  const kind = azureKinds.get((isGroup ? "Microsoft.Resources/resourceGroups" : named).toLowerCase());
  if (kind === undefined) return null;
  const { capabilities, resourceType } = azureCloud();
  const parameters = declaredOf(sent, ["/id", "/name", "/type", "/etag", "/tags", ...kind.readOnly]);
  const { tagParameter, caselessTagKeys } = capabilities;
  const scope = path.split("/")[2] ?? "";
  const expected = { parameters, type: resourceType(kind.type), tagParameter, caselessTagKeys, scope, ...nothing };
  return { type: kind.type, expected, read: (body) => seen(azureReading(kind.type, { id: path, ...body })) };
}

const googleKinds = Object.entries(googleTables as unknown as Readonly<Record<string, GoogleKind>>).map(
  ([name, kind]) => ({
    type: name.replace(".", `.${kind.version}.`),
    service: name.slice(0, name.indexOf(".")),
    patterns: kind.paths.map((one) => new RegExp(`^${one.replaceAll("{}", "[^/]+")}$`)),
  }),
);

function googlePair({ path, sent }: Pair): Known | null {
  const found = googleKinds.find(({ patterns }) => patterns.some((pattern) => pattern.test(path)));
  const kind = found && googleKindOf(found.type);
  if (found === undefined || kind === null || kind === undefined) return null;
  const { type, service } = found;
  const own = path.replace(new RegExp(`^/${service}/(${service}/)?v\\d+/`), "");
  const resourceId = service === "storage" ? `projects/p/buckets/${own.split("/").at(-1)}` : inLocation(own, service);
  const of = placed({ type, resourceId });
  const { capabilities, resourceType } = googleCloud();
  const { tagParameter, caselessTagKeys } = capabilities;
  const body = kind.create?.body;
  const resource = body !== null && body !== undefined && isObject(sent[body]) ? (sent[body] as JsonObject) : sent;
  const labels = `/${(kind.labelsAt.length > 0 ? kind.labelsAt : ["labels"]).join("/")}`;
  const marks = ["/name", "/etag", "/fingerprint", "/labelFingerprint", "/labels"];
  const parameters = declaredOf(resource, [...marks, labels, ...kind.readOnly]);
  const scope = /projects\/([^/]+)/.exec(path)?.[1] ?? "p";
  const expected = { parameters, type: resourceType(type), tagParameter, caselessTagKeys, scope, ...nothing };
  return { type, expected, read: (shown) => seen(googleReading(shown, of)) };
}

function inLocation(own: string, service: string): string {
  return own.replace(/(\/locations\/[^/]+\/)/, `$1${service}/`);
}

function seen(reading: ReturnType<typeof azureReading>): SeenResource | null {
  if (reading.state === "present") return reading;
  return "resource" in reading ? (reading.resource ?? null) : null;
}

/** What somebody would declare of a body: nothing that is read-only, no tags, and none of the nulls and kinds that clients send. */
function declaredOf(body: JsonObject, unset: readonly string[]): JsonObject {
  const there = unset.filter((pointer) => !pointer.includes("*") && valueAt(body, pointer) !== undefined);
  const own = withValuesAt(
    body,
    there.map((pointer) => ({ pointer, value: null })),
  );
  return withoutNulls(own) as JsonObject;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null && !(name === "kind" && /^\w+#/.test(String(member))),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member as Json)]));
}

function unlike({ pointer, declared, actual }: { pointer: string; declared: Json; actual: Json }): Unlike {
  return { pointer, sent: declared, shown: actual };
}

function leavesOf(value: Json, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return value === null ? [] : [pointer];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member as Json, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

function isScalarAt(body: JsonObject, pointer: string): boolean {
  const value = valueAt(body, pointer);
  return value !== undefined && value !== null && typeof value !== "object";
}

/** Another value of the same kind, that no spelling explains. */
function another(value: Json | undefined): Json {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  return /^\d+$/.test(String(value)) ? `${value}7` : `${value}-other`;
}
