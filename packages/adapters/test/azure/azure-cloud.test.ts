import { cloudConformance } from "@liveplane/core/testing";
import { describe, expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { azureUnderTest, typesUnderTest } from "./azure-under-test.ts";

const judged = departures();

const ways = [
  { tells: "state", hides: false },
  { tells: "state", hides: true },
  { tells: "result", hides: true },
] as const;

describe.each(typesUnderTest)("Azure, $type", (type) => {
  cloudConformance(test, () => azureUnderTest(type, { judged }));
});

describe.each(typesUnderTest.filter(({ isSlow }) => isSlow))("Azure at its leisure, $type", (type) => {
  describe.each(ways)("told of at the operation's $tells, hidden: $hides", (told) => {
    cloudConformance(test, () => azureUnderTest(type, { judged, told }));
  });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs from what Microsoft publishes in nothing", () => expect(judged.list()).toEqual([]));
