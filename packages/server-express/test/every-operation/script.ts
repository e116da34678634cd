import type { Api } from "@liveplane/core";
import { isLiveplaneError } from "@liveplane/core/errors";
import type { OperationId } from "@liveplane/core/routes";

/** Who calls in the script. */
export type Who = "anonymous" | "operator" | "ada" | "bob" | "max" | "challenge" | "role";

/** A service and what the script has learned of it so far. */
export interface World {
  as(who: Who, token?: string): Api;
  /** Sets a resource's tags by hand, in the simulated cloud. */
  setTags(resourceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
  /** Sets how a simulated cloud fails, or is slow. */
  setFaults(provider: string, faults: object): Promise<void>;
  /** Where mails are written. */
  readonly mails: string;
  /** What earlier answers said: ids, tokens, mailed challenges. */
  readonly known: Record<string, string>;
}

/** One call of the script. */
export interface Step {
  readonly id: OperationId;
  readonly who: Who;
  readonly args: (world: World) => readonly unknown[];
  /** Remembers what later steps need, or waits for what they rely on. */
  readonly then?: (answer: never, world: World) => unknown;
}

/** What came of a step: an answer, or an error's code, status, words and details. */
export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

/** Carries a step out. */
export async function carryOut({ id, who, args, then }: Step, world: World): Promise<Outcome> {
  const outcome = await outcomeOf(() => call(world.as(who), id, args(world)));
  if ("answer" in outcome) await then?.(outcome.answer as never, world);
  return outcome;
}

/** Calls an operation by its id. */
export async function call(api: Api, id: OperationId, args: readonly unknown[]): Promise<unknown> {
  const method = id.split(".").reduce<unknown>((node, name) => Reflect.get(Object(node), name), api);
  const called: unknown = (method as (...of: readonly unknown[]) => unknown)(...args);
  if (id !== "events.follow") return called;
  for await (const event of called as AsyncIterable<unknown>) return event;
  return undefined;
}

/** Turns what is thrown into something that can be compared. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (!isLiveplaneError(error)) throw error;
    const { code, status, message, details, retryable } = error;
    return { error: { code, status, message, details, retryable } };
  }
}

/** One call, and what is done with its answer. */
export const step = (id: OperationId, who: Who, args: Step["args"], then?: Step["then"]): Step =>
  then === undefined ? { id, who, args } : { id, who, args, then };

/** Remembers a member of an answer for later steps. */
export const keep =
  (name: string, member = "id") =>
  (answer: object, { known }: World) => {
    known[name] = Reflect.get(answer, member);
  };

/** A list, and the two mistakes one can make with any. */
export const listed = (id: OperationId, args: Step["args"] = () => []): Step[] => [
  step(id, "ada", args),
  step(id, "ada", (world) => [...args(world), { limit: 0 }]),
  step(id, "ada", (world) => [...args(world), { cursor: "nonsense" }]),
];

/** Waits until something that happens behind the scenes has happened. */
export async function settled(look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new RangeError("It never settled.");
}

/** The environment that the script is about. */
export const environment = ({ known }: World) => ({ type: "Personal", ownerId: known.ada, shortName: "web" });

/** Its organization. */
export const organization = ({ known }: World) => ({ organizationId: known.organization });
