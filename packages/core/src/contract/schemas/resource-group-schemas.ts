import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  datedFields,
  description,
  iconFields,
  madeByUpsert,
  nameOrNone,
  recordFieldsById,
  shownGroupId,
  withIcon,
} from "./values.ts";

const groupInput = z
  .strictObject({
    displayName: nameOrNone.exactOptional(),
    description: description.nullable().exactOptional(),
    ...iconFields,
  })
  .transform(withIcon);
/** A resource group to create, or changes to one. */
export interface ResourceGroupInput extends z.output<typeof groupInput> {}
export const resourceGroupInput: Schema<ResourceGroupInput> = groupInput;

const groupFields = {
  displayName: z.string().nullable(),
  description: z.string().nullable(),
  status: z.enum(["Unknown", "Active", "Deleted"]),
  icon: z.string().nullable(),
  livesystems: z.array(z.string()),
  blueprints: z.array(z.string()),
  ...madeByUpsert,
};
const personalGroup = z.object({ id: shownGroupId, ...groupFields, ...datedFields });
/** A personal resource group. */
export interface PersonalResourceGroup extends z.output<typeof personalGroup> {}
export const personalResourceGroup: Schema<PersonalResourceGroup> = personalGroup;

const organizationGroup = z.object({
  id: shownGroupId,
  ...groupFields,
  ...recordFieldsById,
  membersIds: z.array(z.string()),
  teamsIds: z.array(z.string()),
  managersIds: z.array(z.string()),
});
/** An organization's resource group. */
export interface OrganizationResourceGroup extends z.output<typeof organizationGroup> {}
export const organizationResourceGroup: Schema<OrganizationResourceGroup> = organizationGroup;
