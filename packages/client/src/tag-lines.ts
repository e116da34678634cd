import type { Component } from "@liveplane/core/contract";
import { quoted } from "./shell-words.ts";

/** The parts of a resource that decide who controls it. */
export type TaggedResource = Pick<Component, "provider" | "type" | "resourceId">;

/** What a person does to a resource's tags. */
export type HandOver = "take-over" | "hand-back";

/** How gcloud names what it changes of a kind: the group with its verb, where the name goes, and the flag for the place. */
interface GcloudKind {
  readonly command: string;
  readonly place?: "location";
  readonly name?: (name: string) => string;
}

/** The kinds whose labels gcloud can change one at a time. */
const gcloudKinds: Readonly<Record<string, GcloudKind>> = {
  "artifactregistry.repository": { command: "artifacts repositories update", place: "location" },
  "compute.address": { command: "compute addresses update" },
  "compute.disk": { command: "compute disks update" },
  "compute.image": { command: "compute images update" },
  "compute.instance": { command: "compute instances update" },
  "compute.snapshot": { command: "compute snapshots update" },
  "pubsub.subscription": { command: "pubsub subscriptions update" },
  "pubsub.topic": { command: "pubsub topics update" },
  "redis.instance": { command: "redis instances update" },
  "run.job": { command: "run jobs update" },
  "run.service": { command: "run services update" },
  "secretmanager.secret": { command: "secrets update" },
  "sqladmin.instance": { command: "sql instances patch" },
  "storage.bucket": { command: "storage buckets update", name: (name) => `gs://${name}` },
};

/** The changes of tags in a hand-over, by name: `null` removes one. Tags that aren't named stay. */
export type TagChanges = Readonly<Record<string, string | null>>;

/** The account of whoever takes a resource over. */
interface TakingAccount {
  readonly id: string;
  readonly name: string;
}

/**
 * What taking a resource over changes: the protocol's tags go, and the name of who has it comes. Where a label can't contain the name, the
 * account's ID comes instead, and whoever may see the account is shown its name. `null`: nobody is named.
 */
export function takeOverTags(
  { provider }: Pick<TaggedResource, "provider">,
  account: TakingAccount | null,
): TagChanges {
  const fits = provider !== "provider-b" || label.test(account?.name ?? "");
  return {
    "managed-by": null,
    platform: null,
    ...(account !== null && { "platform-owner": fits ? account.name : account.id }),
  };
}

/** What handing it back changes. */
export const handBackTags: TagChanges = { "managed-by": "platform", platform: "reconcile", "platform-owner": null };

/** What a label of Google Cloud can contain: no capitals, no spaces, no signs of an address. */
const label = /^[a-z0-9_-]{1,63}$/;

/**
 * The line that a person runs to take a resource over or to give it back; `null`: the cloud's command line has none for this kind,
 * and its console has.
 */
export function tagLine({ provider, type, resourceId }: TaggedResource, what: HandOver): string | null {
  if (resourceId === null) return null;
  if (provider === "provider-a") {
    const change =
      what === "take-over"
        ? "Delete --tags managed-by=platform"
        : "Merge --tags managed-by=platform platform=reconcile";
    return `az tag update --resource-id ${quoted(resourceId)} --operation ${change}`;
  }
  const kind = gcloudKinds[type.replace(/\.v\d\w*(?=\.)/, "")];
  if (kind === undefined) return null;
  const { project, zone, place, name } = partsOf(resourceId);
  const where = [
    quoted(kind.name?.(name) ?? name),
    `--project=${quoted(project)}`,
    ...(zone === undefined ? [] : [`--zone=${quoted(zone)}`]),
    ...(place === undefined ? [] : [`--${kind.place ?? "region"}=${quoted(place)}`]),
    what === "take-over" ? "--remove-labels=managed-by" : "--update-labels=managed-by=platform,platform=reconcile",
  ];
  return `gcloud ${kind.command} ${where.join(" ")}`;
}

/** The parts of `projects/p/zones/z/disks/d`. */
function partsOf(id: string) {
  const segments = id.split("/");
  const after = (name: string) => {
    const at = segments.indexOf(name);
    return at < 0 ? undefined : segments[at + 1];
  };
  return {
    project: after("projects") ?? "",
    zone: after("zones"),
    place: after("regions") ?? after("locations"),
    name: segments.at(-1) ?? "",
  };
}
