import { invalid } from "../contract/invalid.ts";
import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import { nowText, toHex } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { PipelineClaims, PipelineIssuer } from "../ports/identity.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import { type CredentialRecord, credentialPlace, credentials, type KeptIdentity } from "./credential-record.ts";
import { faultOfSubject, fitsSubject } from "./federated-subjects.ts";
import { parsePipelineToken } from "./pipeline-token.ts";
import type { ServiceIdentity } from "./service-accounts.ts";

/** The parts of an identity: the issuer and the pipelines. */
export interface NewIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly createdBy: string;
}

/** A service account's role, which pipelines sign in to. */
export interface RolePlace {
  readonly principalId: string;
  readonly environment: EnvironmentRef;
}

export interface PipelineProof {
  readonly principalId: string;
  /** `Type/ownerId/shortName`, if the pipeline fits several environments. */
  readonly environment?: string | undefined;
  readonly token: string;
}

/** Who a pipeline's token identifies, and how it is spent. */
export interface PipelineIdentity extends ServiceIdentity {
  readonly digest: string;
  readonly goodUntil: number;
}

/** Pipelines that sign in without a secret, as confirmed by their issuer. */
export interface FederatedIdentities {
  list(reader: Reader, place: RolePlace): Promise<readonly KeptIdentity[]>;
  /** @throws {FeatureDisabled} if the host trusts no issuer, {ValidationFailed} if it doesn't trust this one. */
  add(change: Change, place: RolePlace, identity: NewIdentity): Promise<KeptIdentity>;
  /** Returns `null` if there was none. */
  remove(change: Change, place: RolePlace, identityId: string): Promise<KeptIdentity | null>;
  /** Finds the one role for a pipeline's token. Throws the token endpoint's error if there is none. */
  judge(proof: PipelineProof): Promise<PipelineIdentity>;
  /** Spends the token, once, and records that the identity was used. Throws if either is gone. */
  use(change: Change, identity: PipelineIdentity): Promise<void>;
}

/** A token that was exchanged; kept as long as it could be accepted. */
const spent = collection<{ readonly digest: string }>()("spent-token", { key: ({ digest }) => [digest] });
const mostIdentities = 20;

export function createFederatedIdentities(
  deps: Pick<Services, "records" | "runtime" | "credentials"> & {
    readonly issuers: readonly PipelineIssuer[];
  },
): FederatedIdentities {
  const { records, runtime, issuers, credentials: accounts } = deps;

  async function kept(reader: Pick<Reader, "get">, { principalId, environment }: RolePlace): Promise<CredentialRecord> {
    const known = await reader.get(credentials, [principalId, credentialPlace(environment)]);
    return known ?? { principalId, environment, secrets: [], identities: [] };
  }

  function requireTrusted({ issuer, subject }: NewIdentity): void {
    if (issuers.length === 0) throw turnedOff("This server trusts no pipeline issuer.", "pipelineIssuers");
    const fault = faultOfSubject(subject);
    const unknown = {
      pointer: "#/issuer",
      code: "Enum",
      detail: "This server doesn't trust this issuer. Ask an operator to add it.",
    } as const;
    const errors = [
      ...(issuers.some((known) => known.issuer === issuer) ? [] : [unknown]),
      ...(fault === null ? [] : [{ pointer: "#/subject", code: "Format", detail: fault } as const]),
    ];
    const [first, ...more] = errors;
    if (first !== undefined) throw invalid([first, ...more]);
  }

  /** The claims of a token, verified by the issuer that it names. */
  async function verified(
    token: string,
  ): Promise<PipelineClaims & { readonly issuer: string; readonly digest: string }> {
    const parsed = parsePipelineToken(token);
    const issuer = issuers.find((known) => known.issuer === parsed?.issuer);
    if (parsed === null || issuer === undefined)
      throw refused("The token isn't a JWT, or this server doesn't trust its issuer.");
    try {
      const digest = toHex(await runtime.crypto.digest(parsed.countedBy));
      return { issuer: issuer.issuer, digest, ...(await issuer.verify(token)) };
    } catch (cause) {
      if (!(cause instanceof LiveplaneError) || cause.code !== "Unauthenticated") throw cause;
      throw refused(cause.message);
    }
  }

  return {
    list: async (reader, place) => (await kept(reader, place)).identities,
    async add(change, place, { issuer, subject, createdBy }) {
      requireTrusted({ issuer, subject, createdBy });
      const record = await kept(change, place);
      const { identities: known } = record;
      if (known.some((one) => one.issuer === issuer && one.subject === subject))
        throw new LiveplaneError("AlreadyExists", "These pipelines can already sign in.");
      if (known.length >= mostIdentities)
        throw new LiveplaneError(
          "InvalidState",
          `The service account already has ${mostIdentities} identities. Remove one first.`,
        );
      const at = { createdAt: nowText({ runtime }), createdBy, lastUsedAt: null };
      const made = { id: runtime.newId(), issuer, subject, ...at };
      change.put(credentials, { ...record, identities: [...known, made] });
      return made;
    },
    async remove(change, place, identityId) {
      const record = await kept(change, place);
      const found = record.identities.find(({ id }) => id === identityId) ?? null;
      if (found !== null)
        change.put(credentials, { ...record, identities: record.identities.filter((one) => one !== found) });
      return found;
    },
    async judge({ principalId, environment: wanted, token }) {
      const { issuer, subject, goodUntil, digest } = await verified(token);
      const owner = await accounts.ownerOf(records, principalId);
      const fitting = (await records.list(credentials, { prefix: [principalId] })).flatMap(({ record }) => {
        const { environment, identities } = record;
        const isWanted =
          environment !== null && (wanted ?? environmentName(environment)) === environmentName(environment);
        const one = identities.find((known) => known.issuer === issuer && fitsSubject(known.subject, subject));
        return one !== undefined && isWanted ? [{ environment, secretId: one.id }] : [];
      });
      const [first, second] = fitting;
      if (first === undefined || owner === null)
        throw refused(
          "The service account doesn't accept pipelines with this token's subject. Add an identity for it.",
        );
      if (second !== undefined)
        throw invalid([
          {
            pointer: "#/environment",
            code: "Required",
            detail: "The token is accepted in several environments. Name one.",
          },
        ]);
      return { principalId, owner, ...first, digest, goodUntil };
    },
    async use(change, { principalId, environment, secretId, digest, goodUntil }) {
      if ((await change.get(spent, [digest])) !== null)
        throw refused("The token was already exchanged. Get a new one.");
      change.put(spent, { digest }, { expiresAt: goodUntil });
      const record = await change.get(credentials, [principalId, credentialPlace(environment)]);
      const identities = record?.identities ?? [];
      if (record === null || !identities.some(({ id }) => id === secretId)) throw refused("The identity was removed.");
      const lastUsedAt = nowText({ runtime });
      const used = identities.map((one) => (one.id === secretId ? { ...one, lastUsedAt } : one));
      change.put(credentials, { ...record, identities: used });
    },
  };
}

/** As RFC 8693 requires: any fault in the token makes the request invalid. */
function refused(detail: string): LiveplaneError {
  return new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { error: "invalid_request" } });
}
