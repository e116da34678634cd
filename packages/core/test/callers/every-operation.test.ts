import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import { type Call, calls, otherCalls } from "./calls.ts";
import {
  answerTo,
  answerToOther,
  answerWhenExpired,
  answerWhenSuspended,
  callers,
  otherCallers,
} from "./expected-answers.ts";
import { type Again, type WorldOfCallers, worldOfCallers } from "./world.ts";

const ids = Object.keys(operationsById) as OperationId[];
const cases: readonly (readonly [name: string, OperationId, Call])[] = [
  ...ids.map((id) => [id, id, calls[id]] as const),
  ...Object.entries(otherCalls).map(([name, [id, call]]) => [name, id, call] as const),
];
const inOrder = await worldOfCallers();
const expired = await worldOfCallers("plan expired");
const suspended = await worldOfCallers("organization suspended");

/** Makes a call as somebody: "ok", or the code that it is refused with. */
async function outcome(again: Again, { known }: WorldOfCallers, who: string, [, id, call]: (typeof cases)[number]) {
  const refusal = await again.refusal(who, id, call(known, who));
  return refusal?.code ?? "ok";
}

/** A refused sign-in is recorded. */
const recorded: readonly OperationId[] = ["sessions.createByPasskey"];

/** What everybody is answered, each in the world as it was; who is refused changes nothing. */
async function outcomes(world: WorldOfCallers, everybody: readonly string[], one: (typeof cases)[number]) {
  const found: Record<string, string> = {};
  let again = await world.again();
  for (const who of everybody) {
    const code = await outcome(again, world, who, one);
    found[who] =
      code !== "ok" && again.changed() && !recorded.includes(one[1]) ? `${code}, and something was written` : code;
    if (code === "ok" || again.changed()) again = await world.again();
  }
  return found;
}

test.each(cases)("%s is answered as it is promised to everybody", async (...one) => {
  const expected = Object.fromEntries(callers.map((who) => [who, answerTo(one[0], who)]));
  expect(await outcomes(inOrder, callers, one)).toEqual(expected);
});

test.each(cases)("%s is answered as it is promised to roles and to who may not act", async (...one) => {
  const expected = Object.fromEntries(otherCallers.map((who) => [who, answerToOther(one[0], who)]));
  expect(await outcomes(inOrder, otherCallers, one)).toEqual(expected);
});

test.each(cases)("%s is answered to the owner of an expired plan, and of a suspended organization", async (...one) => {
  expect(await outcomes(expired, ["owner"], one)).toEqual({ owner: answerWhenExpired(one[0]) });
  expect(await outcomes(suspended, ["owner"], one)).toEqual({ owner: answerWhenSuspended(one[0]) });
});
