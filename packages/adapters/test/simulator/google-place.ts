import { googleCloud } from "@liveplane/adapters/google-cloud";
import type { JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation, ResourceChanged, SimulatedPlace } from "@liveplane/core/testing";
import { type Departures, departures } from "../descriptions/departures.ts";
import type { KeptResource } from "../google/google-bodies.ts";
import { goodToken, googleDouble, pathOf, sortOf } from "../google/google-double.ts";
import { bodyOf, type Cast, castCloud, parametersIn, patchOf } from "./cast.ts";
import { googleTroupe, pickOf, type Troupe } from "./casts.ts";
import { fetchFrom } from "./in-process.ts";
import { lateIndex } from "./late-index.ts";
import { castIn, changeOf, type KeptState, truthOf, typesOf } from "./place.ts";

const project = "project-one";
const zone = "europe-west1-b";
const authClient = { getAccessToken: async () => goodToken };

/** Google Cloud by its double, with the adapter that ships before it. */
export function googlePlace(
  variation: CloudVariation,
  now: () => number,
  judged: Departures = departures(),
): SimulatedPlace {
  const troupe = googleTroupe(pickOf(variation));
  /** What was named so far, by where it lies in the double. */
  const named = new Map<string, { readonly type: string; readonly resourceId: string }>();
  const pathFor = (type: string, resourceId: string) => {
    const path = pathOf(type, resourceId);
    named.set(path, { type, resourceId });
    return path;
  };
  let asking: ((change: ResourceChanged) => void) | null = null;
  let told: (change: ResourceChanged) => void = () => {};
  const google = googleDouble({
    now,
    judged,
    projects: [project],
    onChange({ path, before, after, by }) {
      index.note();
      const is = named.get(path);
      if (is === undefined) throw new RangeError(`Nobody has named ${path}.`);
      const [was, will] = [before, after].map((kept) => kept && stateOf(kept, is));
      const change = changeOf(castIn(troupe, is.type), { before: was ?? null, after: will ?? null });
      if (change !== null) (by === "hand" ? told : asking)?.(change);
    },
  });
  const index = lateIndex({ now, lagMs: variation.lagMs, all: google.all });
  const found = (id: string) => {
    const path = [...named].find(([, { resourceId }]) => resourceId === id)?.[0] ?? "";
    const is = named.get(path);
    const kept = google.resourceAt(path);
    return is === undefined || kept === undefined ? null : { path, cast: castIn(troupe, is.type), kept, is };
  };
  const open: SimulatedPlace["open"] = ({ runtime, onChange }) => {
    const send = fetchFrom((asked) => {
      const isBulk = sortOf(asked.method, new URL(asked.url, "https://google.invalid")) === "bulk";
      google.showInBulk(isBulk ? index.shown() : null);
      // The double answers before anybody else has a turn.
      asking = onChange;
      const answered = google.answer(asked);
      asking = null;
      return answered;
    });
    const urlOf = (service: string) => `https://google.invalid/${service}`;
    const cloud = castCloud(googleCloud({ fetch: send, now: runtime.clock.now, authClient, urlOf }), castsOf(troupe), {
      zone,
    });
    return {
      ...cloud,
      create(resource, call) {
        const { type, name, target } = resource;
        pathFor(type, resource.resourceId ?? cloud.resourceIdFor(type, name, target) ?? "");
        return cloud.create(resource, call);
      },
      async update(ref, ...rest) {
        const before = found(ref.resourceId)?.kept;
        const written = await cloud.update(ref, ...rest);
        const one = found(ref.resourceId);
        // Where somebody else has made the change in between, the adapter has nothing left to send: a write of nothing.
        if (one !== null && one.kept === before) onChange(nothingChanged(stateOf(one.kept, one.is), one.cast));
        return written;
      },
    };
  };
  const { capabilities, resourceType } = castCloud(googleCloud(), castsOf(troupe));
  return {
    provider: "provider-b",
    types: typesOf(troupe),
    location: "europe-west1",
    scope: project,
    capabilities: { ...capabilities, conditionalWrites: troupe.isBound },
    factsOf: resourceType,
    open,
    onHand: (tell) => {
      told = tell;
    },
    hand: {
      async get(id) {
        const one = found(id);
        if (one === null) return null;
        const { tags, parameters } = truthOf(stateOf(one.kept, one.is), one.cast);
        return { tags, parameters, outputs: { id, ...parametersIn(one.cast, one.kept.body as JsonObject) } };
      },
      async put(id, { type, tags, parameters }) {
        const body = bodyOf(castIn(troupe, type), parameters as JsonObject);
        google.putAt(pathFor(type, id), project, withLabels(type, body, tags as JsonObject));
      },
      async putTags(id, tags) {
        const one = found(id);
        if (one !== null) google.byHand(one.path, (body) => withLabels(one.is.type, body as JsonObject, tags));
      },
      async patchParameters(id, patch) {
        const one = found(id);
        if (one !== null) google.byHand(one.path, (body) => merged(body as JsonObject, patchOf(one.cast, patch)));
      },
      async delete(id) {
        const one = found(id);
        if (one !== null) google.remove(one.path);
      },
    },
  };
}

function nothingChanged(state: KeptState, cast: Cast): ResourceChanged {
  const truth = truthOf(state, cast);
  return { operation: "update", resourceId: truth.resourceId, before: truth, after: truth };
}

function castsOf({ net, app, rule }: Troupe) {
  return [net, app, rule];
}

function stateOf({ body, made }: KeptResource, { type, resourceId }: { type: string; resourceId: string }): KeptState {
  // What it is called stands in its path, wherever it was said first.
  const { labels, name: _, ...own } = body as { labels?: Record<string, string> } & JsonObject;
  const { userLabels, ...settings } = (own as { settings?: { userLabels?: Record<string, string> } }).settings ?? {};
  const isSql = type.startsWith("sqladmin.");
  return {
    resourceId,
    identity: String(made),
    tags: (isSql ? userLabels : labels) ?? {},
    body: (isSql ? { ...own, settings } : own) as JsonObject,
  };
}

function withLabels(type: string, body: JsonObject, labels: JsonObject): JsonObject {
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
