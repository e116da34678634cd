import type { Handlers } from "../../contract/handler.ts";
import type { EnvironmentRef } from "../../contract/target.ts";
import type { ShardedTask } from "../../ports/scheduler.ts";
import type { Change } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { Clouds } from "../../settings.ts";
import type { EnvironmentDirectory } from "../directory.ts";
import { type Authentication, createAuthentication } from "./authentication.ts";
import { destroyAuthentication } from "./authentication-record.ts";
import { createCredentialsOf, createInitialization, type Initialization } from "./initialization.ts";
import { createPlacements, destroyRuns } from "./initialization-placement.ts";
import { createLocations, type Locations } from "./locations.ts";
import { createJudgeScopes, type JudgeScopes } from "./resource-scopes.ts";

/** What environments do in clouds: initialization, device authorization, locations. */
export interface EnvironmentClouds {
  readonly handlers: Pick<
    Handlers<"environments">,
    keyof (Authentication["handlers"] & Locations["handlers"] & Initialization["handlers"])
  >;
  readonly directory: Pick<EnvironmentDirectory, "targets" | "initialized" | "agentCredentials">;
  readonly judgeScopes: JudgeScopes;
  /** Work that comes back: the runs that are under way, and asking how the authentications that are due stand. */
  readonly tasks: readonly ShardedTask[];
  /** Resolves when this process runs no initialization. */
  settled(): Promise<void>;
  /** Releases the running initializations, so that another process continues at once. */
  stop(): Promise<void>;
  /** Destroys the environment's records here, in the change that deletes it. */
  destroy(change: Change, environment: EnvironmentRef): Promise<void>;
}

/** How often to check for due authorizations. */
const pollMs = 2_000;

export function createEnvironmentClouds(
  deps: Pick<Services, "records" | "pages" | "runtime" | "settings" | "sealer" | "scheduler" | "claims" | "access"> & {
    readonly clouds: Clouds;
  },
): EnvironmentClouds {
  const { clouds } = deps;
  const cloudOf = (provider: string) => clouds.adapters.find((cloud) => cloud.provider === provider) ?? null;
  const authorizer = clouds.deviceAuthorizers?.["provider-a"] ?? null;
  const authentication = createAuthentication({ ...deps, authorizer });
  const locations = createLocations({ ...deps, cloudOf, credentialsOf: createCredentialsOf(authentication, clouds) });
  const retainCredentials = clouds.retainProviderCredentials ?? false;
  const initialization = createInitialization({ ...deps, cloudOf, locations, authentication, retainCredentials });
  const { task, settled, stop } = initialization.worker;
  const directory = createPlacements(deps);
  return {
    settled,
    stop,
    handlers: { ...authentication.handlers, ...locations.handlers, ...initialization.handlers },
    directory,
    judgeScopes: createJudgeScopes(clouds, directory),
    tasks: [
      task,
      {
        name: "authentications",
        everyMs: pollMs,
        lane: "people",
        shards: async () => ["all"],
        run: () => authentication.pollDue(),
      },
    ],
    async destroy(change, environment) {
      await Promise.all([destroyRuns(change, environment), destroyAuthentication(change, environment)]);
    },
  };
}
