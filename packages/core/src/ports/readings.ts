import type { Reading, SeenResource } from "./cloud.ts";

/** What a reading returned of the resource; `null`: it tells nothing of its tags. */
export function resourceOf(reading: Reading): SeenResource | null {
  switch (reading.state) {
    case "present":
      return reading;
    case "working":
    case "failed":
      return reading.resource ?? null;
    case "missing":
    case "unreadable":
      return null;
  }
}
