import type { DeployPlan, LiveSystemDefinition } from "@liveplane/core/contract";
import { waitForMutation } from "@liveplane/core/routes";
import { UsageError } from "../../usage-error.ts";
import { type Command, type CommandCall, exitCodes } from "../command.ts";
import {
  answeredTo,
  declarationJson,
  declarationLines,
  keepIn,
  openDeclaration,
  sentDefinition,
  writeDeclaration,
  writeId,
} from "../declaration-file.ts";
import { findPlace, idOfLiveSystem, pathIn, toldFor } from "../find-component.ts";
import { namesFor } from "../names.ts";
import { tellSteps } from "../step-lines.ts";
import { cellOf, countOf, tableOf } from "../tables.ts";
import { planOfComponent } from "./overrides.ts";

const file = { file: { type: "string", short: "f" } } as const;

/** Shows what deploying a file would do, or what handing back a component would revert. */
export const plan: Command = {
  takes: "<file> | -f <file> | <component>",
  summary: "shows what deploying a file would do, or what handing a component back would revert",
  flags: file,
  words: [0, 1],
  async run(call) {
    const { host, api, given } = call;
    const name = fileIn(given);
    const inNames = namesFor(call);
    if (name === undefined) {
      if (given.text("file") !== undefined || given.words.length !== 1)
        throw new UsageError("plan needs either a file or a component.");
      return planOfComponent(call);
    }
    const declaration = await openDeclaration(host, name);
    const { id } = declaration;
    const definition = await sentDefinition(api, declaration);
    const { signal } = host;
    const { components, warnings, error } = await answeredTo(
      declaration,
      id === null
        ? api.liveSystems.plan(definition, { signal })
        : api.liveSystems.planDeploy({ id }, definition, { signal }),
    );
    const own = id === null ? ["The live system is new."] : await ownChanges(call, id, definition);
    for (const line of own) host.say(line);
    if (given.isSet("json")) host.print(JSON.stringify({ components, warnings, error }));
    else {
      const ids = components.map(({ componentId }) => componentId);
      const shown = id === null ? ids.map(pathIn) : await inNames(ids);
      const rows = components.flatMap(({ action, changes }, at): Record<string, unknown>[] => {
        const component = shown[at];
        const [named] = actionWords[action];
        const changed = changes.map(({ pointer: parameter, actual, declared, unwritable }) => ({
          ...{ component, action: named, parameter },
          ...{ "in the cloud": cellOf(actual), declared: cellOf(declared) },
          ...(unwritable !== null && { "can't be written": unwritable.message }),
        }));
        return changed.length > 0 ? changed : [{ component, action: named }];
      });
      if (rows.length > 0) host.print(tableOf(rows, host.columns));
      for (const [at, { reason, unmanaged = [] }] of components.entries()) {
        if (reason !== null) host.print(`${shown[at]} is left alone: ${reason}`);
        if (unmanaged.length > 0) host.print(`${shown[at]}: ${leftToTheCloud(unmanaged)}`);
      }
      host.print(summaryOf(components));
    }
    for (const { detail } of warnings) host.say(`Warning: ${detail}`);
    const at = error?.componentId == null ? "" : ` first at ${pathIn(error.componentId)}`;
    if (error !== null) host.say(`The deploy would fail${at}: ${error.detail}`);
    return error === null ? exitCodes.done : exitCodes.failed;
  },
};

/** What a deploy changes about the live system itself, which no component shows. */
async function ownChanges(
  { api, host: { signal } }: CommandCall,
  id: string,
  { name, description = null }: LiveSystemDefinition,
): Promise<string[]> {
  const { definition: now } = await api.liveSystems.get({ id }, { signal });
  const changes: string[] = [];
  if (now.name !== name) changes.push(`The live system's name changes from ${now.name} to ${name}.`);
  if ((now.description ?? null) !== description) changes.push("The live system's description changes.");
  return changes;
}

/** What a declaration no longer names. */
function leftToTheCloud(places: readonly string[]): string {
  const [are, keeps] = places.length === 1 ? ["is", "its value"] : ["are", "their values"];
  return `${places.join(", ")} ${are} no longer managed; the cloud keeps ${keeps}.`;
}

type Planned = DeployPlan["components"][number];

/** What a deploy does to a component: in a row, and after the number of such components. */
const actionWords = {
  adopt: ["adopt", "to adopt"],
  create: ["create", "to create"],
  correct: ["change", "to change"],
  move: ["move", "to move"],
  delete: ["delete", "to delete"],
  release: ["release", "to release"],
  hold: ["leave alone", "to leave alone"],
  none: ["none", "unchanged"],
} as const satisfies Record<Planned["action"], readonly [string, string]>;

