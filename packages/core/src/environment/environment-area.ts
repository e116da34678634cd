import type { Containers, ScopeResolvers } from "../access/access.ts";
import type { Handlers } from "../contract/handler.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import type { ShardedTask } from "../ports/scheduler.ts";
import type { SealedStock } from "../ports/secrets.ts";
import type { DueWork } from "../records/due.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Clouds } from "../settings.ts";
import { profiles } from "./ci-cd-profile-record.ts";
import { createProfiles, profileName } from "./ci-cd-profiles.ts";
import type { EnvironmentDirectory } from "./directory.ts";
import { createEnvironmentHoldings, type EnvironmentHoldings } from "./environment-holdings.ts";
import { containersOf, type EnvironmentRecord, findEnvironment } from "./environment-record.ts";
import { createEnvironments } from "./environments.ts";
import { createEnvironmentClouds } from "./initialization/environment-clouds.ts";
import type { PrincipalRegistry } from "./principal-registry.ts";
import { sealedContents } from "./sealed-contents.ts";
import { secretRecords } from "./secret-record.ts";
import { createSecrets } from "./secrets.ts";
import { createServiceAccounts } from "./service-accounts.ts";

/** The environment service: its operations, and what other areas ask of it. */
export interface EnvironmentArea {
  readonly handlers: Omit<Handlers<"environments">, keyof Handlers<"environments.resources">>;
  readonly directory: EnvironmentDirectory;
  scopeOf(environment: EnvironmentRef, reader?: Reader): Promise<Containers | null>;
  readonly role: ScopeResolvers["role"];
  /** Recurring work: running initializations, pending authentications. */
  readonly tasks: readonly ShardedTask[];
  /** Its sealed values. */
  readonly sealed: readonly SealedStock[];
  /** What happens to a person's environments when their account is deleted. */
  readonly holdings: EnvironmentHoldings;
  stop(): Promise<void>;
  /** Work that falls due over time. */
  readonly due: readonly DueWork[];
}

/** Creates the environment service. */
export function createEnvironmentArea(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "sealer"
    | "scheduler"
    | "claims"
    | "access"
    | "secretUses"
    | "groupExists"
    | "sshKeys"
  > & { readonly clouds: Clouds; readonly principals: PrincipalRegistry },
): EnvironmentArea {
  const { records } = deps;
  const secretService = createSecrets(deps);
  const serviceAccounts = createServiceAccounts(deps);
  const inClouds = createEnvironmentClouds(deps);
  const destroyAll = async (change: Change, record: EnvironmentRecord): Promise<void> => {
    const parts = [serviceAccounts.destroy(change, record), inClouds.destroy(change, record.id)];
    await Promise.all([...parts, destroyContents(change, record)]);
  };
  const { judgeScopes } = inClouds;
  const environments = createEnvironments({ ...deps, profileName, judgeScopes, destroyContents: destroyAll });
  return {
    holdings: createEnvironmentHoldings({ records, destroyContents: destroyAll }),
    handlers: {
      ...environments.handlers,
      ...createProfiles(deps),
      ...secretService.handlers,
      ...serviceAccounts.handlers,
      ...inClouds.handlers,
    },
    directory: {
      ...inClouds.directory,
      ...secretService.directory,
      groups: async (environment, reader = records) =>
        (await findEnvironment(reader, environment))?.resourceGroups ?? null,
    },
    scopeOf: (environment, reader = records) =>
      findEnvironment(reader, environment).then((record) => record && containersOf(record)),
    role: serviceAccounts.role,
    tasks: inClouds.tasks,
    sealed: sealedContents(deps),
    stop: inClouds.stop,
    due: [environments.due],
  };
}

/** Profiles and secrets lie under the incarnation: what is put there by a race while this is done can't come back. */
async function destroyContents(change: Change, { incarnation }: EnvironmentRecord): Promise<void> {
  const within = { prefix: [incarnation] };
  const [secrets, ours] = await Promise.all([
    listAll(change, secretRecords, within),
    listAll(change, profiles, within),
  ]);
  for (const { shortName } of secrets) change.delete(secretRecords, [incarnation, shortName.toLowerCase()]);
  for (const { shortName } of ours) change.delete(profiles, [incarnation, shortName.toLowerCase()]);
}
