import { type NewPlaces, simulatedPlaces } from "@liveplane/simulator";
import { type Departures, departures } from "../descriptions/departures.ts";
import { awsPlace, type Snatched } from "./aws-place.ts";
import { azurePlace } from "./azure-place.ts";
import { doublePlace } from "./double-place.ts";
import { googlePlace } from "./google-place.ts";

/** The cloud whose adapter is run, over its double. */
export type Over = "aws" | "azure" | "google";

/** The clouds of a simulation, one of them a vendor's by its double; the other one is simulated. */
export function placesOver(over: Over, judged: Departures = departures(), snatched?: Snatched): NewPlaces {
  return (variations, runtime, slownessOf = () => null) => {
    const { now } = runtime.clock;
    return simulatedPlaces(variations, runtime, slownessOf).map((place, at) => {
      const variation = variations[at];
      if (variation === undefined) return place;
      const options = { now, slownessOf, lagMs: variation.lagMs };
      if (over === "azure" && place.provider === "provider-a")
        return doublePlace(azurePlace(variation, judged), options);
      if (over === "aws" && place.provider === "provider-b") return doublePlace(awsPlace(variation, snatched), options);
      if (over === "google" && place.provider === "provider-b")
        return doublePlace(googlePlace(variation, judged), options);
      return place;
    });
  };
}
