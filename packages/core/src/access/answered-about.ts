import type { Operation } from "../contract/row.ts";
import type { Target } from "../contract/target.ts";
import type { AnsweredInput } from "./access.ts";
import { namedInBody, rulesOf } from "./access-rules.ts";
import { targetOf } from "./access-targets.ts";

/** The subject of an answer: the thing that the path or the body names, or that was created. */
export function answeredAbout(row: Operation, { params, body, value }: AnsweredInput): Target | null {
  const { makes, access } = row;
  if (makes !== undefined) return targetOf(makes, { [`${makes}Id`]: String(Reflect.get(Object(value), "id")) });
  if (!("on" in access)) return null;
  return rulesOf(row).has("inBody") ? namedInBody(row, params, body) : targetOf(access.on, params);
}
