import { expect, test } from "vitest";
import { lifecyclePage } from "../builders/lifecycle-page.ts";

test("the guide shows the table that the agent decides by", async () => {
  await expect(lifecyclePage()).toMatchFileSnapshot("../../../../docs/reference/lifecycle.md");
});
