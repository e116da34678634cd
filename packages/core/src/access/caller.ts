import * as z from "zod";
import { environmentType } from "../contract/schemas/values.ts";
import { LiveplaneError } from "../errors.ts";
import type { Caller } from "./access.ts";

const name = z.string().min(1);
const scopes = z.array(
  z.enum(["accounts", "environments", "livesystems", "organizations", "subscriptions", "operator"]),
);
const environment = z.object({ type: environmentType, ownerId: name, shortName: name });

const callers = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("anonymous") }),
  z.object({ kind: z.literal("bearer"), token: z.string() }),
  z.object({ kind: z.literal("challenge"), credential: z.string() }),
  z.object({ kind: z.literal("system"), name }),
  z.object({
    kind: z.literal("account"),
    accountId: name,
    sessionId: z.string().exactOptional(),
    scopes: scopes.exactOptional(),
    hasSecondFactor: z.boolean().exactOptional(),
  }),
  z.object({
    kind: z.literal("serviceAccount"),
    principalId: name,
    sessionId: z.string().exactOptional(),
    scopes: scopes.exactOptional(),
    environment: environment.exactOptional(),
  }),
]);
const kinds = callers.options.map(({ shape }) => shape.kind.value);

/** Copies the caller that a host passed. Throws `ValidationFailed` for a malformed one, which plain JavaScript may pass. */
export function takeCaller(caller: unknown): Caller {
  const { taken, wrong = "kind" } = read(caller);
  if (taken !== undefined) return taken;
  const why = wrong === "kind" ? `kind must be one of ${kinds.join(", ")}` : `${wrong} is missing or wrong`;
  throw new LiveplaneError("ValidationFailed", `The caller is invalid: ${why}.`);
}

/** An error thrown by the caller's own getters is neither reported nor kept. */
function read(caller: unknown): { readonly taken?: Caller; readonly wrong?: string } {
  try {
    const { data, error } = callers.safeParse(caller);
    const place = error?.issues[0]?.path.join(".");
    return data === undefined ? { ...(place && { wrong: place }) } : { taken: data };
  } catch {
    return {};
  }
}
