import type { Reading, SeenResource } from "./cloud.ts";

/** The resource that a reading returned; `null` if it tells nothing about its tags. */
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
