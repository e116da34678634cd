import { operation } from "../row.ts";
import * as s from "../schemas/resource-schemas.ts";

const edit = { on: "environment", need: "Edit" } as const;
const errors = [
  "FeatureDisabled",
  "InvalidState",
  "ProviderCredentialsMissing",
  "ProviderCredentialsRejected",
  "ProviderError",
  "ProviderTimeout",
] as const;

/** The operations on resources that already exist in an environment's clouds. */
export const resourceOperations = {
  /** Lists the resources that exist in an environment's resource group or project. */
  list: operation("environments.resources.list", {
    summary: "Lists the resources that exist in an environment's resource group or project.",
    access: edit,
    query: s.existingResourceQuery,
    result: s.existingResource,
    callsCloud: "discovery",
    errors,
  }),
  /** Writes a definition of existing resources, and deploys nothing. */
  declare: operation("environments.resources.declare", {
    summary: "Writes a definition of existing resources, and deploys nothing.",
    access: edit,
    effect: "reads",
    body: s.chosenResources,
    result: s.declaredResources,
    callsCloud: "discovery",
    errors,
  }),
} as const;
