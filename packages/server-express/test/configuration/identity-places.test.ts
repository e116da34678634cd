import { expect, test } from "vitest";
import { readConfig } from "../../src/configuration/config.ts";
import { readIdentityPlaces, servesPlace } from "../../src/configuration/identity-places.ts";

const ownerId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const entry = { environment: `Personal/${ownerId}/production`, provider: "provider-a", target: "SUB-one" };
const place = {
  environment: { type: "Personal", ownerId, shortName: "production" },
  provider: "provider-a",
  scope: "sub-ONE",
} as const;

test("the server's own identity serves the places that are listed, and no other", () => {
  const read = readIdentityPlaces(JSON.stringify([entry]));
  const places = "value" in read ? read.value : [];
  expect(servesPlace(places, place)).toBe(true);
  const others = [
    { ...place, scope: "another" },
    { ...place, provider: "provider-b" },
    { ...place, environment: { ...place.environment, shortName: "dev" } },
    { ...place, environment: { ...place.environment, type: "Organizational" as const } },
  ];
  for (const other of others) expect(servesPlace(places, other)).toBe(false);
  expect(servesPlace([], place)).toBe(false);
});

test.each([
  "",
  "{}",
  "[1]",
  JSON.stringify([{ ...entry, provider: "elsewhere" }]),
  JSON.stringify([{ ...entry, environment: "production" }]),
  JSON.stringify([{ ...entry, target: "" }]),
  JSON.stringify([{ ...entry, tenant: "x" }]),
])("what lists no places is refused: %s", (text) => {
  expect(readIdentityPlaces(text)).toHaveProperty("reason");
});

test("a wrong list and a wrong identity stop the start, by name", () => {
  const environment = { LIVEPLANE_HOST_IDENTITY_FOR: "[1]", LIVEPLANE_AZURE_CREDENTIALS: "secret" };
  expect(() => readConfig({ environment })).toThrow(/LIVEPLANE_AZURE_CREDENTIALS[\s\S]*LIVEPLANE_HOST_IDENTITY_FOR/);
});
