import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { furtherActions, neededActions } from "../../../adapters/src/aws/aws-rights.ts";
import kinds from "../../../adapters/tables/aws.json" with { type: "json" };
import { awsPrefix } from "../../src/cli/aws-prefixes.ts";
import { runCli } from "../../src/cli/cli.ts";
import { adapterActions } from "../../src/cli/commands/aws-policy.ts";
import type { CliHost } from "../../src/cli/host.ts";

async function policy(...args: string[]) {
  const [out, said]: [string[], string[]] = [[], []];
  const host = {
    args: ["aws", "policy", ...args],
    print: (lines: string | readonly string[]) => out.push([lines].flat().join("\n")),
    say: (lines: string | readonly string[]) => said.push([lines].flat().join("\n")),
    signal: new AbortController().signal,
  } as unknown as CliHost;
  const code = await runCli(host);
  const statements =
    out.length === 0 ? [] : (JSON.parse(out.join("\n")) as { Statement: { Action: string[] }[] }).Statement;
  return { code, actions: statements.map(({ Action }) => Action), said: said.join("\n") };
}

/** A folder with files. */
function filled(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-schemas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test("the policy for types allows what the adapter calls, and the services' actions, and says that this is more than needed", async () => {
  const { code, actions, said } = await policy("--types", "AWS::SQS::Queue,AWS::StepFunctions::StateMachine");
  expect(code).toBe(0);
  expect(actions).toEqual([adapterActions, ["sqs:*", "states:*"]]);
  expect(said).toContain("--type-name AWS::SQS::Queue");
});

test("with the types' schemas it allows just what their handlers need", async () => {
  const handlers = {
    create: { permissions: ["sqs:CreateQueue", "iam:PassRole"] },
    read: { permissions: ["sqs:GetQueueUrl"] },
  };
  const folder = filled({
    "aws-sqs-queue.json": JSON.stringify({ handlers }),
    "AWS::SNS::Topic.json": JSON.stringify({ handlers: { list: { permissions: ["sns:ListTopics"] } } }),
    "aws-kms-key.json": "{}",
    "shop.yaml": `name: shop\ncomponents:\n  - { path: a, type: "AWS::SQS::Queue" }\n  - { path: b, type: "AWS::SNS::Topic" }\n  - { path: c, type: storage.v1.bucket }\n`,
  });
  const { actions, said } = await policy("-f", join(folder, "shop.yaml"), "--schemas", folder);
  expect(actions).toEqual([adapterActions, ["iam:PassRole", "sns:ListTopics", "sqs:CreateQueue", "sqs:GetQueueUrl"]]);
  expect(said).toBe("Limit iam:PassRole to the roles that your resources use.");
  for (const [types, problem] of [
    ["AWS::KMS::Key", "has no handlers"],
    ["AWS::S3::Bucket", "no schema of AWS::S3::Bucket"],
    ["Queue", "isn't a type"],
    ["", "Usage"],
  ] as const)
    expect(await policy("--types", types, "--schemas", folder)).toMatchObject({
      code: 2,
      said: expect.stringContaining(problem),
    });
});

test("the guide's policy is the part that the adapter calls", () => {
  const file = new URL("../../../../docs/how-to/aws-policy.json", import.meta.url);
  const { Statement } = JSON.parse(readFileSync(file, "utf8")) as { Statement: { Action: string[] }[] };
  expect(Statement.map(({ Action }) => Action)).toEqual([adapterActions]);
});

test("the prefixes are those of the ARNs that AWS publishes, except for services with several", () => {
  const services = new Map<string, Set<string>>();
  for (const [type, { arn }] of Object.entries(kinds as Record<string, { arn?: string }>)) {
    const service = type.split("::")[1] ?? "";
    if (arn !== undefined) services.set(service, (services.get(service) ?? new Set()).add(arn.split(":")[2] ?? ""));
  }
  const differing = [...services].filter(([service, found]) => !found.has(awsPrefix(`AWS::${service}::Any`)));
  // Their ARNs have another word than their actions.
  expect(differing.map(([service]) => service)).toEqual(["ServiceCatalog"]);
  expect([...services.values()].filter(({ size }) => size > 1).length).toBeLessThan(10);
  expect(awsPrefix("AWS::EC2::VPC")).toBe("ec2");
});

test("the policy has the rights that the adapter asks IAM about", () => {
  expect(adapterActions).toEqual([...neededActions, ...furtherActions].sort());
});
