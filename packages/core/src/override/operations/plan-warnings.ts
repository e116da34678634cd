import type { DeployPlan } from "../../contract/schemas/live-system-schemas.ts";
import { environmentName } from "../../contract/target.ts";
import { listAll } from "../../records/list-all.ts";
import type { Services } from "../../services.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { plainName } from "../declarations/definition.ts";
import { idOf } from "../records/component-record.ts";
import { liveSystems } from "../records/live-system-record.ts";
import type { Rehearsed } from "./deploys.ts";
import type { DeployAction, Foreseen } from "./foreseen.ts";

/** What to look at twice before a deploy. */
export async function warningsOf(
  deps: Pick<AgentDeps, "clouds" | "environments">,
  foreseen: ReadonlyMap<string, Foreseen>,
  actions: ReadonlyMap<string, DeployAction>,
): Promise<DeployPlan["warnings"]> {
  const missing = await missingRights(deps, foreseen, actions);
  return [...missing, ...comingAndGoing(foreseen, actions), ...literalSecrets(foreseen)];
}

/** Names may repeat, but a second live system of a name is often the first one, planned without its ID. */
export async function namesakes(
  { records }: Pick<Services, "records">,
  { system: { id, name, environmentId }, draft }: Rehearsed,
): Promise<DeployPlan["warnings"]> {
  const [first] = draft.added;
  const prefix = [plainName(environmentName(environmentId))];
  const all = await listAll(records, liveSystems, { index: "inEnvironment", prefix });
  const other = all.find((one) => one.name === name && one.status === "Active" && one.id !== id);
  if (first === undefined || other === undefined) return [];
  const detail = `The environment already has a live system named ${name}. This deploy makes a second one. To deploy the existing one, give its ID: ${other.id}.`;
  return [{ componentId: idOf(first), otherComponentId: null, detail }];
}

/** What the agent's credentials lack for new components, by the place where these go. Where a cloud doesn't say, the deploy finds out. */
async function missingRights(
  { clouds, environments }: Pick<AgentDeps, "clouds" | "environments">,
  foreseen: ReadonlyMap<string, Foreseen>,
  actions: ReadonlyMap<string, DeployAction>,
): Promise<DeployPlan["warnings"]> {
  const coming = [...foreseen].flatMap(([path, { observation }]) =>
    ["create", "adopt"].includes(actions.get(path) ?? "") ? [observation.record] : [],
  );
  const places = Map.groupBy(coming, ({ provider, resource }) => `${provider} ${JSON.stringify(resource.target)}`);
  const warned = [...places.values()].map(async ([first, ...others]): Promise<DeployPlan["warnings"]> => {
    const cloud = first && clouds.get(first.provider);
    if (first === undefined || cloud?.missingRights === undefined) return [];
    const credentials = await environments.agentCredentials(first.environment, first.provider);
    if (credentials === null) return [];
    const types = [...new Set([first, ...others].map(({ type }) => type))];
    const { target } = first.resource;
    const missing = await cloud.missingRights(types, target, { credentials }).catch(() => []);
    if (missing.length === 0) return [];
    const where = target.container ?? target.scope;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const detail = `${first.path}${more}: The agent's credentials lack these rights in ${where}: ${missing.join(", ")}. A grant on a single resource doesn't count here.`;
    return [{ componentId: idOf(first), otherComponentId: null, detail }];
  });
  return (await Promise.all(warned)).flat();
}

/** Secrets written literally into parameters: whoever reads the definition's file has them. */
function literalSecrets(foreseen: ReadonlyMap<string, Foreseen>): DeployPlan["warnings"] {
  return [...foreseen.values()].flatMap(({ observation: { record, expectation } }) => {
    const { secrets, leaving } = expectation.declared;
    const [first, ...others] = secrets;
    if (first === undefined || leaving) return [];
    const more = others.length === 0 ? "" : `, and ${others.length} more,`;
    const detail = `${record.path}: /parameters${first}${more} holds a secret as plain text. Store it as a secret of the environment, and write {"$secret": "name"} in its place.`;
    return [{ componentId: idOf(record), otherComponentId: null, detail }];
  });
}

/** A component that disappears while another of its type appears may have been renamed; its data would be lost. */
function comingAndGoing(
  foreseen: ReadonlyMap<string, Foreseen>,
  actions: ReadonlyMap<string, DeployAction>,
): DeployPlan["warnings"] {
  const doing = (...wanted: readonly DeployAction[]) =>
    [...foreseen].flatMap(([path, { observation }]) => {
      const action = actions.get(path);
      return action !== undefined && wanted.includes(action) ? [observation.record] : [];
    });
  const comes = doing("create", "adopt");
  return doing("delete", "release").flatMap((goes) => {
    const other = comes.find(({ type, provider }) => type === goes.type && provider === goes.provider);
    if (other === undefined) return [];
    const detail = `${goes.path} is removed while ${other.path}, of the same type, is added. If they are the same, set movedFrom: ${goes.path} on ${other.path}.`;
    return [{ componentId: idOf(goes), otherComponentId: idOf(other), detail }];
  });
}
