import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { isObject, type JsonObject, type ResourceType } from "@liveplane/core/clouds";
import { azureReading } from "../../src/azure/azure-resource.ts";
import { placed } from "../../src/google/google-ids.ts";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import { googleReading } from "../../src/google/google-reading.ts";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };
import { descriptionOf } from "./descriptions.ts";
import type { BodyKind, Draw } from "./drawn-bodies.ts";

type Json = JsonObject[string];

/** A type, and what is known of how its vendor writes what it was sent. */
export interface Spelled extends BodyKind {
  readonly type: ResourceType;
  /** Of one resource of the type. */
  readonly resourceId: string;
  readonly tagParameter: string;
  /** A value as the vendor may show it; `undefined`: it shows none. */
  readonly shown: (value: Json, pointer: string, draw: Draw) => Json | undefined;
  readonly read: (body: JsonObject) => JsonObject;
  /** A drawn body as somebody would declare it. @default as it was drawn */
  readonly declared?: (body: JsonObject) => JsonObject;
}

/** The project of the drawn links. */
export const scope = "project-one";
const arm =
  "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/Shop/providers/Microsoft.Network/things/a";
/** A link as the drawn bodies hold it. */
export const link = `projects/${scope}/global/networks/default`;

const azuresOwn = new Set(["id", "name", "type", "etag", "eTag", "_etag", "tags", "systemData", "provisioningState"]);

const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302", region: "westeurope", container: "dev" };

/** Every type of Azure's table. */
export const azureTypes = Object.entries(azureTables).map(([name, { path, places }]): [string, Spelled] => {
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
      resourceId: azureCloud().resourceIdFor(name, "first", target) ?? "",
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
  lastModifier reconciling resourceLabels role state status deleted userLabels`);
const mergePatched = new Set(["compute", "sqladmin", "storage"]);

/** Every kind of Google's table. */
export const googleTypes = Object.entries(googleTables as unknown as Readonly<Record<string, GoogleKind>>).flatMap(
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
      .replace(/^b\//, "projects/{}/buckets/")
      .replace("projects/{}", `projects/${scope}`)
      .replace("iamBindings/{}", "iamBindings/roles:x")
      .replaceAll("{}", "x");
    const of = placed({ type, resourceId: id });
    const spelled: Spelled = {
      schemas,
      body: kind.policy === undefined ? String(get?.answers["200"]).slice(1) : "iam.Binding",
      // Which condition a binding has is in its name.
      without: kind.policy === undefined ? googlesOwn : new Set([...googlesOwn, "condition"]),
      type: googleCloud().resourceType(type),
      resourceId: of.resourceId,
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
