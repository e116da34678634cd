import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { isObject, type JsonObject, type ResourceType } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { compare, type Expected } from "../../../core/src/override/protocol/drift.ts";
import { azureReading } from "../../src/azure/azure-resource.ts";
import { placed } from "../../src/google/google-ids.ts";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import { googleReading } from "../../src/google/google-reading.ts";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };
import { descriptionOf } from "./descriptions.ts";
import { type BodyKind, type Draw, drawFrom, drawnBody, mapped } from "./drawn-bodies.ts";

type Json = JsonObject[string];

/** A type, and what is known of how its vendor writes what it was sent. */
interface Spelled extends BodyKind {
  readonly type: ResourceType;
  readonly tagParameter: string;
  /** A value as the vendor may show it; `undefined`: it shows none. */
  readonly shown: (value: Json, pointer: string, draw: Draw) => Json | undefined;
  readonly read: (body: JsonObject) => JsonObject;
  /** A drawn body as somebody would declare it. @default as it was drawn */
  readonly declared?: (body: JsonObject) => JsonObject;
}

const scope = "project-one";
const runs = 40;
const arm =
  "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/Shop/providers/Microsoft.Network/things/a";
const link = `projects/${scope}/global/networks/default`;

function expected({ type, tagParameter }: Spelled, parameters: JsonObject): Expected {
  const nothing = { ignored: [], secrets: [], unapplied: new Set<string>(), settled: new Map(), extraItems: {} };
  return { parameters, type, tagParameter, caselessTagKeys: false, scope, ...nothing };
}

/** Whether a pointer is in what a type never shows, where `*` is any name or place. */
function unreadIn({ writeOnly, inputOnly = [] }: Spelled["type"]): (pointer: string) => boolean {
  const unread = [...writeOnly, ...inputOnly].map((name) => (name.startsWith("/") ? name : `/${name}`).split("/"));
  return (pointer) => {
    const steps = pointer.split("/");
    return unread.some((own) => own.every((step, at) => at < steps.length && (step === "*" || step === steps[at])));
  };
}

/** What the vendor answers for a body: respelled, reordered, without what it never shows, and with what it adds. */
function answered(spelled: Spelled, body: JsonObject, draw: Draw): JsonObject {
  const { type } = spelled;
  const isUnread = unreadIn(type);
  const shown = mapped(body, (value, pointer) => {
    if (isUnread(pointer)) return undefined;
    if (Array.isArray(value) && type.sets.includes(pointer)) return [...value].reverse();
    if (isObject(value)) {
      const members = Object.entries(value).reverse();
      return Object.fromEntries(draw(2) === 0 ? members : [["addedByItself", { id: draw(9) }], ...members]);
    }
    return spelled.shown(value, pointer, draw);
  });
  return isObject(shown) ? shown : {};
}

/** What was declared with one value made another; `null`: nothing of it is shown. */
function changed(body: JsonObject, spelled: Spelled, draw: Draw): JsonObject | null {
  const isUnread = unreadIn(spelled.type);
  let leaves = 0;
  mapped(body, (value, pointer) => {
    if (typeof value !== "object" && !isUnread(pointer)) leaves += 1;
    return value;
  });
  if (leaves === 0) return null;
  let left = draw(leaves);
  const made = mapped(body, (value, pointer) => {
    if (typeof value === "object" || isUnread(pointer) || left-- !== 0) return value;
    if (typeof value === "boolean") return !value;
    if (typeof value === "number") return value + 7;
    return /^\d+$/.test(String(value)) ? `${value}7` : `${value}-other`;
  });
  return isObject(made) ? made : null;
}

function holds(name: string, spelled: Spelled): void {
  for (let seed = 1; seed <= runs; seed++) {
    const draw = drawFrom(seed);
    const { declared: asDeclared = (body) => body } = spelled;
    const declared = asDeclared(drawnBody(spelled, draw));
    const there = spelled.read(answered(spelled, declared, draw));
    const same = compare(expected(spelled, declared), { parameters: there, tags: {} });
    expect(same.changes, `${name}, seed ${seed}, respelled: ${JSON.stringify({ declared, there })}`).toEqual([]);
    const edited = changed(declared, spelled, draw);
    if (edited === null) continue;
    const then = spelled.read(answered(spelled, edited, draw));
    const differs = compare(expected(spelled, declared), { parameters: then, tags: {} });
    expect(differs.changes, `${name}, seed ${seed}, changed: ${JSON.stringify({ declared, then })}`).not.toEqual([]);
  }
}

const azuresOwn = new Set(["id", "name", "type", "etag", "eTag", "_etag", "tags", "systemData", "provisioningState"]);

