import { escaped } from "../board/override-lanes.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";

/** What is known about a declared value in the cloud. */
export type ValueMark = "same" | "differs" | "settled" | "ignored" | "hidden";

/** A declared value next to the actual one. */
export interface ValueRow {
  /** A JSON pointer. */
  readonly place: string;
  readonly declared: unknown;
  /** `undefined`: it isn't shown. */
  readonly actual: unknown;
  readonly mark: ValueMark;
}

/** Known values of one place; the most important mark comes first. */
interface KnownPlace {
  readonly pointer: string;
  readonly mark: ValueMark;
  readonly actual: unknown;
}

type Valued = Pick<ConsoleComponent, "parameters" | "settled" | "ignored" | "unobservable" | "outputFields">;

/** Every declared value with its actual one: as deep as the declaration has members, in its order. */
export function valueRows(component: Valued, { changes }: Pick<HandBackPlan, "changes">): ValueRow[] {
  const known: readonly KnownPlace[] = [
    ...changes.map(({ pointer, actual }) => ({ pointer, mark: "differs", actual }) as const),
    ...Object.entries(component.ignored).map(
      ([pointer, { actual }]) => ({ pointer, mark: "ignored", actual }) as const,
    ),
    ...component.settled.map(({ pointer, form }) => ({ pointer, mark: "settled", actual: form }) as const),
    ...component.unobservable.map((pointer) => ({ pointer, mark: "hidden", actual: undefined }) as const),
  ];
  return rowsBelow("", component.parameters, known).map((row) => {
    if (row.mark !== "same" || !containsComputed(row.declared)) return row;
    return { ...row, actual: valueAt(component.outputFields, row.place.slice(1).split("/")) };
  });
}

function rowsBelow(pointer: string, declared: unknown, known: readonly KnownPlace[]): ValueRow[] {
  const at = known.find((one) => one.pointer === pointer);
  if (at !== undefined) return [{ place: pointer, declared, actual: at.actual, mark: at.mark }];
  if (isMap(declared) && Object.keys(declared).length > 0)
    return Object.entries(declared).flatMap(([name, value]) => rowsBelow(`${pointer}/${escaped(name)}`, value, known));
  const within = known.filter((one) => one.pointer.startsWith(`${pointer}/`));
  if (within.length === 0) return [{ place: pointer, declared, actual: declared, mark: "same" }];
  // A list is one value, and its parts are known.
  return within.map((one) => ({
    place: one.pointer,
    declared: valueAt(declared, one.pointer.slice(pointer.length + 1).split("/")),
    actual: one.actual,
    mark: one.mark,
  }));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isComputed(value);
}

/** A value that is computed, such as a reference to an output, is one value. */
function isComputed(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).some((name) => name.startsWith("$"));
}

function containsComputed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isComputed(value) || Object.values(value).some(containsComputed);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }, value);
}
