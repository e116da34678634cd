import * as z from "zod";
import type { Schema } from "../row.ts";
import { repeated, uuid } from "./values.ts";

const query = z.strictObject({ id: repeated(uuid) });
/** Whose names to find: at most 100 IDs. */
export interface NameQuery extends z.output<typeof query> {}
export const nameQuery: Schema<NameQuery> = query;

const found = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["Account", "ServiceAccount", "Team", "Organization", "LiveSystem", "Subscription", "Webhook"]),
      /** Service accounts and subscriptions go by the name of their owner. */
      name: z.string(),
    }),
  ),
});
/** The names that the caller may see. */
export interface FoundNames extends z.output<typeof found> {}
export const foundNames: Schema<FoundNames> = found;
