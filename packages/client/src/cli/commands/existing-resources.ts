import type { EnvironmentId, ExistingResource, Page } from "@liveplane/core/contract";
import { cloudName } from "@liveplane/core/routes";
import { UsageError } from "../../usage-error.ts";
import { type Command, type CommandCall, exitCodes } from "../command.ts";
import { declarationJson, declarationLines } from "../declaration-file.ts";
import { type DiscoveredPlace, lastPlace, rememberPlace } from "../discovered-place.ts";
import { environmentNamed } from "../find-component.ts";
import { readJsonInput } from "../input.ts";
import { namesFor } from "../names.ts";
import { countOf, tableOf } from "../tables.ts";
import { terraformResources, withPaths } from "../terraform-state.ts";

const where = {
  environment: { type: "string" },
  provider: { type: "string" },
  scope: { type: "string" },
  select: { type: "string" },
  nested: { type: "boolean" },
} as const;
const placeWords = "--environment <Type/owner/name> [--provider <name>]";
const listWords = "[--scope <id>] [--select <types>] [--nested]";

/** Lists what an environment's cloud holds, whoever created it. */
export const discover: Command = {
  takes: `${placeWords} ${listWords}`,
  summary: "lists the resources that exist in an environment's resource group or project, and what manages each",
  flags: where,
  words: [0, 0],
  async run(call) {
    const { host, url, api, given } = call;
    const environment = await environmentNamed(api, environmentWord(call, null));
    const place = await placeOf(call, environment, null);
    const found = await foundAt(call, environment, place);
    await rememberPlace(host, url, place);
    if (given.isSet("json")) {
      for (const one of found) host.print(JSON.stringify(one));
      return exitCodes.done;
    }
    const managers = await namesFor(call)(found.map(managerOf));
    const rows = found.map(({ id, type, location }, at) => ({ type, location, "managed by": managers[at], id }));
    if (rows.length > 0) host.print(tableOf(rows, host.columns));
    host.say(summaryOf(found, place));
    return exitCodes.done;
  },
};

/** Writes a declaration of existing resources. */
export const declare: Command = {
  takes: `[${placeWords}] ${listWords} [--name <name>] [--from-terraform <file>]`,
  summary: "prints a declaration that adopts existing resources as they are; by default of what discover listed last",
  flags: { ...where, name: { type: "string" }, "from-terraform": { type: "string" } },
  words: [0, 0],
  async run(call) {
    const { host, url, api, given } = call;
    const last = given.text("environment") === undefined ? await lastPlace(host, url) : null;
    if (last !== null) host.say(`As in the last discover: ${wordsOf(last)}.`);
    const environment = await environmentNamed(api, environmentWord(call, last));
    const state = given.text("from-terraform");
    const named = state === undefined ? null : terraformResources(await readJsonInput(host, state));
    const resourceIds = named === null ? await declarableIds(call, environment, last) : [...named.keys()];
    if (resourceIds.length === 0) throw new UsageError("There is nothing to declare.");
    if (resourceIds.length > mostResources)
      throw new UsageError(`At most ${mostResources} resources can be declared at once. Choose fewer with --select.`);
    const answer = await api.environments.resources.declare(environment, { resourceIds }, { signal: host.signal });
    const { components, ...definition } = named === null ? answer.definition : withPaths(answer.definition, named);
    const name = given.text("name") ?? definition.name;
    const declared = { ...definition, name, components };
    if (given.isSet("json")) host.print(declarationJson(declared));
    else host.print(declarationLines(declared));
    for (const { resourceId, detail } of answer.warnings) host.say(`Warning: ${resourceId}: ${detail}`);
    for (const { shortName, resourceId, pointer } of answer.secrets)
      host.say(`Store the secret ${shortName} in the environment: the value at ${pointer} of ${resourceId}.`);
    return exitCodes.done;
  },
};

const mostResources = 1000;

