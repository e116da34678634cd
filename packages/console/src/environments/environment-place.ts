import type { Api } from "@liveplane/client";
import type { useMay } from "../app/own-rights.ts";
import type { StateTone } from "../parts/state-word.tsx";

/** The name of an environment, in its three parts. */
export type EnvironmentPlace = Parameters<Api["environments"]["get"]>[0];

type EnvironmentStatus = Awaited<ReturnType<Api["environments"]["get"]>>["status"];

/** How an environment's state is to be taken. */
export const environmentTones: Readonly<Record<EnvironmentStatus, StateTone>> = {
  Registered: "calm",
  Initializing: "busy",
  Active: "good",
  Failed: "bad",
  Deleted: "calm",
};

/** How the state of a run, or of one of its steps, is to be taken. */
export const runTones: Readonly<Record<"NotStarted" | "InProgress" | "Completed" | "Failed" | "Cancelled", StateTone>> =
  { NotStarted: "calm", InProgress: "busy", Completed: "good", Failed: "bad", Cancelled: "calm" };

/** What a part of an environment's page is given. */
export interface EnvironmentPartProps {
  readonly place: EnvironmentPlace;
  /** What anyone who is signed in may do. */
  readonly may: ReturnType<typeof useMay>;
}

export type InitializedCloud = "provider-a" | "provider-b";
