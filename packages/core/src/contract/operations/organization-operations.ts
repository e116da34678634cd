import { operation } from "../row.ts";
import {
  done,
  pageQueryInput,
  subscription,
  subscriptionInput,
  subscriptionOfAccount,
  subscriptionQuery,
  subscriptionUpdate,
  subscriptionWithUse,
} from "../schemas/account-schemas.ts";
import { issuedSecret, serviceAccountSecret, serviceAccountSecretRequest } from "../schemas/environment-schemas.ts";
import * as s from "../schemas/organization-schemas.ts";
import { organizationResourceGroup, resourceGroupInput } from "../schemas/resource-group-schemas.ts";
import { organizationWebhookOperations } from "./webhook-operations.ts";

const view = { on: "organization", need: "View" } as const;
const admin = { on: "organization", need: "Admin" } as const;
const grantErrors = [
  "InvalidPrincipal",
  "SubscriptionLimitReached",
  "SubscriptionExpired",
  "AccountNotActive",
] as const;
const writeErrors = ["SubscriptionExpired", "AccountNotActive"] as const;

/** The operations on organizations, their teams and resource groups. */
export const organizationOperations = {
  /** Creates an organization and makes the caller its Admin. */
  create: operation("organizations.create", {
    summary: "Creates an organization and makes the caller its Admin.",
    access: { who: "account" },
    makes: "organization",
    body: s.organizationInput,
    result: s.organization,
    success: [201],
    versioned: true,
    errors: ["ValueRequired", "SubscriptionLimitReached", "SubscriptionExpired", "OrganizationRequiresSecondFactor"],
  }),
  /** Changes an organization. Omitted members stay; null clears. */
  update: operation("organizations.update", {
    summary: "Changes an organization. Omitted members stay; null clears.",
    note: "Only Admins can send requiresSecondFactor. To require a second factor, you must have signed in with one.",
    adminMembers: ["requiresSecondFactor"],
    access: { on: "organization", need: "Edit", rules: ["inBody"] },
    body: s.organizationUpdate,
    result: s.organization,
    versioned: true,
    errors: ["ValueRequired", ...writeErrors],
  }),
  /** Lists the organizations that the caller may see, with only a name if the caller sees just parts. */
  list: operation("organizations.list", {
    summary: "Lists the organizations that the caller may see, with only a name if the caller sees just parts.",
    access: { who: "principal" },
    query: pageQueryInput,
    result: s.organizationOrSummary,
  }),
  /** Reads an organization. */
  get: operation("organizations.get", {
    summary: "Reads an organization.",
    access: view,
    result: s.organization,
    versioned: true,
  }),
  /** Deletes an organization with its teams and resource groups. */
  delete: operation("organizations.delete", {
    summary: "Deletes an organization with its teams and resource groups.",
    access: { on: "organization", need: "Terminate" },
    fresh: true,
    effect: "closes",
    result: s.organization,
    versioned: true,
    errors: ["EnvironmentNotEmpty"],
  }),
  /** Suspends an organization: reads still work, writes are refused. */
  suspend: operation("organizations.suspend", {
    summary: "Suspends an organization: reads still work, writes are refused.",
    access: { who: "operator" },
    result: s.organization,
    versioned: true,
    unconditional: true,
    errors: ["NotFound", "OrganizationRequiresSecondFactor"],
  }),
  /** Resumes a suspended organization. */
  resume: operation("organizations.resume", {
    summary: "Resumes a suspended organization.",
    access: { who: "operator" },
    result: s.organization,
    versioned: true,
    unconditional: true,
    errors: ["NotFound", "OrganizationRequiresSecondFactor"],
  }),
  /** Issues a secret to the organization's service account; it is shown only once. */
  issueServiceAccountSecret: operation("organizations.issueServiceAccountSecret", {
    summary: "Issues a secret to the organization's service account; it is shown only once.",
    access: admin,
    fresh: true,
    body: serviceAccountSecretRequest,
    bodyOptional: true,
    result: issuedSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState", ...writeErrors],
  }),
  /** Lists the valid secrets of the organization's service account, without their values. */
  listServiceAccountSecrets: operation("organizations.listServiceAccountSecrets", {
    summary: "Lists the valid secrets of the organization's service account, without their values.",
    access: admin,
    query: pageQueryInput,
    result: serviceAccountSecret,
  }),
  /** Revokes a secret of the organization's service account and ends its sessions. */
  revokeServiceAccountSecret: operation("organizations.revokeServiceAccountSecret", {
    summary: "Revokes a secret of the organization's service account and ends its sessions.",
    access: admin,
    result: done,
    rate: "secretWrites",
    errors: writeErrors,
  }),
  members: {
    /** Lists the members of an organization with their permissions, by name. */
    list: operation("organizations.members.list", {
      summary: "Lists the members of an organization with their permissions, by name.",
      access: view,
      query: pageQueryInput,
      result: s.member,
    }),
  },
  permissions: {
    /** Lists the permissions granted on an organization itself. */
    list: operation("organizations.permissions.list", {
      summary: "Lists the permissions granted on an organization itself.",
      access: view,
      query: pageQueryInput,
      result: s.grantedPermission,
    }),
    /** Grants a permission on an organization to a principal. */
    grant: operation("organizations.permissions.grant", {
      summary: "Grants a permission on an organization to a principal.",
      access: admin,
      body: s.permissionInput,
      result: done,
      errors: grantErrors,
    }),
    /** Revokes a permission on an organization from a principal. */
    revoke: operation("organizations.permissions.revoke", {
      summary: "Revokes a permission on an organization from a principal.",
      access: admin,
      effect: "ends",
      body: s.permissionInput,
      result: done,
      errors: ["LastAdmin", ...grantErrors],
    }),
  },
  resourceGroups: {
    /** Lists an organization's resource groups that the caller may see. */
    list: operation("organizations.resourceGroups.list", {
      summary: "Lists an organization's resource groups that the caller may see.",
      access: { ...view, rules: ["partly"] },
      query: pageQueryInput,
      result: organizationResourceGroup,
    }),
    /** Creates or changes a resource group of an organization. */
    upsert: operation("organizations.resourceGroups.upsert", {
      summary: "Creates or changes a resource group of an organization.",
      access: { on: "organizationGroup", need: "Edit", rules: ["creates"] },
      body: resourceGroupInput,
      result: organizationResourceGroup,
      versioned: true,
      errors: writeErrors,
    }),
    /** Reads a resource group of an organization. */
    get: operation("organizations.resourceGroups.get", {
      summary: "Reads a resource group of an organization.",
      access: { on: "organizationGroup", need: "View" },
      result: organizationResourceGroup,
      versioned: true,
    }),
    /** Deletes a resource group of an organization. */
    delete: operation("organizations.resourceGroups.delete", {
      summary: "Deletes a resource group of an organization.",
      access: { on: "organizationGroup", need: "Terminate" },
      result: organizationResourceGroup,
      versioned: true,
    }),
    permissions: {
      /** Lists the permissions granted on a resource group itself. */
      list: operation("organizations.resourceGroups.permissions.list", {
        summary: "Lists the permissions granted on a resource group itself.",
        access: { on: "organizationGroup", need: "View" },
        query: pageQueryInput,
        result: s.grantedPermission,
      }),
      /** Grants a permission on a resource group to a principal. */
      grant: operation("organizations.resourceGroups.permissions.grant", {
        summary: "Grants a permission on a resource group to a principal.",
        access: { on: "organizationGroup", need: "Admin" },
        body: s.permissionInput,
        result: done,
        errors: grantErrors,
      }),
      /** Revokes a permission on a resource group from a principal. */
      revoke: operation("organizations.resourceGroups.permissions.revoke", {
        summary: "Revokes a permission on a resource group from a principal.",
        access: { on: "organizationGroup", need: "Admin" },
        effect: "ends",
        body: s.permissionInput,
        result: done,
        errors: grantErrors,
      }),
    },
  },
  teams: {
    /** Lists an organization's teams that the caller may see. */
    list: operation("organizations.teams.list", {
      summary: "Lists an organization's teams that the caller may see.",
      access: { ...view, rules: ["partly"] },
      query: pageQueryInput,
      result: s.team,
    }),
    /** Creates or changes a team. */
    upsert: operation("organizations.teams.upsert", {
      summary: "Creates or changes a team.",
      access: { on: "team", need: "Edit", rules: ["creates", "inBody"] },
      body: s.teamInput,
      result: s.team,
      versioned: true,
      errors: ["ValueRequired", ...writeErrors],
    }),
    /** Reads a team. */
    get: operation("organizations.teams.get", {
      summary: "Reads a team.",
      access: { on: "team", need: "View" },
      result: s.team,
      versioned: true,
    }),
    /** Deletes a team. */
    delete: operation("organizations.teams.delete", {
      summary: "Deletes a team.",
      access: { on: "team", need: "Terminate" },
      result: s.team,
      versioned: true,
    }),
    permissions: {
      /** Lists the members of a team with their permissions on it. */
      list: operation("organizations.teams.permissions.list", {
        summary: "Lists the members of a team with their permissions on it.",
        access: { on: "team", need: "View" },
        query: pageQueryInput,
        result: s.grantedPermission,
      }),
      /** Grants a permission on a team to a principal, which becomes a member. */
      grant: operation("organizations.teams.permissions.grant", {
        summary: "Grants a permission on a team to a principal, which becomes a member.",
        access: { on: "team", need: "Admin" },
        body: s.permissionInput,
        result: done,
        errors: ["TeamCycle", ...grantErrors],
      }),
      /** Revokes a permission on a team from a principal. */
      revoke: operation("organizations.teams.permissions.revoke", {
        summary: "Revokes a permission on a team from a principal.",
        access: { on: "team", need: "Admin" },
        effect: "ends",
        body: s.permissionInput,
        result: done,
        errors: grantErrors,
      }),
    },
  },
  webhooks: organizationWebhookOperations,
} as const;

