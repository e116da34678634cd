import { z } from "zod";
import { environmentType } from "../contract/values.ts";
import { LiveplaneError } from "../errors.ts";
import type { Caller } from "./access.ts";

const name = z.string().min(1);
const scopes = z.array(
  z.enum(["accounts", "environments", "livesystems", "organizations", "subscriptions", "operator"]),
);
const environment = z.object({ type: environmentType, ownerId: name, shortName: name });

const callers: z.ZodType<Caller> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("anonymous") }),
  z.object({ kind: z.literal("bearer"), token: z.string() }),
  z.object({ kind: z.literal("challenge"), credential: z.string() }),
  z.object({ kind: z.literal("system"), name }),
  z.object({
    kind: z.literal("account"),
    accountId: name,
    sessionId: z.string().exactOptional(),
    scopes: scopes.exactOptional(),
  }),
  z.object({
    kind: z.literal("serviceAccount"),
    principalId: name,
    sessionId: z.string().exactOptional(),
    scopes: scopes.exactOptional(),
    environment: environment.exactOptional(),
  }),
]);

/** Copies what a host says who calls, as it is now; throws `ValidationFailed` where plain JavaScript says nothing of the kind. */
export function takeCaller(caller: unknown): Caller {
  const taken = parsed(caller);
  if (taken === undefined) throw new LiveplaneError("ValidationFailed", "This names nobody who could call.");
  return taken;
}

/** What the caller's own getters throw is neither told nor kept. */
function parsed(caller: unknown): Caller | undefined {
  try {
    return callers.safeParse(caller).data;
  } catch {
    return undefined;
  }
}
