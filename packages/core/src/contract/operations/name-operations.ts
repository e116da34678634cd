import { operation } from "../row.ts";
import { foundNames, nameQuery } from "../schemas/name-schemas.ts";

/** The operation that resolves IDs. */
export const nameOperations = {
  /** Finds names by ID: of people, service accounts, teams, organizations, live systems, plans, webhooks. */
  find: operation("names.find", {
    summary: "Finds names by ID: of people, service accounts, teams, organizations, live systems, plans, webhooks.",
    note: "An ID is left out if nothing has it, or if the caller may not see what has it.",
    access: { who: "principal" },
    tokenScope: null,
    query: nameQuery,
    result: foundNames,
  }),
} as const;
