import { operation } from "../row.ts";
import { foundNames, nameQuery } from "../schemas/name-schemas.ts";

/** The operation that resolves IDs. */
export const nameOperations = {
  /** Finds the names of people, service accounts, teams, organizations, live systems, plans and webhooks by ID. */
  find: operation("names.find", {
    summary:
      "Finds the names of people, service accounts, teams, organizations, live systems, plans and webhooks by ID.",
    note: "An ID is left out if nothing has it, or if the caller may not see what has it.",
    access: { who: "principal" },
    tokenScope: null,
    query: nameQuery,
    result: foundNames,
  }),
} as const;
