import type { OperationId } from "../contract/routes.ts";
import type { Operation, TargetKind } from "../contract/row.ts";
import type { Target } from "../contract/target.ts";
import type { AnsweredInput } from "./access.ts";
import { namedInBody, rulesOf } from "./access-rules.ts";
import { targetOf } from "./access-targets.ts";

/** A row whose answer is about something that neither path nor body names yet. */
const madeBy: ReadonlyMap<OperationId, TargetKind> = new Map([
  ["organizations.create", "organization"],
  ["subscriptions.create", "subscription"],
]);

/** What an answer told of: what the path or the body names, or what was made. */
export function answeredAbout(row: Operation, { params, body, value }: AnsweredInput): Target | null {
  const made = madeBy.get(row.id);
  if (made !== undefined) return targetOf(made, { [`${made}Id`]: String(Reflect.get(Object(value), "id")) });
  if (!("on" in row.access)) return null;
  return rulesOf(row).has("inBody") ? namedInBody(row, params, body) : targetOf(row.access.on, params);
}
