import { didYouMean } from "../../did-you-mean.ts";
import { LiveplaneError } from "../../errors.ts";
import { ratePolicies } from "../rate-limits.ts";

/** For each option of an edge: how to validate it, and an example. */
export type OptionJudges<Name extends string = string> = Readonly<
  Record<Name, readonly [judge: (value: unknown) => boolean, example: string]>
>;

/** The options of every edge. */
export const edgeOptions: OptionJudges<"rateLimits" | "corsOrigins" | "onAnswer" | "stopping"> = {
  rateLimits: [isRateLimits, 'rateLimits: { reads: 600 }, or rateLimits: "off"'],
  corsOrigins: [(value) => Array.isArray(value) && value.every(isOrigin), 'corsOrigins: ["https://app.example.com"]'],
  onAnswer: [
    (value) => typeof value === "function",
    "onAnswer: ({ operation, status }) => console.log(operation, status)",
  ],
  stopping: [(value) => value instanceof AbortSignal, "stopping: controller.signal"],
};

/** The errors in a host's options: unknown or invalid ones, each with an example. */
export function optionFaults(edge: string, judges: OptionJudges, given: object): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const known = Object.hasOwn(judges, name) ? judges[name] : undefined;
    if (known === undefined)
      return [`${name} isn't an option of ${edge}${didYouMean(name, Object.keys(judges)) || "."}`];
    const [judge, example] = known;
    return judge(value) ? [] : [`${name} has the wrong type or value. Example: ${example}.`];
  });
}

/** Whether a value looks like a control plane. */
export function isPlane(value: unknown): boolean {
  return typeof Reflect.get(Object(value), "dispatch") === "function";
}

/**
 * Refuses invalid options.
 *
 * @throws {ConfigurationInvalid} naming each.
 */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new LiveplaneError("ConfigurationInvalid", faults.join(" "));
}

function isRateLimits(value: unknown): boolean {
  if (value === "off") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([bucket, quota]) => Object.hasOwn(ratePolicies, bucket) && Number.isInteger(quota) && Number(quota) > 0,
  );
}

function isOrigin(value: unknown): boolean {
  return value === "*" || (typeof value === "string" && URL.canParse(value) && new URL(value).origin === value);
}
