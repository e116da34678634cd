import type { Actor } from "../contract/target.ts";
import type { Access, EventFacts, TeamName } from "./access.ts";

interface Judge {
  readonly sees: Access["sees"];
  /**
   * Whether an actor may know the principal ID of a team. The ID of a private team, also of a deleted one, is shown only to those who can
   * see the team.
   */
  knows(actor: Actor, team: TeamName): Promise<boolean>;
}

/** Decides for each event whether the actor sees its target and the team that it names. Shared questions are asked once. */
export async function seenAmong(
  events: readonly EventFacts[],
  actor: Actor,
  { sees, knows }: Judge,
): Promise<readonly boolean[]> {
  const verdicts = new Map<string, Promise<boolean>>();
  const once = (what: object, judge: () => Promise<boolean>): Promise<boolean> => {
    const name = JSON.stringify(what);
    const verdict = verdicts.get(name) ?? judge();
    verdicts.set(name, verdict);
    return verdict;
  };
  return Promise.all(
    events.map(async (event) => {
      const team = teamNamedBy(event);
      const isSeen = await once(event.about, () => sees(actor, event.about));
      return isSeen && (team === null || (await once(team, () => knows(actor, team))));
    }),
  );
}

/** The team that an event names besides its target, because it gained or lost a grant. `null` if none. */
function teamNamedBy({
  data: { organizationId, principalType, principalId },
}: Pick<EventFacts, "data">): TeamName | null {
  if (principalType !== "Team" || typeof organizationId !== "string" || typeof principalId !== "string") return null;
  return { organizationId, principalId };
}
