import type { ExistingResource, Page } from "@liveplane/core/contract";
import { stringify } from "yaml";
import { type Command, type CommandCall, exitCodes } from "../command.ts";
import { schemaLine } from "../declaration-file.ts";
import { environmentNamed } from "../find-component.ts";
import { UsageError } from "../host.ts";
import { readJsonInput } from "../input.ts";
import { countOf, tableOf } from "../tables.ts";
import { terraformResources, withPaths } from "../terraform-state.ts";

const where = {
  environment: { type: "string" },
  provider: { type: "string" },
  scope: { type: "string" },
  select: { type: "string" },
} as const;
const flagWords = "--environment <Type/owner/name> --provider <name> [--scope <id>] [--select <types>]";

/** Lists what an environment's cloud holds, whoever created it. */
export const discover: Command = {
  takes: flagWords,
  summary: "lists the resources that exist in an environment's resource group or project, and what manages each",
  flags: where,
  words: [0, 0],
  async run(call) {
    const { host, given } = call;
    const found = await foundBy(call);
    if (given.isSet("json")) {
      for (const one of found) host.print(JSON.stringify(one));
      return exitCodes.done;
    }
    const rows = found.map(({ id, type, location, managedBy, declarable }) => {
      const unknown = declarable ? "–" : "unknown type";
      return { type, location, "managed by": managedBy === null ? unknown : managerIn(managedBy), id };
    });
    if (rows.length > 0) host.print(tableOf(rows, host.columns));
    host.say(`${countOf(found.length, "resource")}: ${summaryOf(found)}.`);
    return exitCodes.done;
  },
};

/** Writes a declaration of existing resources. */
export const declare: Command = {
  takes: `${flagWords} [--name <name>] [--from-terraform <file>]`,
  summary: "prints a declaration that adopts existing resources as they are",
  flags: { ...where, name: { type: "string" }, "from-terraform": { type: "string" } },
  words: [0, 0],
  async run(call) {
    const { host, api, given } = call;
    const environment = await environmentIn(call);
    const state = given.text("from-terraform");
    const named = state === undefined ? null : terraformResources(await readJsonInput(host, state));
    const resourceIds = named === null ? await declarableIds(call) : [...named.keys()];
    if (resourceIds.length === 0) throw new UsageError("There is nothing to declare.");
    if (resourceIds.length > mostResources)
      throw new UsageError(`At most ${mostResources} resources can be declared at once. Choose fewer with --select.`);
    const answer = await api.environments.resources.declare(environment, { resourceIds }, { signal: host.signal });
    const { components, ...definition } = named === null ? answer.definition : withPaths(answer.definition, named);
    const name = given.text("name") ?? definition.name;
    const declared = { ...definition, name, components };
    if (given.isSet("json")) host.print(JSON.stringify(declared));
    else host.print([schemaLine, ...stringify(declared, { lineWidth: 0 }).trimEnd().split("\n")]);
    for (const { resourceId, detail } of answer.warnings) host.say(`Warning: ${resourceId}: ${detail}`);
    for (const { shortName, resourceId, pointer } of answer.secrets)
      host.say(`Store the secret ${shortName} in the environment: the value at ${pointer} of ${resourceId}.`);
    return exitCodes.done;
  },
};

const mostResources = 1000;

async function declarableIds(call: CommandCall): Promise<string[]> {
  const found = await foundBy(call);
  call.host.say(`${countOf(found.length, "resource")}: ${summaryOf(found)}.`);
  return found.filter(isFree).map(({ id }) => id);
}

async function foundBy(call: CommandCall): Promise<ExistingResource[]> {
  const { host, api, given } = call;
  const provider = given.text("provider");
  if (provider === undefined) throw new UsageError("Name the cloud with --provider, such as provider-a.");
  const [scope, select] = [given.text("scope"), given.text("select")];
  const query = { provider, limit: 200, ...(scope && { scope }), ...(select && { type: select.split(",") }) };
  const found: ExistingResource[] = [];
  const environment = await environmentIn(call);
  for (let cursor: string | null = null; ; ) {
    const asked = { ...query, ...(cursor !== null && { cursor }), signal: host.signal };
    const page: Page<ExistingResource> = await api.environments.resources.list(environment, asked);
    found.push(...page.items);
    for (const warning of page.warnings ?? []) host.say(`Warning: ${warning}`);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

function environmentIn({ api, given }: CommandCall) {
  const word = given.text("environment");
  if (word === undefined) throw new UsageError("Name the environment with --environment Type/owner/name.");
  return environmentNamed(api, word);
}

function isFree({ managedBy, declarable }: ExistingResource): boolean {
  return managedBy === null && declarable;
}

function summaryOf(found: readonly ExistingResource[]): string {
  const count = (is: (one: ExistingResource) => boolean) => found.filter(is).length;
  const ofComponents = count(({ managedBy }) => managedBy?.kind === "component");
  const ofOthers = count(({ managedBy }) => managedBy !== null) - ofComponents;
  const unknown = count(({ managedBy, declarable }) => managedBy === null && !declarable);
  return [
    `${count(isFree)} can be declared`,
    ...(ofComponents > 0 ? [`${ofComponents} managed by components`] : []),
    ...(ofOthers > 0 ? [`${ofOthers} managed by something else`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown types`] : []),
  ].join(", ");
}

function managerIn(managedBy: NonNullable<ExistingResource["managedBy"]>): string {
  if (managedBy.kind === "component") return managedBy.componentId;
  return managedBy.kind === "tool" ? managedBy.name : "managed-by=platform";
}
