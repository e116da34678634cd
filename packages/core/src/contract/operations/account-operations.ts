import { operation } from "../row.ts";
import * as s from "../schemas/account-schemas.ts";
import { issuedSecret, serviceAccountSecret, serviceAccountSecretRequest } from "../schemas/environment-schemas.ts";
import * as groups from "../schemas/resource-group-schemas.ts";
import { factorOperations } from "./factor-operations.ts";
import { identityOperations } from "./identity-operations.ts";
import { accountWebhookOperations } from "./webhook-operations.ts";

const anyone = { who: "anyone" } as const;
const self = { who: "account" } as const;
const selfOrServiceAccount = { who: "account", orItsServiceAccount: true } as const;
const ownGroups = { ...selfOrServiceAccount, changes: "things" } as const;
const operator = { who: "operator" } as const;
const proof = { who: "challenge", opens: ["activation", "email"] } as const;
/** Deprecated paths of the specification collide here; the router decides. */
const ambiguous =
  "The path `/accounts/resourcegroups/activate` also fits another deprecated operation: it always means the resource group named `activate`.";

/** When the three operations were deprecated, and when they may be removed. */
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
  /** Registers an account by its e-mail address. The answer is the same when the address is taken. */
  createWithEmail: operation("accounts.createWithEmail", {
    summary: "Registers an account by its e-mail address. The answer is the same when the address is taken.",
    access: anyone,
    body: s.emailInput,
    result: s.account,
    success: [201],
    rate: "registration",
    versioned: true,
    unconditional: true,
    errors: ["ValueRequired"],
  }),
  /** Lists all accounts, or those that match a filter. */
  list: operation("accounts.list", {
    summary: "Lists all accounts, or those that match a filter.",
    access: operator,
    query: s.accountListQuery,
    result: s.account,
  }),
  /** Reads an account, even one that was deleted but not yet purged. */
  get: operation("accounts.get", {
    summary: "Reads an account, even one that was deleted but not yet purged.",
    access: operator,
    result: s.account,
    versioned: true,
    errors: ["NotFound"],
  }),
  /** Reads the caller's own account. */
  me: operation("accounts.me", {
    summary: "Reads the caller's own account.",
    access: selfOrServiceAccount,
    withoutSecondFactor: true,
    result: s.account,
    versioned: true,
  }),
  /** Changes the caller's own account. Omitted members stay; null clears. */
  update: operation("accounts.update", {
    summary: "Changes the caller's own account. Omitted members stay; null clears.",
    access: selfOrServiceAccount,
    personOnlyMembers: ["email"],
    body: s.accountUpdate,
    result: s.account,
    versioned: true,
    errors: ["ValueRequired"],
  }),
  /** Deletes the caller's own account. */
  deleteMe: operation("accounts.deleteMe", {
    summary: "Deletes the caller's own account.",
    access: self,
    fresh: true,
    result: s.account,
    versioned: true,
    errors: ["LastAdmin", "EnvironmentNotEmpty"],
  }),
  /** Changes the caller's password and ends all other sessions. */
  changePassword: operation("accounts.changePassword", {
    summary: "Changes the caller's password and ends all other sessions.",
    access: self,
    withoutSecondFactor: true,
    beforePasswordChange: true,
    body: s.passwordChangeInput,
    result: s.done,
    errors: ["WeakPassword", "ValueRequired"],
    badRequests: ["InvalidCredentials"],
  }),
  /** Creates the service account of the caller's account, unless it exists. */
  serviceAccount: operation("accounts.serviceAccount", {
    summary: "Creates the service account of the caller's account, unless it exists.",
    access: selfOrServiceAccount,
    result: s.account,
    versioned: true,
    unconditional: true,
  }),
  /** Issues a secret to the caller's own service account; it is shown only once. */
  issueServiceAccountSecret: operation("accounts.issueServiceAccountSecret", {
    summary: "Issues a secret to the caller's own service account; it is shown only once.",
    access: self,
    fresh: true,
    body: serviceAccountSecretRequest,
    bodyOptional: true,
    result: issuedSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState", "OrganizationRequiresSecondFactor"],
  }),
  /** Lists the valid secrets of the caller's own service account, without their values. */
  listServiceAccountSecrets: operation("accounts.listServiceAccountSecrets", {
    summary: "Lists the valid secrets of the caller's own service account, without their values.",
    access: self,
    query: s.pageQueryInput,
    result: serviceAccountSecret,
  }),
  /** Revokes a secret of the caller's own service account and ends its sessions. */
  revokeServiceAccountSecret: operation("accounts.revokeServiceAccountSecret", {
    summary: "Revokes a secret of the caller's own service account and ends its sessions.",
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
   * Activates an account by its ID.
   * @deprecated Use `accounts.activate`: the challenge says whose account it is.
   */
  activateById: operation("accounts.activateById", {
    summary: "Activates an account by its ID.",
    note: ambiguous,
    access: proof,
    body: s.activationInput,
    result: s.done,
    rate: "challenges",
    errors: ["ChallengeInvalid", "WeakPassword", "ValueRequired", "NotFound"],
    deprecated: { successor: "accounts.activate", ...deprecation },
  }),
  /** Mails a new activation challenge. The answer is the same whether or not the account exists. */
  resendChallenge: operation("accounts.resendChallenge", {
    summary: "Mails a new activation challenge. The answer is the same whether or not the account exists.",
    access: anyone,
    body: s.emailInput,
    result: s.acceptedAnswer,
    success: [202],
    rate: "challenges",
    ratedName: { member: "email", bucket: "challengeName" },
    errors: ["ValueRequired"],
  }),
  /** Mails a password reset challenge. The answer is the same whether or not the account exists. */
  requestPasswordReset: operation("accounts.requestPasswordReset", {
    summary: "Mails a password reset challenge. The answer is the same whether or not the account exists.",
    access: anyone,
    body: s.emailInput,
    result: s.acceptedAnswer,
    success: [202],
    rate: "challenges",
    ratedName: { member: "email", bucket: "challengeName" },
    errors: ["ValueRequired"],
  }),
  /** Sets a new password with a mailed challenge and ends all sessions. */
  resetPassword: operation("accounts.resetPassword", {
    summary: "Sets a new password with a mailed challenge and ends all sessions.",
    access: { who: "challenge", opens: ["reset"] },
    body: s.passwordResetInput,
    result: s.done,
    rate: "challenges",
    errors: ["ChallengeInvalid", "WeakPassword", "ValueRequired"],
  }),
  /** Sets a one-time password for an account whose owner has lost theirs, and ends its sessions. */
  setPassword: operation("accounts.setPassword", {
    summary: "Sets a one-time password for an account whose owner has lost theirs, and ends its sessions.",
    access: operator,
    fresh: true,
    body: s.passwordResetInput,
    result: s.done,
    errors: ["WeakPassword", "ValueRequired", "InvalidState", "NotFound"],
  }),
  /** Suspends an account and ends its sessions. */
  suspend: operation("accounts.suspend", {
    summary: "Suspends an account and ends its sessions.",
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
  /** Deletes an account: the caller's own, or any account if the caller is an operator. */
  delete: operation("accounts.delete", {
    summary: "Deletes an account: the caller's own, or any account if the caller is an operator.",
    access: { who: "operator", orOneself: true },
    fresh: true,
    result: s.account,
    versioned: true,
    errors: ["LastAdmin", "EnvironmentNotEmpty", "NotFound"],
  }),
  /** Reports how far the release of a deleted account's resources is, and what remains in clouds. */
  release: operation("accounts.release", {
    summary: "Reports how far the release of a deleted account's resources is, and what remains in clouds.",
    access: operator,
    result: s.accountRelease,
    errors: ["NotFound"],
  }),
  /** Removes all second factors of an account whose owner has lost them, and ends its sessions. */
  removeFactors: operation("accounts.removeFactors", {
    summary: "Removes all second factors of an account whose owner has lost them, and ends its sessions.",
    access: operator,
    fresh: true,
    result: s.done,
    errors: ["NotFound"],
  }),
  factors: factorOperations,
  identities: identityOperations,
  resourceGroups: {
    /** Lists the caller's own resource groups. */
    list: operation("accounts.resourceGroups.list", {
      summary: "Lists the caller's own resource groups.",
      access: ownGroups,
      query: s.pageQueryInput,
      result: groups.personalResourceGroup,
    }),
    /** Creates or changes one of the caller's own resource groups. */
    upsert: operation("accounts.resourceGroups.upsert", {
      summary: "Creates or changes one of the caller's own resource groups.",
      access: ownGroups,
      body: groups.resourceGroupInput,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["SubscriptionExpired"],
    }),
    /** Reads one of the caller's own resource groups. */
    get: operation("accounts.resourceGroups.get", {
      summary: "Reads one of the caller's own resource groups.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
    }),
    /** Deletes one of the caller's own resource groups. */
    delete: operation("accounts.resourceGroups.delete", {
      summary: "Deletes one of the caller's own resource groups.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
    }),
    /**
     * Creates or changes one of the caller's own resource groups, by the old path.
     * @deprecated Use `accounts.resourceGroups.upsert`.
     */
    upsertByShortName: operation("accounts.resourceGroups.upsertByShortName", {
      note: ambiguous,
      summary: "Creates or changes one of the caller's own resource groups, by the old path.",
      access: ownGroups,
      body: groups.resourceGroupInput,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["SubscriptionExpired"],
      deprecated: { successor: "accounts.resourceGroups.upsert", ...deprecation },
    }),
    /**
     * Reads one of the caller's own resource groups, by the old path.
     * @deprecated Use `accounts.resourceGroups.get`.
     */
    getByShortName: operation("accounts.resourceGroups.getByShortName", {
      summary: "Reads one of the caller's own resource groups, by the old path.",
      access: ownGroups,
      result: groups.personalResourceGroup,
      versioned: true,
      errors: ["NotFound"],
      deprecated: { successor: "accounts.resourceGroups.get", ...deprecation },
    }),
  },
  webhooks: accountWebhookOperations,
} as const;
