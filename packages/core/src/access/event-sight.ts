import type { Actor, Target } from "../contract/target.ts";
import type { Json } from "../ports/store.ts";
import type { Access, TeamName } from "./access.ts";

/** An event, as far as it depends on it who may see it. */
interface Seen {
  readonly about: Target;
  readonly data: Readonly<Record<string, Json>>;
}

/** Whether an actor may see an event: what it is about, and the team that it names. */
export async function seesEvent(access: Pick<Access, "sees" | "knows">, actor: Actor, event: Seen): Promise<boolean> {
  const team = teamNamedBy(event);
  return (await access.sees(actor, event.about)) && (team === null || (await access.knows(actor, team)));
}

/** The team that an event names beside what it is about: the one that was granted something, or had it revoked. `null`: none. */
function teamNamedBy({ data: { organizationId, principalType, principalId } }: Pick<Seen, "data">): TeamName | null {
  if (principalType !== "Team" || typeof organizationId !== "string" || typeof principalId !== "string") return null;
  return { organizationId, principalId };
}
