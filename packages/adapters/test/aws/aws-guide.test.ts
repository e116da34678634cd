import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { arnOf } from "../../src/aws/aws-arns.ts";
import { awsIdOf, placedAws } from "../../src/aws/aws-ids.ts";
import { isItsArn } from "../../src/aws/aws-kinds.ts";
import { listedTypes } from "../../src/aws/aws-listed-types.ts";
import { awsType } from "../../src/aws/aws-types.ts";
import { awsTagsUnread } from "../../tables/unechoed.ts";
import { guideClouds } from "./aws-guide.ts";
import { awsKinds, taggableTypes } from "./aws-models.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../../../docs/how-to", name), "utf8");
const guide = read("aws.md");

test("the guide's numbers are those of the tables", () => {
  const fixed = taggableTypes.filter((type) => awsKinds[type]?.tags?.fixed);
  const count = (types: readonly string[]) => types.length.toLocaleString("en-US");
  expect(guide).toContain(`knows ${count(Object.keys(awsKinds))} types, of which ${count(taggableTypes)} carry tags`);
  expect(guide).toContain(`- ${fixed.length} types can't change their tags`);
  for (const type of awsTagsUnread) {
    expect(guide).toContain(`\`${type}\``);
    expect(awsType(type).taggable).toBe(false);
  }
  const place = { account: "111122223333", region: "eu-central-1" };
  const withoutArn = taggableTypes.filter((type) => {
    const resourceId = awsIdOf(place, type, (awsKinds[type]?.id ?? []).map(() => "x").join("|"));
    const shown = Object.fromEntries((awsKinds[type]?.readOnly ?? []).map((pointer) => [pointer.slice(1), "shown"]));
    return !isItsArn({ type, id: [], ...awsKinds[type] }) && arnOf(placedAws({ type, resourceId }), shown) === null;
  });
  expect(guide).toContain(`- ${withoutArn.length} types whose ARN AWS doesn't publish`);
  expect(guide).toContain(`- ${listedTypes.length} common types are listed one by one`);
  const apart = taggableTypes.filter((type) => awsType(type).boundBy?.tags === "mask");
  expect(apart).toEqual(["AWS::Lambda::Function"]);
});

test("the guide's policy names each right once, in order", () => {
  const { Statement } = JSON.parse(read("aws-policy.json")) as { Statement: { Action: string[] }[] };
  const rights = Statement.flatMap(({ Action }) => Action);
  expect(rights).toEqual([...new Set(rights)].sort());
  expect(rights).toContain("cloudformation:UpdateResource");
});

test("the guide's host has one account for each environment", async () => {
  const environment = { type: "Personal", ownerId: "ada", shortName: "production" } as const;
  const target = await guideClouds.targetFor?.(environment, "aws");
  expect(target).toEqual({ scope: "111122223333", region: "eu-central-1" });
  const place = { environment, provider: "aws", scope: "111122223333" };
  expect(guideClouds.hostIdentityFor?.(place)).toBe(true);
  expect(guideClouds.hostIdentityFor?.({ ...place, scope: "999900001111" })).toBe(false);
  expect(guideClouds.adapters.map(({ provider }) => provider)).toEqual(["aws"]);
});
