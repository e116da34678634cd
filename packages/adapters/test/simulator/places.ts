import { type NewPlaces, simulatedPlaces } from "@liveplane/core/testing";
import type { Departures } from "../descriptions/departures.ts";
import { azurePlace } from "./azure-place.ts";
import { googlePlace } from "./google-place.ts";

/** The cloud whose adapter is run, over its double. */
export type Over = "azure" | "google";

/** The clouds of a simulation, one of them a vendor's by its double; the other one is simulated. */
export function placesOver(over: Over, judged?: Departures): NewPlaces {
  return (variations, runtime, slownessOf) => {
    const { now } = runtime.clock;
    return simulatedPlaces(variations, runtime, slownessOf).map((place, at) => {
      const variation = variations[at];
      if (variation === undefined) return place;
      if (over === "azure" && place.provider === "provider-a") return azurePlace(variation, now, judged);
      return over === "google" && place.provider === "provider-b" ? googlePlace(variation, now, judged) : place;
    });
  };
}