function summaryOf(components: readonly Planned[]): string {
  const counts = Object.entries(actionWords).flatMap(([wanted, [, words]]) => {
    const count = components.filter(({ action }) => action === wanted).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const tags = components.filter(({ addsTag }) => addsTag).length;
  if (tags > 0) counts.push(`${countOf(tags, "tag")} to add`);
  return counts.length === 0 ? "No components." : `${counts.join(", ")}.`;
}

/** Prints a live system's declaration. */
export const declaration: Command = {
  takes: "<live system>",
  summary: "prints the declaration of a live system, which plan and deploy take as a file; --json: as JSON",
  words: [1, 1],
  async run({ host, api, given }) {
    const { signal } = host;
    const id = await idOfLiveSystem(api, given.words[0] ?? "", signal);
    const { definition } = await api.liveSystems.get({ id }, { signal });
    const declared = { id, ...definition };
    host.print(given.isSet("json") ? declarationJson(declared) : declarationLines(declared));
    return exitCodes.done;
  },
};

/** A second live system of a name is often the first one, deployed without its ID. */
async function warnOfNamesake(
  { api, host: { say, signal } }: CommandCall,
  { name, environmentId: { type, ownerId, shortName } }: LiveSystemDefinition,
  id: string,
): Promise<void> {
  const environment = `${type}/${ownerId}/${shortName}`;
  for await (const other of api.liveSystems.list.all({ environment, signal }))
    if (other.definition.name === name && other.id !== id) {
      say(
        `Warning: The environment already had a live system named ${name}. To deploy that one, give its ID: ${other.id}.`,
      );
      return;
    }
}

/** Deploys a file. */
export const deploy: Command = {
  takes: "<file> | -f <file> [--wait]",
  summary: "deploys a declaration file; the first deploy writes the live system's ID into it",
  flags: { ...file, wait: { type: "boolean" } },
  words: [0, 1],
  async run(call) {
    const { host, api, given } = call;
    const name = fileIn(given);
    if (name === undefined)
      throw new UsageError("deploy needs a declaration file, which ends in .yaml, .yml or .json.");
    const declaration = await openDeclaration(host, name);
    const { signal } = host;
    const definition = await sentDefinition(api, declaration);
    const begun = await answeredTo(
      declaration,
      declaration.id === null
        ? api.liveSystems.create(definition, { signal })
        : api.liveSystems.deploy({ id: declaration.id }, definition, { signal }),
    );
    if (declaration.id === null) {
      if (name === "-") host.say(`The live system is ${begun.livesystemId}. Add it to the file as id.`);
      else await writeId(name, declaration, begun.livesystemId);
      await warnOfNamesake(call, definition, begun.livesystemId);
    }
    if (given.isSet("wait")) host.say("Waiting for the deploy to end. Ctrl+C stops waiting; the deploy continues.");
    const onProgress = tellSteps(host.say);
    const ended = given.isSet("wait")
      ? await waitForMutation(api, begun, { signal, sleep: host.sleep, onProgress })
      : begun;
    if (given.isSet("wait")) onProgress(ended);
    const { id, livesystemId, status, error } = ended;
    const [system, failed] = await namesFor({ api, host, given })([livesystemId, error?.componentId ?? null]);
    const isOver = status === "Succeeded" || status === "Failed";
    const line = `${system}: mutation ${id} ${status}${isOver ? "" : "; --wait waits for its end"}`;
    host.print(given.isSet("json") ? JSON.stringify(ended) : line);
    if (error !== null) host.say(`${failed ?? ""} ${error.code}: ${error.detail}`.trim());
    return status === "Failed" ? exitCodes.failed : exitCodes.done;
  },
};

/** Writes the cloud's values into the declaration. */
export const keep: Command = {
  takes: "<component> -f <file>",
  summary: "writes manual changes into a declaration file, so that handing back reverts nothing",
  flags: file,
  words: [1, 1],
  async run(call: CommandCall) {
    const { host, api, given } = call;
    const name = given.text("file");
    if (name === undefined || name === "-") throw new UsageError("keep needs -f <file>, the file to change.");
    const declaration = await openDeclaration(host, name);
    const place = await findPlace(api, given.words[0] ?? "", host.signal);
    if (declaration.id !== null && declaration.id !== place.id)
      throw new UsageError(`${name} declares ${declaration.id}, but the component belongs to ${place.id}.`);
    const planned = api.liveSystems.components.adoptionPlan(place, { signal: host.signal });
    const { keepPatch, changes } = await toldFor(given.words[0] ?? "", planned);
    if (changes.length === 0) {
      host.say(
        `${name} is unchanged: the resource is as the deployed declaration says. If your file is older, liveplane declaration ${place.id} prints that one.`,
      );
      return exitCodes.done;
    }
    const path = pathIn(place.componentId);
    const kept = keepIn(declaration, path, keepPatch);
    if (kept > 0) await writeDeclaration(name, declaration);
    host.say(
      `Wrote ${kept} of ${changes.length} differences into ${name}.${kept > 0 ? ` Check it, then run liveplane deploy -f ${name}` : ""}`,
    );
    return exitCodes.done;
  },
};

/** The declaration file: after -f, or the only word if it ends as such files do. */
function fileIn({ text, words: [word] }: CommandCall["given"]): string | undefined {
  const named = text("file");
  if (word === undefined) return named;
  return named === undefined && /\.(ya?ml|json)$/.test(word) ? word : undefined;
}
