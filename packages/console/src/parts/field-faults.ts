import { isLiveplaneError, type Violation } from "@liveplane/client";
import { createContext } from "preact";
import { texts } from "../texts.ts";

/** What is wrong with the fields of a form, by their names. */
export type FieldFaults = Readonly<Record<string, string>>;

/** Gives the fields of a form what is wrong with each. */
export const FaultsOfForm = createContext<FieldFaults>({});

/** One fault for each field that a refusal names, in words that name no header or pointer. */
export function faultsOf(error: unknown, fields: readonly string[]): FieldFaults {
  const faults: Record<string, string> = {};
  for (const violation of violationsOf(error)) {
    const name = fieldOf(violation, fields);
    if (name !== undefined) faults[name] ??= texts.failure.atField[violation.code] ?? violation.detail;
  }
  return faults;
}

/** Whether the fields show everything that a refusal says. */
export function isShownAtFields(error: unknown, faults: FieldFaults): boolean {
  const all = violationsOf(error);
  return all.length > 0 && all.every((violation) => fieldOf(violation, Object.keys(faults)) !== undefined);
}

function violationsOf(error: unknown): readonly Violation[] {
  return isLiveplaneError(error) ? (error.details.errors ?? []) : [];
}

/** The field for the member that a place begins with, or for a call's option. `email|username` stands for two members. */
function fieldOf({ pointer, parameter = "" }: Violation, fields: readonly string[]): string | undefined {
  const member = pointer?.split("/")[1] ?? parameter;
  return fields.find((name) => name.split("|").includes(member));
}
