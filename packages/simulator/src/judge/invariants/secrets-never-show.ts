import type { Json } from "@liveplane/core/store";
import type { Rule } from "../steps.ts";

/** A rewritten record shares most members with its former state. Remembering deeper ones costs more than searching them. */
const searchedOnce = 1;

/** No record, event or answer contains a secret's value. */
export function secretsNeverShow(): Rule {
  /** Every value that a secret ever had. */
  const secrets = new Set<string>();
  /** Frozen values without secrets, with the number of secrets at that time. */
  const searched = new WeakMap<object, number>();

  function holdsSecret(value: Json): boolean {
    const all = [...secrets];
    const shortest = Math.min(...all.map(({ length }) => length));
    const isIn = (text: string) => text.length >= shortest && all.some((secret) => text.includes(secret));
    let thawed = 0;
    const search = (one: Json, depth: number): boolean => {
      if (typeof one === "string") return isIn(one);
      if (typeof one !== "object" || one === null || searched.get(one) === all.length) return false;
      const thawedBefore = thawed;
      if (!Object.isFrozen(one)) thawed += 1;
      const members: readonly Json[] = Array.isArray(one) ? one : Object.values(one);
      if (!Array.isArray(one) && Object.keys(one).some(isIn)) return true;
      for (const member of members) if (search(member, depth + 1)) return true;
      if (depth === searchedOnce && thawed === thawedBefore) searched.set(one, all.length);
      return false;
    };
    return search(value, 0);
  }

  return {
    invariant: "secrets-never-show",
    judges: {
      committed: ({ sets, events }) => {
        if (secrets.size === 0) return null;
        const shown = sets.find(({ key, value }) => key[0] === "record" && holdsSecret(value));
        if (shown !== undefined) return `${shown.key.join("/")} holds one: ${JSON.stringify(shown.value)}`;
        const event = events.find((one) => holdsSecret(one as unknown as Json));
        return event === undefined ? null : `an event holds one: ${JSON.stringify(event)}`;
      },
      // What nobody manages is declared as its cloud shows it.
      said: ({ operation, answer }) =>
        operation !== "environments.resources.declare" && secrets.size > 0 && holdsSecret(answer)
          ? `${operation} answers with one: ${JSON.stringify(answer)}`
          : null,
    },
    observes: {
      secret: ({ value }) => {
        if (value !== null) secrets.add(value);
      },
    },
  };
}
