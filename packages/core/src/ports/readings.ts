import type { Reading, SeenResource } from "./cloud.ts";

/** What a bulk read says of a resource that it can't tell about. The agent reads it directly, in its turn. */
export const unread: Extract<Reading, { state: "unreadable" }> = { state: "unreadable", reason: "Unread" };

/** Whether a bulk read left a resource to a direct read. */
export function isLeftUnread(reading: Reading): boolean {
  return reading.state === "unreadable" && reading.reason === unread.reason;
}

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

/** The resource, unless a write of it is running. */
export function settledIn(reading: Reading): SeenResource | null {
  return reading.state === "working" ? null : resourceOf(reading);
}
