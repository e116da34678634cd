import type { CallerFacts } from "../contract/handler.ts";
import type { EnvironmentRef, TokenScope } from "../contract/target.ts";
import { accounts } from "../identity/account-record.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { RefreshDigests } from "./refresh-tokens.ts";

/** A session: a family of tokens that live and end together. */
export interface SessionRecord {
  readonly id: string;
  /** An account's id or a service account's. */
  readonly principalId: string;
  readonly kind: "account" | "serviceAccount";
  readonly environment: EnvironmentRef | null;
  readonly secretId: string | null;
  readonly signedInBy: "password" | "openid" | "secret" | "pipeline";
  /** The linked identity that it was begun by. */
  readonly identityId?: string;
  readonly scopes: readonly TokenScope[];
  /** It has ended when its account is of a later epoch. */
  readonly epoch: number;
  /** `null`: there is nothing to refresh with. */
  readonly refresh: RefreshDigests | null;
  /** Of the handle that a browser has; absent: none has one. */
  readonly handle?: string;
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly idleUntil: number;
  readonly absoluteUntil: number;
}

/** All sessions that have not ended. */
export const sessions = collection<SessionRecord>()("session", {
  key: ({ id }) => [id],
  indexes: { byPrincipal: ({ principalId, createdAt }) => [[principalId, createdAt]] },
});

/** What a session gives out. */
export interface GivenTokens {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scopes: readonly TokenScope[];
}

export type NewSession = Pick<
  SessionRecord,
  "principalId" | "kind" | "environment" | "secretId" | "signedInBy" | "identityId" | "scopes" | "epoch"
>;

export type BeginSession = (change: Change, from: CallerFacts, session: NewSession) => Promise<GivenTokens>;

/** Whether a person's session is of their account's epoch; a service account's ends with its secret instead. */
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

/** Tells what became of a session. */
export function emitSession(
  change: Change,
  type: "session.started" | "session.revoked" | "session.reuse_detected",
  session: SessionRecord,
): void {
  const { principalId, kind, id, environment, signedInBy } = session;
  const about =
    environment === null
      ? ({ kind: "account", accountId: principalId } as const)
      : ({ kind: "environment", ...environment } as const);
  const data = { sessionId: id, principal: kind };
  if (type === "session.started") change.emit({ type, subject: principalId, about, data: { ...data, signedInBy } });
  else change.emit({ type, subject: principalId, about, data });
}