async function declarableIds(call: CommandCall, environment: EnvironmentId, last: DiscoveredPlace | null) {
  const place = await placeOf(call, environment, last);
  const found = await foundAt(call, environment, place);
  call.host.say(summaryOf(found, place));
  return found.filter(isFree).map(({ id }) => id);
}

function environmentWord({ given }: CommandCall, last: DiscoveredPlace | null): string {
  const word = given.text("environment") ?? last?.environment;
  if (word !== undefined) return word;
  throw new UsageError("Name the environment with --environment Type/owner/name. After discover, declare knows it.");
}

/** The place that the flags name. What they leave out is that of the last `discover`, or the environment's only cloud. */
async function placeOf(
  call: CommandCall,
  environment: EnvironmentId,
  last: DiscoveredPlace | null,
): Promise<DiscoveredPlace> {
  const { given } = call;
  const provider = given.text("provider") ?? last?.provider ?? (await onlyCloud(call, environment));
  // A scope of another cloud would be wrong there.
  const scope = given.text("scope") ?? (provider === last?.provider ? last.scope : undefined);
  return { environment: environmentWord(call, last), provider, ...(scope !== undefined && { scope }) };
}

async function onlyCloud({ api, host: { signal } }: CommandCall, environment: EnvironmentId): Promise<string> {
  const { initializations } = await api.environments.get(environment, { signal });
  const ready = Object.entries(initializations).flatMap(([name, { status }]) => (status === "Completed" ? [name] : []));
  const [only, ...others] = ready;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(
    only === undefined
      ? "The environment isn't initialized in any cloud. Initialize it first."
      : `The environment is in several clouds. Name one with --provider: ${ready.map(cloudName).join(" or ")}.`,
  );
}

async function foundAt(call: CommandCall, environment: EnvironmentId, { provider, scope }: DiscoveredPlace) {
  const { host, api, given } = call;
  const select = given.text("select");
  const query = {
    ...{ provider, limit: 200 },
    ...(scope !== undefined && { scope }),
    ...(select && { type: select.split(",") }),
    ...(given.isSet("nested") && { nested: true }),
  };
  const found: ExistingResource[] = [];
  for (let cursor: string | null = null; ; ) {
    const asked = { ...query, ...(cursor !== null && { cursor }), signal: host.signal };
    const page: Page<ExistingResource> = await api.environments.resources.list(environment, asked);
    found.push(...page.items);
    for (const warning of page.warnings ?? []) host.say(`Warning: ${warning}`);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

function isFree({ managedBy, declarable }: ExistingResource): boolean {
  return managedBy === null && declarable;
}

function wordsOf({ environment, provider, scope }: DiscoveredPlace): string {
  return [environment, cloudName(provider), ...(scope === undefined ? [] : [scope])].join(", ");
}

function summaryOf(found: readonly ExistingResource[], { scope }: DiscoveredPlace): string {
  const count = (is: (one: ExistingResource) => boolean) => found.filter(is).length;
  const ofComponents = count(({ managedBy }) => managedBy?.kind === "component");
  const ofOthers = count(({ managedBy }) => managedBy !== null) - ofComponents;
  const unknown = count(({ managedBy, declarable }) => managedBy === null && !declarable);
  const counts = [
    `${count(isFree)} can be declared`,
    ...(ofComponents > 0 ? [`${ofComponents} managed by components`] : []),
    ...(ofOthers > 0 ? [`${ofOthers} managed by something else`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown types`] : []),
  ].join(", ");
  return `${countOf(found.length, "resource")}${scope === undefined ? "" : ` in ${scope}`}: ${counts}.`;
}

function managerOf({ managedBy, declarable }: ExistingResource): string {
  if (managedBy === null) return declarable ? "–" : "unknown type";
  if (managedBy.kind === "component") return managedBy.componentId;
  return managedBy.kind === "tool" ? managedBy.name : "something else, by the tag managed-by=platform";
}
