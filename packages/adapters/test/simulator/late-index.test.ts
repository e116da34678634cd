import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import { placesOver } from "./places.ts";

const variation = { conditionalWrites: true, choosesIds: false, identities: true, lagMs: 1_000 };
const call = { credentials: { kind: "workload", name: null, secret: null } } as const;

test.each([
  ["azure", "provider-a"],
  ["google", "provider-b"],
] as const)(
  "a double shows bulk reads what it has made, though nobody looked at it directly: %s",
  async (over, provider) => {
    const runtime = fakeRuntime();
    const slowly = () => ({ takesMs: 60_000, hidden: true });
    const place = placesOver(over)([variation, variation], runtime, slowly).find((one) => one.provider === provider);
    if (place === undefined) throw new RangeError("There is no such place.");
    const landed: string[] = [];
    const onLanding = ({ resourceId }: { readonly resourceId: string }) => void landed.push(resourceId);
    const cloud = place.open({ runtime, onChange: () => {}, onLanding });
    const target = { scope: place.scope, region: place.location, container: "group" };
    const type = place.types.app;
    const resourceId = cloud.resourceIdFor(type, "slow", target);
    const made = { type, name: "slow", resourceId, target, parameters: {}, tags: { team: "blue" }, intent: "slow" };
    const ref = { type, resourceId: (await cloud.create(made, call)).resourceId };
    // One alone may be read directly.
    const other = { type, resourceId: cloud.resourceIdFor(type, "other", target) ?? "" };
    const bulk = async () => (await cloud.readMany([ref, other], call))[0]?.state;
    await runtime.advance(59_000);
    expect(await bulk()).toBe("missing");
    await runtime.advance(1_000);
    expect(await bulk()).toBe("missing");
    expect(landed).toEqual([ref.resourceId]);
    await runtime.advance(1_001);
    expect(await bulk()).toBe("present");
  },
);
