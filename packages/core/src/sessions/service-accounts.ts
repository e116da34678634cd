import { invalid } from "../contract/invalid.ts";
import type { IssuedSecret } from "../contract/schemas/environment-schemas.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import { nowText, toBase64Url, toHex, toInstant, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { ServiceAccountOwner } from "../permissions/account-directory.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type CredentialRecord, credentialPlace, credentials, type KeptSecret } from "./credential-record.ts";

/** A service account: a principal that isn't a person. */
interface PrincipalRecord {
  readonly principalId: string;
  readonly owner: ServiceAccountOwner;
}

/** The service account that a client's secret belongs to. */
export interface ServiceIdentity {
  readonly principalId: string;
  readonly environment: EnvironmentRef | null;
  readonly secretId: string;
  readonly owner: ServiceAccountOwner;
}

const principals = collection<PrincipalRecord>()("principal", { key: ({ principalId }) => [principalId] });

const mostAlive = 2;
const usualDays = 365;
const mostDays = 730;
const dayMs = 86_400_000;

export interface ServiceAccountCredentials {
  ownerOf(reader: Pick<Reader, "get">, principalId: string): Promise<ServiceAccountOwner | null>;
  create(change: Change, owner: ServiceAccountOwner, principalId?: string): Promise<string>;
  secrets(
    reader: Reader,
    principalId: string,
    environment: EnvironmentRef | null,
  ): Promise<readonly Omit<KeptSecret, "digest">[]>;
  issue(
    change: Change,
    principalId: string,
    environment: EnvironmentRef | null,
    expiresAt: string | null,
  ): Promise<IssuedSecret>;
  revoke(change: Change, principalId: string, environment: EnvironmentRef | null, secretId: string): Promise<boolean>;
  endAll(change: Change, principalId: string, environment: EnvironmentRef | null): Promise<void>;
  /** Forgets a service account whose owner is purged, with its own secrets. */
  forget(change: Change, principalId: string): Promise<void>;
  /** Finds the service account for a client's ID and secret, in all places; `null` if there is none. */
  judge(principalId: string, secret: string): Promise<ServiceIdentity | null>;
  /** Whether a secret is still valid; records that it was used. */
  use(change: Change, identity: ServiceIdentity): Promise<boolean>;
  /** Whether the secret or pipeline identity that began a session is still valid. */
  isAlive(
    reader: Reader,
    identity: Pick<ServiceIdentity, "principalId" | "environment" | "secretId">,
  ): Promise<boolean>;
}

export function createServiceAccountCredentials({
  records,
  runtime,
  onIssue,
}: Pick<Services, "records" | "runtime"> & {
  readonly onIssue: (change: Change, owner: ServiceAccountOwner) => Promise<void>;
}): ServiceAccountCredentials {
  const { clock, crypto } = runtime;
  const digestOf = async (secret: string) => toHex(await crypto.digest(utf8(secret)));
  const alive = ({ expiresAt }: KeptSecret) => Date.parse(expiresAt) > clock.now();

  async function recordOf(
    reader: Pick<Reader, "get">,
    principalId: string,
    environment: EnvironmentRef | null,
  ): Promise<CredentialRecord> {
    const known = await reader.get(credentials, [principalId, credentialPlace(environment)]);
    return known ?? { principalId, environment, secrets: [], identities: [] };
  }

  async function kept(...place: Parameters<typeof recordOf>): Promise<readonly KeptSecret[]> {
    return (await recordOf(...place)).secrets.filter(alive);
  }

  function expiry(expiresAt: string | null): string {
    const now = clock.now();
    const at = expiresAt === null ? now + usualDays * dayMs : Date.parse(expiresAt);
    if (at > now && at <= now + mostDays * dayMs) return toInstant(at);
    const code = at > now ? "TooBig" : "TooSmall";
    throw invalid([
      {
        pointer: "#/expiresAt",
        code,
        detail: `The expiry must be in the future and at most ${mostDays} days from now.`,
      },
    ]);
  }

  const service: ServiceAccountCredentials = {
    async ownerOf(reader, principalId) {
      return (await reader.get(principals, [principalId]))?.owner ?? null;
    },
    async create(change, owner, principalId = runtime.newId()) {
      change.put(principals, { principalId, owner });
      return principalId;
    },
    async secrets(reader, principalId, environment) {
      return (await kept(reader, principalId, environment)).map(({ digest: _digest, ...shown }) => shown);
    },
    async issue(change, principalId, environment, expiresAt) {
      const until = expiry(expiresAt);
      const record = await recordOf(change, principalId, environment);
      const known = record.secrets.filter(alive);
      if (known.length >= mostAlive)
        throw new LiveplaneError(
          "InvalidState",
          `The service account already has ${mostAlive} secrets. Revoke one first.`,
        );
      const [id, secret] = [runtime.newId(), toBase64Url(crypto.random(32))];
      const made = {
        id,
        digest: await digestOf(secret),
        createdAt: nowText({ runtime }),
        expiresAt: until,
        lastUsedAt: null,
      };
      change.put(credentials, { ...record, secrets: [...known, made] });
      const owner = await service.ownerOf(change, principalId);
      if (owner !== null) await onIssue(change, owner);
      return { id, secret, expiresAt: until };
    },
    async revoke(change, principalId, environment, secretId) {
      const record = await recordOf(change, principalId, environment);
      const known = record.secrets.filter(alive);
      const left = known.filter(({ id }) => id !== secretId);
      if (left.length < known.length) change.put(credentials, { ...record, secrets: left });
      return left.length < known.length;
    },
    async endAll(change, principalId, environment) {
      const key = [principalId, credentialPlace(environment)];
      if ((await change.get(credentials, key)) !== null) change.delete(credentials, key);
    },
    async forget(change, principalId) {
      await service.endAll(change, principalId, null);
      change.delete(principals, [principalId]);
    },
    async judge(principalId, secret) {
      const given = utf8(await digestOf(secret));
      const owner = await service.ownerOf(records, principalId);
      let found: ServiceIdentity | null = null;
      for (const { record } of await records.list(credentials, { prefix: [principalId] })) {
        for (const { id, digest } of record.secrets.filter(alive)) {
          if (crypto.equal(utf8(digest), given) && owner !== null)
            found = { principalId, environment: record.environment, secretId: id, owner };
        }
      }
      return found;
    },
    async isAlive(reader, { principalId, environment, secretId }) {
      const { secrets, identities } = await recordOf(reader, principalId, environment);
      return [...secrets.filter(alive), ...identities].some(({ id }) => id === secretId);
    },
    async use(change, { principalId, environment, secretId }) {
      const record = await recordOf(change, principalId, environment);
      const known = record.secrets.filter(alive);
      if (!known.some(({ id }) => id === secretId)) return false;
      const lastUsedAt = nowText({ runtime });
      change.put(credentials, {
        ...record,
        secrets: known.map((secret) => (secret.id === secretId ? { ...secret, lastUsedAt } : secret)),
      });
      return true;
    },
  };
  return service;
}
