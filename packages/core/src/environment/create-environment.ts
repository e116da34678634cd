import type { Access, Scope, ScopeResolvers } from "../account/access.ts";
import type { Handlers } from "../contract/handler.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import type { Clouds, Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { ShardedTask } from "../ports/scheduler.ts";
import type { Sealer, SshKeys } from "../ports/secrets.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Reader, Records } from "../records/records.ts";
import { createProfiles, profileExists, profiles } from "./ci-cd-profiles.ts";
import type { EnvironmentDirectory } from "./directory.ts";
import { createEnvironmentClouds } from "./environment-clouds.ts";
import { type EnvironmentRecord, findEnvironment } from "./environment-record.ts";
import { createEnvironments } from "./environments.ts";
import { createSecrets, secrets } from "./secrets.ts";
import { createServiceAccounts, type PrincipalRegistry } from "./service-accounts.ts";

/** What the environment service needs from outside. */
export interface EnvironmentAreaDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly access: Pick<Access, "can" | "reach">;
  readonly sealer: Sealer;
  readonly sshKeys: SshKeys;
  readonly clouds: Clouds;
  readonly principals: PrincipalRegistry;
  readonly groupExists: (reader: Reader, group: string) => Promise<boolean>;
  /** The store can't be shared: no other process is at work on it. */
  readonly alone: boolean;
}

/** The environment service: its operations, and what other areas ask of it. */
export interface EnvironmentArea {
  readonly handlers: Handlers<"environments">;
  readonly directory: EnvironmentDirectory;
  scopeOf(environment: EnvironmentRef): Promise<Scope | null>;
  readonly role: ScopeResolvers["role"];
  /** Work that comes back: runs that a crash interrupted, authentications that wait. */
  readonly task: ShardedTask;
  stop(): Promise<void>;
  housekeep(): Promise<void>;
}

/** Builds the environment service. */
export function createEnvironmentArea(deps: EnvironmentAreaDeps): EnvironmentArea {
  const { records } = deps;
  const secretService = createSecrets(deps);
  const serviceAccounts = createServiceAccounts(deps);
  const inClouds = createEnvironmentClouds(deps);
  const environments = createEnvironments({
    ...deps,
    profileExists,
    async destroyContents(change, record) {
      await serviceAccounts.destroy(change, record);
      await inClouds.destroy(change, record.id);
      await destroyContents(change, record);
    },
  });
  return {
    handlers: {
      ...environments.handlers,
      ...createProfiles(deps).handlers,
      ...secretService.handlers,
      ...serviceAccounts.handlers,
      ...inClouds.handlers,
    },
    directory: {
      ...inClouds.directory,
      groups: async (environment) => (await findEnvironment(records, environment))?.resourceGroups ?? null,
      secretVersion: secretService.currentVersion,
      openSecret: secretService.open,
    },
    async scopeOf(environment) {
      const record = await findEnvironment(records, environment);
      return record && { owner: { type: ownerType(record), id: record.id.ownerId }, groups: record.resourceGroups };
    },
    role: serviceAccounts.role,
    task: inClouds.task,
    stop: inClouds.stop,
    housekeep: environments.housekeep,
  };
}

function ownerType({ id }: EnvironmentRecord): "Personal" | "Organizational" {
  return id.type === "Organizational" ? "Organizational" : "Personal";
}

/** Profiles and secrets lie under the incarnation: what is missed here by a race can't come back, and is nobody's. */
async function destroyContents(change: Change, { incarnation }: EnvironmentRecord): Promise<void> {
  for (const { record } of await change.list(secrets, { prefix: [incarnation] }))
    change.delete(secrets, [incarnation, record.shortName.toLowerCase()]);
  for (const { record } of await change.list(profiles, { prefix: [incarnation] }))
    change.delete(profiles, [incarnation, record.shortName.toLowerCase()]);
}