const azure = Object.entries(azureTables).map(([name, { path, places }]): [string, Spelled] => {
  const { schemas, at } = descriptionOf("azure");
  const put = at(path.replaceAll(/\{[^}]*\}/g, "x")).find(({ method }) => method === "PUT");
  const isPlace = new Set<string>(places);
  return [
    name,
    {
      schemas,
      body: String(put?.body).slice(1),
      // What a name says is drawn for members that lie deeper; at the top they are the resource's own.
      without: azuresOwn,
      type: azureCloud().resourceType(name),
      tagParameter: "tags",
      textFor(member, pointer) {
        if (isPlace.has(pointer)) return "westeurope";
        return /(Id|resource)$/.test(member) ? arm : null;
      },
      declared: (body) => withIdentities(body, { [arm]: {} }),
      shown(value, pointer, draw) {
        if (isPlace.has(pointer)) return String(value).replace("westeurope", "West Europe");
        if (typeof value !== "string" || !value.startsWith("/subscriptions/")) return value;
        return draw(2) === 0 ? value.toLowerCase() : value.replace("/resourceGroups/", "/resourcegroups/");
      },
      read(body) {
        const identities = { [arm.toLowerCase()]: { principalId: "p", clientId: "c" } };
        const shown = { ...withIdentities(body, identities), id: arm, systemData: {}, etag: "W/1" };
        return parametersOf(azureReading(name, shown));
      },
    },
  ];
});

const googlesOwn = words(`kind id uid name labels etag fingerprint labelFingerprint metageneration generation
  observedGeneration projectNumber selfLink selfLinkWithId timeCreated updated createTime updateTime creationTimestamp creator
  lastModifier reconciling state status deleted userLabels`);
const mergePatched = new Set(["compute", "sqladmin", "storage"]);

const google = Object.entries(googleTables as unknown as Readonly<Record<string, GoogleKind>>).flatMap(
  ([name, kind]): [string, Spelled][] => {
    const { schemas, at } = descriptionOf("google");
    const [path = ""] = kind.paths;
    const get = at(path.replaceAll("{}", "x")).find(({ method }) => method === "GET");
    const service = name.slice(0, name.indexOf("."));
    const type = name.replace(".", `.${kind.version}.`);
    const isWhole = new Set(kind.wholeNumbers);
    const id = path
      .replace(new RegExp(`^/${service}/(${service}/)?v\\d+/`), "")
      .replace("/locations/{}/", `/locations/{}/${service}/`)
      .replace("projects/{}", `projects/${scope}`)
      .replaceAll("{}", "x");
    const of = placed({ type, resourceId: name === "storage.bucket" ? `projects/${scope}/buckets/x` : id });
    const spelled: Spelled = {
      schemas,
      body: String(get?.answers["200"]).slice(1),
      without: googlesOwn,
      type: googleCloud().resourceType(type),
      tagParameter: "labels",
      textFor: (member, pointer) => {
        if (isWhole.has(pointer)) return 10;
        if (service !== "compute" || !/(network|Link|source|url)$/i.test(member)) return null;
        return member.length % 2 === 0 ? "global/networks/default" : link;
      },
      shown(value, pointer) {
        if (isWhole.has(pointer)) return String(value);
        const isSaid = value !== false && value !== 0 && value !== "";
        if (!mergePatched.has(service)) return isSaid ? value : undefined;
        if (service !== "compute" || typeof value !== "string") return value;
        const within = /^global\//.test(value) ? `projects/${scope}/${value}` : value;
        return within.startsWith("projects/") ? `https://www.googleapis.com/compute/v1/${within}` : value;
      },
      read: (body) => parametersOf(googleReading({ ...body, kind: "x", selfLink: "x" }, of)),
    };
    return [[type, spelled]];
  },
);

/** Which identities a resource has stands in the keys of a map. */
function withIdentities(body: JsonObject, userAssignedIdentities: JsonObject): JsonObject {
  const { identity } = body;
  if (!isObject(identity) || identity.userAssignedIdentities === undefined) return body;
  return { ...body, identity: { ...identity, userAssignedIdentities } };
}

function parametersOf(reading: ReturnType<typeof azureReading>): JsonObject {
  return reading.state === "present" ? reading.parameters : {};
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

test.each([...azure, ...google])("%s: what its vendor respells is no drift, and what somebody changes is", holds);

test("a link into another project is another link, however it is written", () => {
  const { resourceType } = googleCloud();
  const type = resourceType("compute.v1.firewall");
  const shared = `https://www.googleapis.com/compute/v1/projects/another/global/networks/default`;
  const differs = (network: string) =>
    compare(
      { ...expected({ ...(google[0]?.[1] as Spelled), type }, { network }) },
      { parameters: { network: shared }, tags: {} },
    ).changes.length > 0;
  expect(["global/networks/default", link, `https://compute.googleapis.com/compute/v1/${link}`].map(differs)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["projects/another/global/networks/default", shared.replace("/v1/", "/beta/")].map(differs)).toEqual([
    false,
    false,
  ]);
});
