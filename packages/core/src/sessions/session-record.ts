import type { CallerFacts } from "../contract/handler.ts";
import type { SecondFactor } from "../contract/schemas/account-schemas.ts";
import type { EnvironmentRef, TokenScope } from "../contract/target.ts";
import { accounts } from "../identity/account-record.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { RefreshDigests } from "./refresh-tokens.ts";

/** A session: a family of tokens that end together. */
export interface SessionRecord {
  readonly id: string;
  /** An account's id or a service account's. */
  readonly principalId: string;
  readonly kind: "account" | "serviceAccount";
  readonly environment: EnvironmentRef | null;
  readonly secretId: string | null;
  readonly signedInBy: "password" | "openid" | "passkey" | "secret" | "pipeline";
  /** The linked identity that started it. */
  readonly identityId?: string;
  /** The second factor that was given, or that it needs before it can do anything else. Absent: none was needed. */
  readonly secondFactor?: SecondFactor;
  readonly scopes: readonly TokenScope[];
  /** The session has ended if its account has a later epoch. */
  readonly epoch: number;
  /** `null` if it can't be refreshed. */
  readonly refresh: RefreshDigests | null;
  /** Of the handle that a browser has; absent if none has one. */
  readonly handle?: string;
  readonly userAgent: string | null;
  /** When the person proved who they are, which may have been earlier at an issuer; `null` if the issuer doesn't say. */
  readonly authenticatedAt: number | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly idleUntil: number;
  readonly absoluteUntil: number;
}

/** How long after a sign-in people may do what is costly. */
export const freshMs = 600_000;

/** All sessions that haven't ended. */
export const sessions = collection<SessionRecord>()("session", {
  key: ({ id }) => [id],
  indexes: { byPrincipal: ({ principalId, createdAt }) => [[principalId, createdAt]] },
});

/** The tokens of a session. */
export interface GivenTokens {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly secondFactor: SecondFactor | null;
  readonly scopes: readonly TokenScope[];
}

export type NewSession = Pick<
  SessionRecord,
  | "principalId"
  | "kind"
  | "environment"
  | "secretId"
  | "signedInBy"
  | "identityId"
  | "secondFactor"
  | "scopes"
  | "epoch"
> & {
  /** @default now */
  readonly authenticatedAt?: SessionRecord["authenticatedAt"];
};

export type BeginSession = (change: Change, from: CallerFacts, session: NewSession) => Promise<GivenTokens>;

/** Whether a person's session has their account's epoch. A service account's session ends with its secret instead. */
export async function isOfItsAccount(
  reader: Pick<Change, "get">,
  { kind, principalId, epoch }: SessionRecord,
): Promise<boolean> {
  if (kind === "serviceAccount") return true;
  const account = await reader.get(accounts, [principalId]);
  return account?.status === "Active" && account.sessionEpoch === epoch;
}

export function endSession(
  change: Change,
  session: SessionRecord,
  type: "session.revoked" | "session.reuse_detected",
): void {
  change.delete(sessions, [session.id]);
  emitSession(change, type, session);
}

/** Emits a change of a session. */
export function emitSession(
  change: Change,
  type: "session.started" | "session.revoked" | "session.reuse_detected",
  session: SessionRecord,
): void {
  const { principalId, kind, id, environment, signedInBy, secondFactor = null } = session;
  const about =
    environment === null
      ? ({ kind: "account", accountId: principalId } as const)
      : ({ kind: "environment", ...environment } as const);
  const data = { sessionId: id, principal: kind };
  if (type === "session.started")
    change.emit({ type, subject: principalId, about, data: { ...data, signedInBy, secondFactor } });
  // Only its own principal ends a session, though some ways of it identify nobody else.
  else if (type === "session.revoked") change.emit({ type, subject: principalId, actor: principalId, about, data });
  else change.emit({ type, subject: principalId, about, data });
}
