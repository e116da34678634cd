import type { JsonObject } from "@liveplane/core/clouds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { type AwsMembers, awsMistakes } from "../../src/aws/aws-mistakes.ts";
import tables from "../../tables/aws-members.json" with { type: "json" };
import { goodKey } from "./aws-double.ts";
import { plausible, taggableTypes } from "./aws-models.ts";
import { awsWorld, placedIn } from "./aws-under-test.ts";

const members = tables as unknown as Readonly<Record<string, AwsMembers>>;
const bucket = "AWS::S3::Bucket";
const mistakes = (type: string, parameters: JsonObject) => awsMistakes(type, parameters, members);

describe("what is misspelled in a declaration", () => {
  test.each<[string, JsonObject, string, string]>([
    ["a property", { VersioningConfig: {}, BucketNmae: "a" }, "/BucketNmae", "BucketName"],
    ["a property in another case", { bucketName: "a" }, "/bucketName", "BucketName"],
    [
      "a property inside another",
      { VersioningConfiguration: { Statsu: "Enabled" } },
      "/VersioningConfiguration/Statsu",
      "Status",
    ],
    ["a word", { VersioningConfiguration: { Status: "enabled" } }, "/VersioningConfiguration/Status", "Enabled"],
    [
      "a property in a list",
      { LifecycleConfiguration: { Rules: [{ Status: "Enabled" }, { Statu: "Enabled" }] } },
      "/LifecycleConfiguration/Rules/1/Statu",
      "Status",
    ],
  ])("%s is refused with what was probably meant", (_, parameters, pointer, near) => {
    expect(mistakes(bucket, parameters)).toEqual([{ pointer, detail: expect.stringContaining(near) }]);
  });

  test.each<[string, JsonObject]>([
    ["a property that resembles no other, because AWS may have added it", { ReplicaPlacement: {} }],
    ["a word that resembles no other", { VersioningConfiguration: { Status: "Frozen" } }],
    [
      "references, whose values aren't known yet",
      { VersioningConfiguration: { $output: "a#b" }, BucketName: { $secret: "c" } },
    ],
    ["tags, which are declared as a map", { Tags: { Bucketname: "x" } }],
  ])("not %s", (_, parameters) => {
    expect(mistakes(bucket, parameters)).toEqual([]);
  });

  test("nothing is said of types that AWS doesn't describe", () => {
    expect(mistakes("AWS::S3::Buckett", { BucketNmae: "a" })).toEqual([]);
  });

  test("nothing that AWS describes counts as misspelled, and two letters that changed places do", () => {
    // The texts that are drawn aren't among AWS's words.
    const unknown = (type: string) =>
      mistakes(type, plausible(type)).filter(({ detail }) => detail.includes("property"));
    for (const type of taggableTypes) expect({ type, found: unknown(type) }).toEqual({ type, found: [] });
    const long = Object.entries(members).flatMap(([type, own]) =>
      type.includes("::")
        ? Object.keys(own).flatMap((name) => (name.length > 7 && name !== "Tags" ? [[type, name] as const] : []))
        : [],
    );
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(5), ([type, name], at) => {
        const typed = `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
        if (Object.hasOwn(members[type] ?? {}, typed)) return;
        const [found] = mistakes(type, { [typed]: "x" });
        expect(found?.detail).toContain(name);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a deploy", () => {
  const declared = (parameters: JsonObject) =>
    ({
      name: "shop",
      environmentId,
      components: [{ path: "app", provider: "aws", type: "AWS::SQS::Queue", parameters }],
    }) as never;
  const credentials = async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret });
  const world = (spelling?: "accept") => {
    const { open, target } = awsWorld();
    return overrideWorld({
      clouds: (others) => [...others, placedIn(open({ credentials, ...(spelling && { spelling }) }), target)],
    });
  };

  test("names the place of a misspelled property, for new components and changed parameters", async () => {
    const here = world();
    const refusal = {
      code: "InvalidDeclaration",
      details: { errors: [{ pointer: "#/components/0/parameters/DelaySecond" }] },
    };
    await expect(here.create(declared({ DelaySecond: 30 }))).rejects.toMatchObject(refusal);
    const made = await here.passing(here.create(declared({ DelaySeconds: 30 })));
    await expect(here.deploy(made.livesystemId, declared({ DelaySecond: 20 }))).rejects.toMatchObject(refusal);
    await expect(here.passing(here.deploy(made.livesystemId, declared({ DelaySeconds: 20 })))).resolves.toMatchObject({
      status: "Succeeded",
    });
  });

  test("leaves the judgement to AWS if the host says so", async () => {
    const here = world("accept");
    const made = await here.passing(here.create(declared({ DelaySecond: 30 })));
    expect(JSON.stringify(made)).toContain("extraneous key");
  });
});
