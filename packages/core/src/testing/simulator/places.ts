import { simulatedCloud, simulatedConsole } from "../../clouds/index.ts";
import type { Cloud, CloudCapabilities } from "../../ports/cloud.ts";
import { memoryStore } from "../../ports/memory-store.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Json, Store } from "../../ports/store.ts";
import type { ResourceChanged, ResourceTruth } from "../judge/facts.ts";
import type { CloudVariation } from "./plan.ts";

/** A resource as a console shows it. */
export interface ResourceShown extends Omit<ResourceTruth, "resourceId"> {
  readonly outputs: Readonly<Record<string, Json>>;
}

/** What a person does to a cloud by hand, and sees of it. */
export interface Hand {
  /** Shows a resource as it is. */
  get(resourceId: string): Promise<ResourceShown | null>;
  /** Makes it anew. */
  put(
    resourceId: string,
    resource: { readonly type: string; readonly tags: object; readonly parameters: object },
  ): Promise<unknown>;
  /** Replaces all its tags. */
  putTags(resourceId: string, tags: Readonly<Record<string, string>>): Promise<unknown>;
  /** Merges parameters into its own. */
  patchParameters(resourceId: string, patch: Readonly<Record<string, Json>>): Promise<unknown>;
  /** Takes it away. */
  delete(resourceId: string): Promise<unknown>;
}

/** One cloud in a simulation. */
export interface SimulatedPlace {
  readonly provider: string;
  /** Types for what is declared: two that carry tags, and one that doesn't (`null`: all do). */
  readonly types: { readonly net: string; readonly app: string; readonly rule: string | null };
  readonly location: string;
  readonly scope: string;
  readonly capabilities: CloudCapabilities;
  /** What is known of a type; the judge compares by it. */
  readonly factsOf: (type: string) => { readonly taggable: boolean; readonly sets: readonly string[] };
  /** The cloud as a process reaches it. Told of each change that is made through it. */
  open(user: { readonly runtime: Runtime; readonly onChange: (change: ResourceChanged) => void }): Cloud;
  /** What a person reaches it by. */
  readonly hand: Hand;
  /** Has somebody told of each change that a person makes. */
  readonly onHand: (tell: (change: ResourceChanged) => void) => void;
}

/** Makes the clouds of a simulation. Called anew for each, so that nothing is left of the one before. */
export type NewPlaces = (variations: readonly CloudVariation[], runtime: Runtime) => readonly SimulatedPlace[];

/** The clouds that are simulated: one like Azure, one like Google Cloud, with what this seed lets them do. */
export function simulatedPlaces(
  variations: readonly CloudVariation[],
  runtime: Runtime,
  store: Store = memoryStore({ now: runtime.clock.now, values: "frozen" }),
): SimulatedPlace[] {
  const place = (
    provider: "provider-a" | "provider-b",
    at: number,
  ): Omit<SimulatedPlace, "types" | "location" | "scope"> => {
    const variation = variations[at] as CloudVariation;
    const options = { provider, store, runtime, ...variation };
    let told: (change: ResourceChanged) => void = () => {};
    const cloud = simulatedCloud({ ...options, onChange: (change) => told(change) });
    return {
      provider,
      capabilities: cloud.capabilities,
      factsOf: cloud.resourceType,
      onHand: (tell) => {
        told = tell;
      },
      hand: simulatedConsole(cloud),
      open: (user) =>
        simulatedCloud({ ...options, onChange: (change) => void (change.by === "caller" && user.onChange(change)) }),
    };
  };
  return [
    {
      ...place("provider-a", 0),
      types: {
        net: "Microsoft.Network/virtualNetworks@2024-05-01",
        app: "Microsoft.Web/sites@2024-04-01",
        rule: "Microsoft.Network/virtualNetworks/subnets@2024-05-01",
      },
      location: "westeurope",
      scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
    },
    {
      ...place("provider-b", 1),
      types: { net: "storage.v1.bucket", app: "run.v1.service", rule: "compute.v1.firewall" },
      location: "europe-west3",
      scope: "project-one",
    },
  ];
}
