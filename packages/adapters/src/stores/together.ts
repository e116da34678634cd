import { setImmediate as nextTurn } from "node:timers/promises";

/** Joins what is asked within a turn of the event loop, up to so much: requests that came together need one statement, not one each. */
export function together<Asked, Answer>(
  answer: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
  most: number,
): (asked: readonly Asked[]) => Promise<readonly Answer[]> {
  let open: { readonly asked: Asked[]; readonly answers: Promise<readonly Answer[]> } | null = null;
  return async (asked) => {
    if (open === null || open.asked.length + asked.length > most) {
      const all: Asked[] = [];
      const answers = nextTurn().then(() => {
        if (open?.asked === all) open = null;
        return answer(all);
      });
      open = { asked: all, answers };
    }
    const from = open.asked.length;
    const { answers } = open;
    open.asked.push(...asked);
    return (await answers).slice(from, from + asked.length);
  };
}
