import type { EnvironmentRef } from "../contract/target.ts";
import type { CloudCredentials, CloudTarget } from "../ports/cloud.ts";
import type { SecretValue } from "../ports/secret-value.ts";
import type { Reader } from "../records/records.ts";

/** What the override area asks about environments. */
export interface EnvironmentDirectory {
  /**
   * A live environment's groups (`Type/ownerId/shortName`); `null` if there is none. When read through a change, the answer still holds at
   * its commit.
   */
  groups(environment: EnvironmentRef, reader?: Pick<Reader, "get">): Promise<readonly string[] | null>;
  /** The current version of a secret, without decrypting it. */
  secretVersion(environment: EnvironmentRef, shortName: string): Promise<number | null>;
  /** The current value of a secret, to be applied now. */
  openSecret(environment: EnvironmentRef, shortName: string): Promise<SecretValue | null>;
  /**
   * Where resources of components may be: first where a completed initialization of that provider put its things, which is where new ones
   * go, then the environment's `resourceScopes`. Empty: no initialization is completed.
   */
  targets(environment: EnvironmentRef, provider: string): Promise<readonly CloudTarget[]>;
  /** IDs, in lower case, of the resources that the initialization of that provider made for itself. */
  initialized(environment: EnvironmentRef, provider: string): Promise<ReadonlySet<string>>;
  /** What the agent proves itself with there; `null`: it has nothing. */
  agentCredentials(environment: EnvironmentRef, provider: string): Promise<CloudCredentials | null>;
}
