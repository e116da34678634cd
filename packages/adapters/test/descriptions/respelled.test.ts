import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { valueAt } from "../../../core/src/json-pointer.ts";
import { compare, type Expected } from "../../../core/src/override/protocol/drift.ts";
import { type Draw, drawFrom, drawnBody, mapped } from "./drawn-bodies.ts";
import { azureTypes, googleTypes, link, type Spelled, scope } from "./spelled-types.ts";

const runs = 40;

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
    return typeof value === "object" || isUnread(pointer) || left-- !== 0 ? value : anotherThan(value);
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

test.each([...azureTypes, ...googleTypes])(
  "%s: what its vendor respells is no drift, and what somebody changes is",
  holds,
);

/** What a cloud makes of a value, in words of its own that no fact explains. */
function inOwnWords(value: JsonObject[string], draw: Draw): JsonObject[string] {
  if (draw(3) !== 0 || typeof value === "boolean" || typeof value === "object") return value;
  return typeof value === "number" ? value * 1024 + 1 : `own-${value}`;
}

function anotherThan(value: JsonObject[string]): JsonObject[string] {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  return /^\d+$/.test(String(value)) ? `${value}7` : `${value}-other`;
}

test("every change of a single leaf of a settled answer is drift", () => {
  const missed: string[] = [];
  let leaves = 0;
  for (const [name, spelled] of [...azureTypes, ...googleTypes])
    for (let seed = 1; seed <= 6; seed++) {
      const draw = drawFrom(seed);
      const { declared: asDeclared = (body) => body } = spelled;
      const declared = asDeclared(drawnBody(spelled, draw));
      const answer = mapped(answered(spelled, declared, draw), (value, pointer) =>
        pointer.includes("/addedByItself") ? value : inOwnWords(value, draw),
      ) as JsonObject;
      const differences = (body: JsonObject, settled: Expected["settled"]) =>
        compare({ ...expected(spelled, declared), settled }, { parameters: spelled.read(body), tags: {} }).changes;
      const there = spelled.read(answer);
      const settled = new Map(
        differences(answer, new Map()).map(({ pointer }) => [pointer, valueAt(there, pointer) ?? null]),
      );
      expect(differences(answer, settled), `${name}, seed ${seed}: ${JSON.stringify({ declared, answer })}`).toEqual(
        [],
      );
      const isLeaf = (value: JsonObject[string], pointer: string) =>
        typeof value !== "object" && !pointer.includes("/addedByItself");
      const shown: string[] = [];
      mapped(answer, (value, pointer) => {
        if (isLeaf(value, pointer)) shown.push(pointer);
        return value;
      });
      for (const [nth, leaf] of shown.entries()) {
        let at = 0;
        const edited = mapped(answer, (value, pointer) =>
          isLeaf(value, pointer) && at++ === nth ? anotherThan(value) : value,
        ) as JsonObject;
        if (differences(edited, settled).length === 0) missed.push(`${name}, seed ${seed}: ${leaf}`);
      }
      leaves += shown.length;
    }
  expect(leaves).toBeGreaterThan(5_000);
  expect(missed).toEqual([]);
});

test("a link into another project is another link, however it is written", () => {
  const { resourceType } = googleCloud();
  const type = resourceType("compute.v1.firewall");
  const shared = `https://www.googleapis.com/compute/v1/projects/another/global/networks/default`;
  const differs = (network: string) =>
    compare(
      { ...expected({ ...(googleTypes[0]?.[1] as Spelled), type }, { network }) },
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

test("regions and zones are the same with and without the place that some clients write before them", () => {
  const { linkOf } = googleCloud().resourceType("compute.v1.subnetwork");
  const forms = (place: string) =>
    [`projects/one/global/${place}`, `global/${place}`, `projects/one/${place}`, place].map((text) =>
      linkOf?.(text, "one"),
    );
  for (const place of ["regions/us-central1", "zones/us-central1-a"])
    expect(forms(place)).toEqual(Array.from({ length: 4 }, () => `projects/one/${place}`));
  expect(linkOf?.("projects/one/global/regions/us-central1/subnetworks/a", "one")).toBe(
    "projects/one/global/regions/us-central1/subnetworks/a",
  );
  expect(linkOf?.("projects/one/global/networks/regions", "one")).toBe("projects/one/global/networks/regions");
});

test("another resource that is named is compared by its id, whatever else is declared of it", () => {
  const type = azureCloud().resourceType("Microsoft.Network/privateEndpoints");
  const network = `/subscriptions/${scope}/resourceGroups/dev/providers/Microsoft.Network/virtualNetworks/main`;
  const subnet = { id: `${network}/subnets/a`, name: "a", properties: { addressPrefix: "10.0.0.0/24" } };
  const spelled = { ...(azureTypes[0]?.[1] as Spelled), type };
  const differs = (shown: JsonObject) =>
    compare(expected(spelled, { properties: { subnet } }), { parameters: { properties: { subnet: shown } }, tags: {} })
      .changes.length > 0;
  expect(differs({ id: subnet.id.toLowerCase() })).toBe(false);
  expect(differs({ id: `${network}/subnets/b` })).toBe(true);
});
