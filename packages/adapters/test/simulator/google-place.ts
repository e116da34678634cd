import { googleCloud } from "@liveplane/adapters/google-cloud";
import type { JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation } from "@liveplane/simulator";
import type { Departures } from "../descriptions/departures.ts";
import type { KeptResource } from "../google/google-bodies.ts";
import { goodToken, googleDouble, pathOf, sortOf } from "../google/google-double.ts";
import { googleTroupe, pickOf } from "./casts.ts";
import type { DoubledVendor, DoubleHooks, PlacedDouble } from "./double-place.ts";
import type { KeptState } from "./place.ts";

const project = "project-one";
const authClient = { getAccessToken: async () => goodToken };
const urlOf = (service: string) => `https://google.invalid/${service}`;

type All = ReadonlyMap<string, KeptResource>;

/** Google Cloud by its double. */
export function googlePlace(variation: CloudVariation, judged: Departures): DoubledVendor<All> {
  return {
    provider: "provider-b",
    location: "europe-west1",
    scope: project,
    zone: "europe-west1-b",
    troupe: googleTroupe(pickOf(variation)),
    adapter: (options) => googleCloud({ ...options, ...(options && { authClient, urlOf }) }),
    double: (hooks) => doubled(hooks, judged),
  };
}

interface Named {
  readonly path: string;
  readonly type: string;
  readonly resourceId: string;
}

function doubled({ now, onChange, slownessOf }: DoubleHooks, judged: Departures): PlacedDouble<All> {
  /** What was named so far, by where it lies in the double, and by its id. */
  const named = new Map<string, Named>();
  const naming = (type: string, resourceId: string): Named => {
    const path = pathOf(type, resourceId);
    const one = { path, type, resourceId };
    named.set(path, one).set(resourceId, one);
    return one;
  };
  const google = googleDouble({
    now,
    judged,
    projects: [project],
    onChange({ path, before, after, by }) {
      const one = named.get(path);
      if (one === undefined) throw new RangeError(`Nobody has named ${path}.`);
      const [was, is] = [before && stateOf(before, one), after && stateOf(after, one)];
      onChange({ by: by === "google" ? "cloud" : by, type: one.type, before: was, after: is });
    },
    slownessOf() {
      const drawn = slownessOf();
      if (drawn === null) return null;
      const { takesMs, hidden = false, fails, marksFailed = true } = drawn;
      return { takesMs, hidden, fails, marks: marksFailed };
    },
  });
  const found = (id: string) => {
    const one = named.get(id);
    const kept = one && google.resourceAt(one.path);
    return one === undefined || kept === undefined ? null : { ...one, kept };
  };
  let indexed: All | null = null;
  return {
    answer(asked) {
      const isBulk = sortOf(asked.method, new URL(asked.url, "https://google.invalid")) === "bulk";
      google.showInBulk(isBulk ? indexed : null);
      return google.answer(asked);
    },
    all: google.all,
    show(index) {
      indexed = index;
    },
    naming,
    get(id) {
      const one = found(id);
      return one && { type: one.type, state: stateOf(one.kept, one) };
    },
    make: (id, type, body, tags) => google.putAt(naming(type, id).path, project, withLabels(type, body, tags)),
    setTags(id, tags) {
      const one = found(id);
      if (one !== null) google.byHand(one.path, (body) => withLabels(one.type, body as JsonObject, tags));
    },
    patch(id, patch) {
      const one = found(id);
      if (one !== null) google.byHand(one.path, (body) => merged(body as JsonObject, patch));
    },
    remove(id) {
      const one = found(id);
      if (one !== null) google.remove(one.path);
    },
  };
}

function stateOf({ body, made, underway, fails, failed }: KeptResource, { type, resourceId }: Named): KeptState {
  // What it is called stands in its path, wherever it was said first.
  const { labels, name: _, ...own } = body as { labels?: Record<string, string> } & JsonObject;
  const { userLabels, ...settings } = (own as { settings?: { userLabels?: Record<string, string> } }).settings ?? {};
  const isSql = type.startsWith("sqladmin.");
  const words = { CREATING: "create", UPDATING: "update", DELETING: "remove" } as const;
  return {
    resourceId,
    identity: String(made),
    tags: (isSql ? userLabels : labels) ?? {},
    body: (isSql ? { ...own, settings } : own) as JsonObject,
    ...(underway && { underway: { operation: words[underway], fails: fails === true } }),
    ...(failed && { failed }),
  };
}

function withLabels(type: string, body: JsonObject, labels: Readonly<Record<string, string>>): JsonObject {
  if (Object.keys(labels).length === 0 && body.labels === undefined && body.settings === undefined) return body;
  if (!type.startsWith("sqladmin.")) return { ...body, labels };
  return { ...body, settings: { ...(body.settings as JsonObject), userLabels: labels } };
}

function merged(body: JsonObject, patch: JsonObject): JsonObject {
  const after: Record<string, JsonObject[string]> = { ...body };
  for (const [name, value] of Object.entries(patch)) {
    const known = after[name];
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    after[name] = isInner ? merged((known ?? {}) as JsonObject, value as JsonObject) : value;
  }
  return after;
}
