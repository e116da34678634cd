import { operation } from "../row.ts";
import * as s from "../schemas/account-schemas.ts";
import { issuedSecret, serviceAccountSecret, serviceAccountSecretRequest } from "../schemas/environment-schemas.ts";
import * as groups from "../schemas/resource-group-schemas.ts";
import { identityOperations } from "./identity-operations.ts";
import { accountWebhookOperations } from "./webhook-operations.ts";

const anyone = { who: "anyone" } as const;
const self = { who: "account" } as const;
const selfOrServiceAccount = { who: "account", orItsServiceAccount: true } as const;
const ownGroups = { ...selfOrServiceAccount, changes: "things" } as const;
const operator = { who: "operator" } as const;
const proof = { who: "challenge", opens: ["activation", "email"] } as const;
/** When the three deprecated operations were, and when they may go. */
const deprecation = { since: "2026-01-01T00:00:00Z", sunset: "2027-12-31T23:59:59Z" } as const;

/** The operations on accounts. */
export const accountOperations = {
  /** Creates an Active account with a user name and a password. */
  createWithCredentials: operation("accounts.createWithCredentials", {
    summary: "Creates an Active account with a user name and a password.",
    access: { who: "anyone", registers: true },
    body: s.credentialsInput,
    result: s.account,
    success: [201],
    rate: "registration",
    versioned: true,
    unconditional: true,
    errors: [
      "AlreadyExists",
      "WeakPassword",
      "Unauthenticated",
      "TokenExpired",
      "TokenRevoked",
      "PasswordChangeRequired",
      "PermissionDenied",
      "ValueRequired",
    ],
  }),
  /** Registers an account by its e-mail address; the answer is the same when the address is taken. */
  createWithEmail: operation("accounts.createWithEmail", {
    summary: "Registers an account by its e-mail address; the answer is the same when the address is taken.",
    access: anyone,
    body: s.emailInput,
    result: s.account,
    success: [201],
    rate: "registration",
    versioned: true,
    unconditional: true,
    errors: ["ValueRequired"],
  }),
  /** Lists all accounts, or those that a filter names. */
  list: operation("accounts.list", {
    summary: "Lists all accounts, or those that a filter names.",
    access: operator,
    query: s.accountListQuery,
    result: s.account,
  }),
  /** Reads an account, also one that was deleted and isn't purged yet. */
  get: operation("accounts.get", {
    summary: "Reads an account, also one that was deleted and isn't purged yet.",
    access: operator,
    result: s.account,
    versioned: true,
    errors: ["NotFound"],
  }),
  /** Reads one's own account. */
  me: operation("accounts.me", {
    summary: "Reads one's own account.",
    access: selfOrServiceAccount,
    result: s.account,
    versioned: true,
  }),
  /** Changes one's own account: what is left out stays, null clears. */
  update: operation("accounts.update", {
    summary: "Changes one's own account: what is left out stays, null clears.",
    access: selfOrServiceAccount,
    personOnlyMembers: ["email"],
    body: s.accountUpdate,
    result: s.account,
    versioned: true,
    errors: ["ValueRequired"],
  }),
  /** Deletes one's own account. */
  deleteMe: operation("accounts.deleteMe", {
    summary: "Deletes one's own account.",
    access: self,
    result: s.account,
    versioned: true,
    errors: ["LastAdmin", "EnvironmentNotEmpty"],
  }),
  /** Changes one's own password and ends all other sessions. */
  changePassword: operation("accounts.changePassword", {
    summary: "Changes one's own password and ends all other sessions.",
    access: self,
    beforePasswordChange: true,
    body: s.passwordChangeInput,
    result: s.done,
    errors: ["WeakPassword", "ValueRequired"],
    badRequests: ["InvalidCredentials"],
  }),
  /** Makes the service account of one's own account, once. */
  serviceAccount: operation("accounts.serviceAccount", {
    summary: "Makes the service account of one's own account, once.",
    access: selfOrServiceAccount,
    result: s.account,
    versioned: true,
    unconditional: true,
  }),
  /** Issues a secret to the service account of one's own account, shown this once. */
  issueServiceAccountSecret: operation("accounts.issueServiceAccountSecret", {
    summary: "Issues a secret to the service account of one's own account, shown this once.",
    access: self,
    body: serviceAccountSecretRequest,
    bodyOptional: true,
    result: issuedSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Lists the secrets of one's own service account that are alive, without the secrets. */
  listServiceAccountSecrets: operation("accounts.listServiceAccountSecrets", {
    summary: "Lists the secrets of one's own service account that are alive, without the secrets.",
    access: self,
    query: s.pageQueryInput,
    result: serviceAccountSecret,
  }),
  /** Ends a secret of one's own service account, and what was signed in with it. */
  revokeServiceAccountSecret: operation("accounts.revokeServiceAccountSecret", {
    summary: "Ends a secret of one's own service account, and what was signed in with it.",
    access: self,
    result: s.done,
    rate: "secretWrites",
    errors: ["NotFound"],
  }),
  /** Activates the account that the mailed challenge belongs to. */
  activate: operation("accounts.activate", {
    summary: "Activates the account that the mailed challenge belongs to.",
    access: proof,
    body: s.activationInput,
    result: s.done,
    rate: "challenges",
    errors: ["ChallengeInvalid", "WeakPassword", "ValueRequired"],
  }),
  /**
   * Activates an account named by its id.
   * @deprecated Use `accounts.activate`: the challenge says whose account it is.
   */
  activateById: operation("accounts.activateById", {
    summary: "Activates an account named by its id.",
    access: proof,
    body: s.activationInput,
    result: s.done,
    rate: "challenges",
    errors: ["ChallengeInvalid", "WeakPassword", "ValueRequired", "NotFound"],
    deprecated: { successor: "accounts.activate", ...deprecation },
  }),
  /** Mails a new activation challenge; the answer is the same whether the account exists. */
  resendChallenge: operation("accounts.resendChallenge", {
    summary: "Mails a new activation challenge; the answer is the same whether the account exists.",
    access: anyone,
    body: s.emailInput,
    result: s.acceptedAnswer,
    success: [202],
    rate: "challenges",
    ratedName: { member: "email", bucket: "challengeName" },
    errors: ["ValueRequired"],
  }),
  /** Mails a password reset challenge; the answer is the same whether the account exists. */
  requestPasswordReset: operation("accounts.requestPasswordReset", {
    summary: "Mails a password reset challenge; the answer is the same whether the account exists.",
    access: anyone,
    body: s.emailInput,
    result: s.acceptedAnswer,
    success: [202],
    rate: "challenges",
    ratedName: { member: "email", bucket: "challengeName" },
    errors: ["ValueRequired"],
  }),
  /** Sets a new password with a mailed challenge, and ends all sessions. */
  resetPassword: operation("accounts.resetPassword", {
    summary: "Sets a new password with a mailed challenge, and ends all sessions.",
    access: { who: "challenge", opens: ["reset"] },
    body: s.passwordResetInput,
    result: s.done,
    rate: "challenges",
    errors: ["ChallengeInvalid", "WeakPassword", "ValueRequired"],
  }),
  /** Suspends an account; its sessions end. */
  suspend: operation("accounts.suspend", {
    summary: "Suspends an account; its sessions end.",
    access: operator,
    result: s.account,
    versioned: true,
    unconditional: true,
    errors: ["LastAdmin", "InvalidState", "NotFound"],
  }),
  /** Resumes a suspended account. */
  resume: operation("accounts.resume", {
    summary: "Resumes a suspended account.",
    access: operator,
    result: s.account,
    versioned: true,
    unconditional: true,
    errors: ["InvalidState", "NotFound"],
  }),
  /** Deletes an account: one's own, or any as an operator. */
  delete: operation("accounts.delete", {
    summary: "Deletes an account: one's own, or any as an operator.",
    access: { who: "operator", orOneself: true },
    result: s.account,
    versioned: true,
    errors: ["LastAdmin", "EnvironmentNotEmpty", "NotFound"],
  }),
  /** Says how far the release of what a deleted account had is, and what was left in clouds. */
  release: operation("accounts.release", {
    summary: "Says how far the release of what a deleted account had is, and what was left in clouds.",
    access: operator,
    result: s.accountRelease,
    errors: ["NotFound"],
  }),
  identities: identityOperations,
  resourceGroups: {
    /** Lists one's own resource groups. */
    list: operation("accounts.resourceGroups.list", {
      summary: "Lists one's own resource groups.",
      access: ownGroups,
      query: s.pageQueryInput,
      result: groups.personalResourceGroup,
    }),
    /** Makes or changes a resource group of one's own. */
    upsert: operation("accounts.resourceGroups.upsert", {
      summary: "Makes or changes a resource group of one's own.",
      access: ownGroups,
      body: groups.resourceGroupInput,
      result: groups.personalResourceGroup,
      success: [201, 200],
      versioned: true,
      errors: ["SubscriptionExpired"],
    }),
    /** Reads a resource group of one's own. */
    get: operation("accounts.resourceGroups.get", {
      summary: "Reads a resource group of one's own.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
    }),
    /** Deletes a resource group of one's own. */
    delete: operation("accounts.resourceGroups.delete", {
      summary: "Deletes a resource group of one's own.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
    }),
    /**
     * Makes or changes a resource group of one's own, by the old path.
     * @deprecated Use `accounts.resourceGroups.upsert`.
     */
    upsertByShortName: operation("accounts.resourceGroups.upsertByShortName", {
      summary: "Makes or changes a resource group of one's own, by the old path.",
      access: ownGroups,
      body: groups.resourceGroupInput,
      result: groups.personalResourceGroup,
      success: [201, 200],
      versioned: true,
      errors: ["SubscriptionExpired"],
      deprecated: { successor: "accounts.resourceGroups.upsert", ...deprecation },
    }),
    /**
     * Reads a resource group of one's own, by the old path.
     * @deprecated Use `accounts.resourceGroups.get`.
     */
    getByShortName: operation("accounts.resourceGroups.getByShortName", {
      summary: "Reads a resource group of one's own, by the old path.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
      deprecated: { successor: "accounts.resourceGroups.get", ...deprecation },
    }),
  },
  webhooks: accountWebhookOperations,
} as const;
