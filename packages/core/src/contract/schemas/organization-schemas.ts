import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  description,
  displayName,
  httpsUrl,
  iconFields,
  line,
  lineOrNone,
  madeByUpsert,
  nameOrNone,
  recordFields,
  recordFieldsById,
  shortName,
  shownUuid,
  uuid,
  withIcon,
} from "./values.ts";

const organizationFields = {
  name: nameOrNone.exactOptional(),
  description: description.nullable().exactOptional(),
  ...iconFields,
  tags: z.array(displayName).max(50).nullable().exactOptional(),
  socialLinks: z.array(httpsUrl).max(50).nullable().exactOptional(),
  requiresSecondFactor: z.boolean().exactOptional(),
};
const create = z.strictObject(organizationFields).transform(withIcon);
/** An organization to create. */
export interface OrganizationInput extends z.output<typeof create> {}
export const organizationInput: Schema<OrganizationInput> = create;

const update = z.strictObject({ organizationId: uuid, ...organizationFields }).transform(withIcon);
/** Changes to an organization. */
export interface OrganizationUpdate extends z.output<typeof update> {}
export const organizationUpdate: Schema<OrganizationUpdate> = update;

/** The status of an organization. */
export const organizationStatus = z.enum(["Unknown", "Active", "Suspended", "Deleted"]);

const organizationShape = z.object({
  id: shownUuid,
  name: z.string().nullable(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  tags: z.array(z.string()),
  socialLinks: z.array(z.string()),
  /** People who signed in without a second factor may do nothing in it. */
  requiresSecondFactor: z.boolean(),
  admins: z.array(z.string()),
  /** The accounts and service accounts that have a grant of their own on the organization. */
  members: z.array(z.string()),
  /** How many members the list of members has, those through teams included. */
  memberCount: z.number(),
  teams: z.array(z.string()),
  resourceGroups: z.array(z.string()),
  serviceAccountId: shownUuid.nullable(),
  status: organizationStatus,
  subscriptionId: shownUuid.nullable(),
  ...recordFieldsById,
});
/** An organization. */
export interface Organization extends z.output<typeof organizationShape> {}
export const organization: Schema<Organization> = organizationShape;

const part = z.object({
  id: shownUuid,
  name: z.string().nullable(),
  icon: z.string().nullable(),
  /** The organization requires a second factor, and the caller signed in without one. */
  needsSecondFactor: z.boolean(),
});
/** An organization as shown to a caller who has access only to something in it, or lacks the second factor that it requires. */
export interface OrganizationSummary extends z.output<typeof part> {}
/** An item of an organization list: complete for a caller who may View it. */
export type OrganizationOrSummary = Organization | OrganizationSummary;
export const organizationOrSummary: Schema<OrganizationOrSummary> = z.union([organizationShape, part]);

const memberShape = z.object({
  principalId: z.string(),
  kind: z.enum(["Account", "ServiceAccount"]),
  /** A person's name or user name; for a service account, its owner's. */
  name: z.string().nullable(),
  /** Shown only to Admins of the organization and to the member. */
  email: z.string().nullable(),
  /** A person who hasn't accepted the invitation yet: they can't do anything. */
  isInvited: z.boolean(),
  /** The permissions on the organization itself. */
  permissions: z.array(z.enum(["Admin", "Edit", "Terminate", "View"])),
  /** Whether something was granted to them directly, and not only to their teams. */
  direct: z.boolean(),
  /** The short names of the teams that they have permissions through. */
  through: z.array(z.string()),
});
/** A principal with permissions on an organization. */
export interface Member extends z.output<typeof memberShape> {}
export const member: Schema<Member> = memberShape;

const teamInputShape = z
  .strictObject({
    shortName: shortName.nullable().exactOptional(),
    name: nameOrNone.exactOptional(),
    description: description.nullable().exactOptional(),
    ...iconFields,
    isPrivate: z.boolean().exactOptional(),
  })
  .transform(withIcon);
/** A team to create, or changes to one. */
export interface TeamInput extends z.output<typeof teamInputShape> {}
export const teamInput: Schema<TeamInput> = teamInputShape;

const teamShape = z.object({
  id: z.object({ organizationId: shownUuid, shortName: z.string() }),
  name: z.string().nullable(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  status: z.enum(["Unknown", "Active", "Deleted"]),
  isPrivate: z.boolean(),
  principalId: shownUuid,
  ...recordFields,
  ...madeByUpsert,
});
/** A team. */
export interface Team extends z.output<typeof teamShape> {}
export const team: Schema<Team> = teamShape;

const principalType = z.enum(["Account", "Team"]);
/** A permission that a grant gives. */
export const permissionType = z.enum(["Admin", "Edit", "Terminate", "View"]);
const permission = z.strictObject({
  principalType,
  principalId: lineOrNone.nullable().exactOptional(),
  permissionType,
});
/** A permission to grant or revoke. */
export interface PermissionInput extends z.output<typeof permission> {}
export const permissionInput: Schema<PermissionInput> = permission;

const granted = z.object({
  principalType,
  principalId: z.string(),
  /** A person's name or user name, for Admins also an address; the short name of a team; the owner of a service account. */
  name: z.string().nullable(),
  permissionType,
});
/** A permission that is granted. */
export interface GrantedPermission extends z.output<typeof granted> {}
export const grantedPermission: Schema<GrantedPermission> = granted;

const explainQueryShape = z.strictObject({
  principalType,
  principalId: line,
  resourceGroup: shortName.exactOptional(),
});
/** The principal whose permissions to explain. */
export interface ExplainQuery extends z.output<typeof explainQueryShape> {}
export const explainQuery: Schema<ExplainQuery> = explainQueryShape;

const explanation = z.object({
  permissions: z.array(permissionType),
  because: z.array(
    z.object({ scope: z.string(), principalType, principalId: z.string(), permissionType, via: z.array(z.string()) }),
  ),
});
/** A principal's permissions, and the grants and teams they come through. */
export interface PermissionExplanation extends z.output<typeof explanation> {}
export const permissionExplanation: Schema<PermissionExplanation> = explanation;
