import { cloudConformance } from "@liveplane/core/testing";
import { describe, expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { bindings, changeable, googleUnderTest } from "./google-world.ts";

const judged = departures();
/** Nothing of these changes but their labels. */
const withoutChange = new Set(["compute.v1.address"]);

const types = Object.keys({ ...changeable, ...bindings }).filter((type) => !withoutChange.has(type));

describe.each(types)("Google on loopback, %s", (type) => cloudConformance(test, () => googleUnderTest(type, judged)));

// Stands last: what the laws above sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
