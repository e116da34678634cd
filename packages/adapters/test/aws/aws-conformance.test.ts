import { cloudConformance } from "@liveplane/core/testing";
import { describe, test } from "vitest";
import { awsUnderTest, changeable } from "./aws-under-test.ts";

describe.each(Object.keys(changeable))("AWS, %s", (type) => cloudConformance(test, () => awsUnderTest(type)));
