import type { Runtime } from "@liveplane/core";
import {
  type BoundBy,
  type Cloud,
  type CloudCapabilities,
  type SimulatedChange,
  type SimulatedCloudOptions,
  simulatedCloud,
  simulatedConsole,
} from "@liveplane/core/clouds";
import { type Json, memoryStore, type Store } from "@liveplane/core/store";
import { activityLog } from "./activity-log.ts";
import { cloudWords, rewritingBy } from "./habits.ts";
import type { CloudWords, Landed, ResourceChanged, ResourceTruth } from "./judge/facts.ts";
import { forgetfulCloud, hidingCloud, movingCloud } from "./odd-clouds.ts";
import type { CloudVariation, DeclaredKind } from "./plan.ts";

/** A resource as a console shows it. */
export interface ResourceShown extends Omit<ResourceTruth, "resourceId"> {
  readonly outputs: Readonly<Record<string, Json>>;
}

/** What a person sees and does in a cloud. */
export interface Hand {
  /** Shows a resource as it is. */
  get(resourceId: string): Promise<ResourceShown | null>;
  /** Recreates it. */
  put(
    resourceId: string,
    resource: { readonly type: string; readonly tags: object; readonly parameters: object },
  ): Promise<unknown>;
  /** Replaces all its tags. */
  putTags(resourceId: string, tags: Readonly<Record<string, string>>): Promise<unknown>;
  /** Merges parameters into its own. */
  patchParameters(resourceId: string, patch: Readonly<Record<string, Json>>): Promise<unknown>;
  /** Deletes it. */
  delete(resourceId: string): Promise<unknown>;
}

/** One cloud in a simulation. */
export interface SimulatedPlace {
  readonly provider: string;
  /** The types of the declared components: two taggable ones, and one that isn't (`null`: all are). */
  readonly types: { readonly net: string; readonly app: string; readonly rule: string | null };
  readonly location: string;
  readonly scope: string;
  /** The scope of another tenant. @default the same */
  readonly otherScope?: string;
  readonly capabilities: CloudCapabilities;
  /** The facts of a type; the judge compares by them. */
  readonly factsOf: (type: string) => {
    readonly taggable: boolean;
    readonly sets: readonly string[];
    readonly writeOnly?: readonly string[];
    readonly boundBy?: BoundBy;
  };
  /** The places with its own forms. @default none */
  readonly words?: CloudWords;
  /** After what time its activity log shows what a person did. @default it has none */
  readonly logMs?: number;
  /** Its apps may have a list of items with names. @default false */
  readonly takesItems?: true;
  /** The value with any of these secrets that a resource was sent last. @default the apps were sent the newest, as long as all are declared with it */
  readonly sentWith?: (resourceId: string, secrets: ReadonlySet<string>) => string | null;
  /** The cloud as a process uses it. */
  open(user: CloudUser): Cloud;
  /** The cloud as a person uses it. */
  readonly hand: Hand;
  /** Registers a listener for each change by a person. */
  readonly onHand: (tell: (change: ResourceChanged) => void) => void;
}

/** A process that uses a cloud. */
export interface CloudUser {
  readonly runtime: Runtime;
  /** Called with each change made through it. */
  readonly onChange: (change: ResourceChanged) => void;
  /** Called with each accepted write that has ended, successfully or not. */
  readonly onLanding: (change: Landed) => void;
}

/** Which writes take time. */
export type SlownessOf = (
  provider: string,
  ...write: Parameters<NonNullable<SimulatedCloudOptions["slownessOf"]>>
) => ReturnType<NonNullable<SimulatedCloudOptions["slownessOf"]>>;

/** Creates the clouds of a simulation, anew for each one. */
export type NewPlaces = (
  variations: readonly CloudVariation[],
  runtime: Runtime,
  slownessOf?: SlownessOf,
) => readonly SimulatedPlace[];

type Named = Pick<SimulatedPlace, "types" | "location" | "scope" | "otherScope"> & {
  readonly provider: "provider-a" | "provider-b";
};

const named: readonly Named[] = [
  {
    provider: "provider-a",
    types: {
      net: "Microsoft.Network/virtualNetworks@2024-05-01",
      app: "Microsoft.Web/sites@2024-04-01",
      rule: "Microsoft.Network/virtualNetworks/subnets@2024-05-01",
    },
    location: "westeurope",
    scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
    otherScope: "3f2504e0-4f89-41d3-9a0c-0305e82c3303",
  },
  {
    provider: "provider-b",
    types: { net: "storage.v1.bucket", app: "run.v1.service", rule: "compute.v1.firewall" },
    location: "europe-west3",
    scope: "project-one",
    otherScope: "project-two",
  },
];

