import { expect, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { awsPlaceOf, readAwsPlaces } from "../../src/configuration/aws-places.ts";
import { readConfig } from "../../src/configuration/config.ts";
import { openPorts } from "../../src/ports.ts";

const ownerId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const role = "arn:aws:iam::111122223333:role/liveplane";
const entry = { environment: `Personal/${ownerId}/production`, account: "111122223333", region: "eu-central-1" };
const environment = { type: "Personal", ownerId, shortName: "production" } as const;

test("an environment has the place that the list names, with its role", () => {
  const sessionTags = { environment: "production" };
  const read = readAwsPlaces(JSON.stringify([{ ...entry, role, externalId: "x1", sessionTags }]));
  const places = "value" in read ? read.value : [];
  const assumed = { arn: role, externalId: "x1", sessionTags };
  const place = { account: "111122223333", region: "eu-central-1", role: assumed };
  expect(awsPlaceOf(places, environment)).toMatchObject(place);
  expect(awsPlaceOf(places, { ...environment, shortName: "dev" })).toBeUndefined();
});

test.each([
  { ...entry, account: "1111" },
  { ...entry, region: "eu-central-1.attacker.invalid" },
  { ...entry, environment: "production" },
  { ...entry, role: "arn:aws:iam::999900001111:role/liveplane" },
  { ...entry, externalId: "without a role" },
  { ...entry, sessionTags: { without: "a role" } },
  { ...entry, role, sessionTags: { count: 1 } },
  { ...entry, zone: "a" },
])("what names no place is refused: %j", (wrong) => {
  expect(readAwsPlaces(JSON.stringify([wrong]))).toHaveProperty("reason");
});

test("simulated clouds and AWS exclude each other", () => {
  expect(() => readConfig({ environment: { LIVEPLANE_AWS: JSON.stringify([entry]) } })).toThrow(
    /LIVEPLANE_AWS needs LIVEPLANE_SIMULATED_CLOUDS=false/,
  );
});

test("the server has AWS where an environment is placed there, and only its own identity acts in that account", async () => {
  const given = {
    LIVEPLANE_SIMULATED_CLOUDS: "off",
    LIVEPLANE_AWS: JSON.stringify([entry]),
    LIVEPLANE_DATA: emptyFolder(),
  };
  const { clouds } = await openPorts(readConfig({ environment: given }));
  expect(clouds?.adapters?.map(({ provider }) => provider)).toEqual(["provider-a", "provider-b", "aws"]);
  expect(await clouds?.targetFor?.(environment, "aws")).toEqual({ scope: "111122223333", region: "eu-central-1" });
  expect(await clouds?.targetFor?.(environment, "provider-a")).toBeNull();
  const place = { environment, provider: "aws", scope: "111122223333" };
  expect(clouds?.hostIdentityFor?.(place)).toBe(true);
  expect(clouds?.hostIdentityFor?.({ ...place, scope: "999900001111" })).toBe(false);
});