/** The operations that explain permissions. */
export const permissionOperations = {
  /** Explains what a principal may do in an organization, and through which grants and teams. */
  explain: operation("permissions.explain", {
    summary: "Explains what a principal may do in an organization, and through which grants and teams.",
    access: { ...admin, rules: ["orOneself"] },
    query: s.explainQuery,
    result: s.permissionExplanation,
    errors: ["InvalidPrincipal"],
  }),
} as const;

/** The operations on subscriptions. */
export const subscriptionOperations = {
  /** Creates a subscription: Discover for the caller, or any type for any account as an operator. */
  create: operation("subscriptions.create", {
    summary: "Creates a subscription: Discover for the caller, or any type for any account as an operator.",
    access: { who: "account", orItsServiceAccount: true },
    makes: "subscription",
    query: subscriptionQuery,
    body: subscriptionInput,
    result: subscription,
    success: [201],
    versioned: true,
    errors: ["AlreadyExists", "SubscriptionDetailsMismatch", "PermissionDenied", "InvalidState", "NotFound"],
  }),
  /** Changes a subscription's type and details. */
  update: operation("subscriptions.update", {
    summary: "Changes a subscription's type and details.",
    access: { who: "operator" },
    body: subscriptionUpdate,
    result: subscription,
    versioned: true,
    errors: ["SubscriptionDetailsMismatch", "InvalidState", "NotFound"],
  }),
  /** Lists the subscriptions of all accounts, with what is used and what each allows. */
  list: operation("subscriptions.list", {
    summary: "Lists the subscriptions of all accounts, with what is used and what each allows.",
    access: { who: "operator" },
    query: pageQueryInput,
    result: subscriptionOfAccount,
  }),
  /** Reads a subscription, with what is used and what it allows. */
  get: operation("subscriptions.get", {
    summary: "Reads a subscription, with what is used and what it allows.",
    access: { on: "subscription", need: "View" },
    result: subscriptionWithUse,
    versioned: true,
  }),
} as const;
