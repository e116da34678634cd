import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../usage-error.ts";
import { takeFlags } from "../arguments.ts";
import { awsPrefix } from "../aws-prefixes.ts";
import { exitCodes } from "../command.ts";
import { openDeclaration } from "../declaration-file.ts";
import type { CliHost } from "../host.ts";

/** What the adapter itself calls. */
export const adapterActions: readonly string[] = [
  "account:ListRegions",
  "cloudformation:CreateResource",
  "cloudformation:DeleteResource",
  "cloudformation:GetResource",
  "cloudformation:GetResourceRequestStatus",
  "cloudformation:ListResources",
  "cloudformation:UpdateResource",
  "cloudtrail:LookupEvents",
  "tag:GetResources",
  "tag:TagResources",
  "tag:UntagResources",
];

const usage = "Usage: liveplane aws policy --types <type,…> | -f <file> [--schemas <folder>]";

/** Prints the IAM policy that a role needs for types of AWS. Asks no service. */
export async function awsPolicy(host: CliHost, args: readonly string[]): Promise<number> {
  const flags = {
    types: { type: "string" },
    file: { type: "string", short: "f" },
    schemas: { type: "string" },
  } as const;
  const given = await takeFlags(args, flags);
  const types = await typesIn(host, given.text("types"), given.text("file"));
  if (given.words.length > 0 || types.length === 0) throw new UsageError(usage);
  const folder = given.text("schemas");
  const found = folder === undefined ? null : await Promise.all(types.map((type) => handlerActions(folder, type)));
  const behind = found?.flat() ?? types.map((type) => `${awsPrefix(type)}:*`);
  const statements = [adapterActions, [...new Set(behind)].sort()].map((Action) => ({
    Effect: "Allow",
    Action,
    Resource: "*",
  }));
  host.print(JSON.stringify({ Version: "2012-10-17", Statement: statements }, null, 2).split("\n"));
  if (found === null) host.say(widerThanNeeded(types[0] ?? ""));
  else if (behind.includes("iam:PassRole")) host.say("Limit iam:PassRole to the roles that your resources use.");
  return exitCodes.done;
}

function widerThanNeeded(type: string): string[] {
  return [
    "This allows every action of the services, because AWS publishes the rights of a type only in its schema. For the least rights, save the schemas:",
    `  aws cloudformation describe-type --type RESOURCE --type-name ${type} --query Schema --output text > schemas/${fileNames(type)[0]}`,
    "and add --schemas schemas.",
  ];
}

/** The types of AWS that are named, or that a file declares. */
async function typesIn(host: CliHost, named: string | undefined, file: string | undefined): Promise<readonly string[]> {
  const { definition } = file === undefined ? { definition: null } : await openDeclaration(host, file);
  const components: readonly { readonly type?: unknown }[] = Array.isArray(definition?.components)
    ? definition.components
    : [];
  const declared = components.map(({ type }) => String(type)).filter((type) => type.startsWith("AWS::"));
  const given = (named ?? "").split(",").map((type) => type.trim());
  const types = [...new Set([...given, ...declared])].filter((type) => type !== "").sort();
  const wrong = types.find((type) => !/^\w+::\w+::\w+$/.test(type));
  if (wrong !== undefined) throw new UsageError(`${wrong} isn't a type. A type is like AWS::SQS::Queue.`);
  return types;
}

/** The rights that a type's handlers need, by its schema: for creating, reading, updating, deleting and listing. */
async function handlerActions(folder: string, type: string): Promise<readonly string[]> {
  for (const name of fileNames(type)) {
    const text = await readFile(join(folder, name), "utf8").catch(() => null);
    if (text !== null) return actionsIn(text, name);
  }
  throw new UsageError(`${folder} has no schema of ${type}: neither ${fileNames(type).join(" nor ")}.`);
}

function actionsIn(text: string, name: string): readonly string[] {
  try {
    const { handlers } = JSON.parse(text) as { handlers: Record<string, { permissions?: string[] }> };
    return Object.values(handlers).flatMap(({ permissions = [] }) => permissions);
  } catch (cause) {
    throw new UsageError(`${name} isn't the schema of a type: it has no handlers.`, { cause });
  }
}

/** The name of a schema in AWS's archive of all schemas, and that of the type. */
function fileNames(type: string): readonly [string, string] {
  return [`${type.toLowerCase().replaceAll("::", "-")}.json`, `${type}.json`];
}
