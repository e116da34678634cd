import type { CallerFacts } from "../contract/handler.ts";
import type { TokenSet } from "../contract/schemas/account-schemas.ts";
import type { TokenScope } from "../contract/target.ts";
import type { AccountRecord } from "../identity/account-record.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";
import type { GivenTokens, NewSession } from "./session-record.ts";

/** All scopes of a person's session; operators also get `operator`. */
export const personScopes: readonly TokenScope[] = [
  "accounts",
  "environments",
  "livesystems",
  "organizations",
  "subscriptions",
];

/** How a person signed in: with what, and with which second factor, if any was given. */
export type HowSignedIn = Pick<NewSession, "signedInBy" | "identityId" | "secondFactor" | "authenticatedAt">;

/** The session that a person has just begun. */
export interface BegunSession {
  readonly account: AccountRecord;
  readonly tokens: GivenTokens;
}

/** Begins a person's session. If a second factor is still needed, the session can only give it. */
export async function beginPerson(
  { begin, settings }: Pick<Services, "begin" | "settings">,
  change: Change,
  { account, from, ...how }: HowSignedIn & { readonly account: AccountRecord; readonly from: CallerFacts },
): Promise<BegunSession> {
  const scopes = [...personScopes];
  if (settings.operators.includes(account.id)) scopes.push("operator");
  const whose = { principalId: account.id, kind: "account", environment: null, secretId: null } as const;
  const factor = account.hasSecondFactor && how.secondFactor === undefined ? { secondFactor: "needed" as const } : {};
  const tokens = await begin(change, from, { ...whose, ...how, ...factor, scopes, epoch: account.sessionEpoch });
  return { account, tokens };
}

export function tokenSetOf(
  { account, tokens }: BegunSession,
  { accessTokenSeconds }: Pick<Settings, "accessTokenSeconds">,
): TokenSet {
  return {
    accessToken: tokens.accessToken,
    tokenType: "Bearer",
    expiresIn: accessTokenSeconds,
    refreshToken: tokens.refreshToken ?? "",
    forcePasswordChange: account.forcePasswordChange,
    secondFactorRequired: tokens.secondFactor === "needed",
  };
}