/** What else is known of simulated clouds. */
interface PlaceOptions {
  /** @default a new one */
  readonly store?: Store;
  /** How each cloud, by its position, stores what is written. @default by its habits */
  readonly rewrites?: (cloud: number) => NonNullable<SimulatedCloudOptions["rewrites"]>;
}

/** The simulated clouds: one like Azure, one like Google Cloud, with this seed's variations. */
export function simulatedPlaces(
  variations: readonly CloudVariation[],
  runtime: Runtime,
  slownessOf: SlownessOf = () => null,
  { store = memoryStore({ now: runtime.clock.now, values: "frozen" }), rewrites }: PlaceOptions = {},
): SimulatedPlace[] {
  return named.map((place, at): SimulatedPlace => {
    const { provider, types } = place;
    const {
      bindings,
      tagBindings,
      forgetsEtags,
      movesOperations,
      habits = [],
      answersEmpty = false,
      hidesPassword,
      logMs,
      longWords: _,
      ...variation
    } = variations[at] as CloudVariation;
    const sent = new Map<string, readonly string[]>();
    const succeededAt = new Map<string, number>();
    const options: SimulatedCloudOptions = {
      provider,
      store,
      runtime,
      ...variation,
      boundBy: bindingsOf(types, bindings, tagBindings),
      ...(habits.length > 0 && { rewrites: rewritingBy((id, members) => sent.set(id, members)) }),
      ...(rewrites && { rewrites: rewrites(at) }),
      slownessOf: (write) => slownessOf(provider, write),
    };
    let told: (change: ResourceChanged) => void = () => {};
    const withSent = <T extends SimulatedChange>(change: T) => {
      const members = sent.get(change.resourceId) ?? [];
      sent.delete(change.resourceId);
      return { ...change, sent: members, ...(isBegun(change) && { isBegun: true as const }) };
    };
    const log = logMs === undefined ? null : activityLog({ now: runtime.clock.now, logMs });
    const logging = <C extends Cloud>(opened: C): C =>
      log === null
        ? opened
        : { ...opened, capabilities: { ...opened.capabilities, recordLagMs: logMs }, whoChanged: log.whoChanged };
    const cloud = logging(
      simulatedCloud({
        ...options,
        onChange: (change) => told(log === null ? change : { ...change, logged: log.note(change) }),
      }),
    );
    const hiding = <C extends Cloud>(opened: C): Cloud =>
      hidesPassword ? hidingCloud(opened, types.app, ["password"]) : opened;
    return {
      ...place,
      takesItems: true,
      ...(logMs !== undefined && { logMs }),
      capabilities: cloud.capabilities,
      factsOf: hiding(cloud).resourceType,
      ...(habits.length > 0 && { words: cloudWords }),
      onHand: (tell) => {
        told = tell;
      },
      hand: simulatedConsole(cloud),
      open({ onChange, onLanding }) {
        const opened = simulatedCloud({
          ...options,
          onChange: (change) =>
            change.by === "cloud" ? onLanding(withSent({ ...change, ...endOf(change) })) : onChange(withSent(change)),
        });
        const shown = forgetsEtags ? forgetfulCloud(hiding(logging(opened))) : hiding(logging(opened));
        const moving = movesOperations ? movingCloud(shown, succeededAt, runtime.clock.monotonic) : shown;
        return answersEmpty ? withoutBodies(moving) : moving;
      },
    };
  });
}

/** Whether an update is accepted that changes parameters when it ends. */
function isBegun({ after }: SimulatedChange): boolean {
  const lands = after?.underway?.lands;
  return lands?.what === "changed" && lands.change.parameters.length > 0;
}

/** How an accepted write ends. */
function endOf({ before }: SimulatedChange): Pick<Landed, "failed" | "wasHidden"> {
  return { failed: before?.underway?.fails != null, wasHidden: before?.underway?.hidden === true };
}

/** A cloud whose writes are answered without the resource. */
function withoutBodies(cloud: Cloud): Cloud {
  return {
    ...cloud,
    async create(...call) {
      const { shown: _, ...created } = await cloud.create(...call);
      return created;
    },
    async update(...call) {
      const { shown: _, ...written } = await cloud.update(...call);
      return written;
    },
  };
}

/** How the writes of the declared types are bound, by the seed. */
function bindingsOf(
  types: SimulatedPlace["types"],
  bindings: CloudVariation["bindings"],
  tagBindings: CloudVariation["tagBindings"] = {},
): (type: string) => BoundBy | undefined {
  const kinds: readonly DeclaredKind[] = ["net", "app", "rule"];
  return (type) => {
    const kind = kinds.find((one) => types[one] === type);
    const bound = kind && bindings?.[kind];
    return bound && { create: "etag", properties: bound, tags: tagBindings[kind] ?? bound };
  };
}
