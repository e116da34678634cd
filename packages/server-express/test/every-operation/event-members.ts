import { type EventType, eventData } from "@liveplane/core/contract";
import equal from "fast-deep-equal";

/** Compares events with the schemas of their types, and counts the types that it has seen. */
export function eventJudge() {
  const seen = new Set<string>();
  const objections: string[] = [];
  return {
    judge(type: string, data: object): void {
      seen.add(type);
      if (!Object.hasOwn(eventData, type)) return void objections.push(`${type} is an unknown type of event`);
      // A member that the schema doesn't name is dropped from what it returns.
      const parsed = eventData[type as EventType].safeParse(data);
      const read = parsed.success ? parsed.data : parsed.error.message;
      if (!equal(read, data)) objections.push(`${type}: ${JSON.stringify(data)} is read as ${JSON.stringify(read)}`);
    },
    objections: (): readonly string[] => [...new Set(objections)],
    seen: () => seen.size,
  };
}
