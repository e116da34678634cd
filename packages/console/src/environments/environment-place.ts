import type { Api } from "@liveplane/client";
import type { useMay } from "../app/own-rights.ts";
import type { StateTone } from "../parts/state-word.tsx";

/** The name of an environment, in its three parts. */
export type EnvironmentPlace = Parameters<Api["environments"]["get"]>[0];

/** The tone of a run's state, or of one of its steps. */
export const runTones: Readonly<Record<"NotStarted" | "InProgress" | "Completed" | "Failed" | "Cancelled", StateTone>> =
  { NotStarted: "calm", InProgress: "busy", Completed: "good", Failed: "bad", Cancelled: "calm" };

/** The props of an environment page's parts. */
export interface EnvironmentPartProps {
  readonly place: EnvironmentPlace;
  /** What the signed-in person may do. */
  readonly may: ReturnType<typeof useMay>;
}

export type InitializedCloud = "provider-a" | "provider-b";
