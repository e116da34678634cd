import type { Api } from "@liveplane/client";
import type { useMay } from "../app/own-rights.ts";

/** The name of an environment, in its three parts. */
export type EnvironmentPlace = Parameters<Api["environments"]["get"]>[0];

/** What a part of an environment's page is given. */
export interface EnvironmentPartProps {
  readonly place: EnvironmentPlace;
  /** What whoever is signed in may do. */
  readonly may: ReturnType<typeof useMay>;
}

/** A cloud that an environment is prepared in. */
export type InitializedCloud = "provider-a" | "provider-b";
