import { nowText, toInstant } from "../../encoding.ts";
import type { Cloud, CloudCredentials, Reading } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Stored } from "../../records/records.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import { type AgentDeps, isIdChosen, making, type PassContext } from "./agent-deps.ts";
import { type Followed, followed, withOperation } from "./agent-follow.ts";
import { type Expectation, openExpectations } from "./expectations.ts";

/** What the cloud said about a component's resource, and what it is compared with. Holds secrets, so it lives no longer than the pass. */
export interface DirectReading {
  /** With the ID under which the resource was found. */
  readonly record: Stored<ComponentRecord>;
  readonly reading: Reading;
  readonly at: string;
  readonly expectation: Expectation;
  /** The state of the running write. */
  readonly followed: Followed;
  /** `null`: the agent has none here, so the cloud wasn't asked. */
  readonly credentials: CloudCredentials | null;
}

/**
 * Reads a component's resource directly from the cloud. A resource with an ID chosen by the cloud is found by its intent. `last`: the
 * reading before the pass's last write. Its definition, which the next commit checks, and its credentials aren't read again.
 */
export async function readDirectly(
  stored: Stored<ComponentRecord>,
  context: PassContext,
  last: DirectReading | null = null,
): Promise<DirectReading> {
  const { deps, options } = context;
  const expectations = options.expectations ?? openExpectations(deps);
  if (last !== null) expectations.know([], new Map([[stored.liveSystemId, last.expectation.inForce]]));
  const [expected, credentials] = await Promise.all([
    expectations.of(stored),
    last?.credentials ?? expectations.credentials(stored.environment, stored.provider),
  ]);
  // A mutation keeps the order itself.
  const expectation = options.redeploy === true ? { ...expected, waitsFor: null } : expected;
  const { reading, resourceId, followed } = await readAs(stored, { ...context, expectation, credentials });
  const isFound = resourceId !== null && resourceId !== stored.resource.id;
  // Until it is seen, a resource found by its intent counts as just created.
  const found = { resource: { ...stored.resource, id: resourceId }, madeAt: deps.runtime.clock.now() };
  const record = isFound ? { ...stored, ...found } : stored;
  return { record, reading, followed, at: nowText(deps), expectation, credentials };
}

interface ReadContext extends PassContext, Pick<DirectReading, "expectation" | "credentials"> {}

async function readAs(
  record: ComponentRecord,
  { expectation, credentials, deps, options: { lane, lease } }: ReadContext,
): Promise<Pick<DirectReading, "reading" | "followed"> & { readonly resourceId: string | null }> {
  const unread = (reading: Reading) => {
    const followed: Followed = { pending: record.operation, ended: null };
    return { reading: withOperation(reading, followed, deps.runtime.clock.now()), followed, resourceId: null };
  };
  if (credentials === null) return unread({ state: "unreadable", reason: "NoAgentCredentials" });
  const cloud = deps.calls.over(expectation.cloud);
  const call = { credentials, ...(lease && { signal: lease.signal }) };
  const resourceId = record.resource.id ?? (await findMade(record, cloud, call));
  const missing = { state: "missing" } as const;
  if (resourceId === null) return unread(isLate(record, missing, deps) ? beingMade(record.madeAt) : missing);
  if (resourceId === undefined) return unread({ state: "unreadable", reason: "IntentUnknown" });
  // Asked first, so that the read isn't older than the operation's end.
  const operation = await followed(record, { cloud, call, deps, lane });
  await deps.calls.turn(cloud, { resourceId, sort: "read", lane, signal: lease?.signal });
  const read = await cloud.read({ type: record.type, resourceId }, call);
  const reading = withOperation(read, operation, deps.runtime.clock.now());
  // One that was found just now needn't be looked for again.
  const find = async () => (record.resource.id === null ? resourceId : findMade(record, cloud, call));
  const awaited = isAwaited(record, reading, cloud) ? await find() : null;
  if (awaited === undefined) return unread({ state: "unreadable", reason: "IntentUnknown" });
  const madeAt = operation.ended?.operation.kind === "create" ? deps.runtime.clock.now() : record.madeAt;
  const isHidden = awaited !== null || isLate({ ...record, madeAt }, reading, deps);
  const since = madeAt ?? deps.runtime.clock.now();
  return { reading: isHidden ? beingMade(since) : reading, followed: operation, resourceId: awaited ?? resourceId };
}

/** The ID of the resource created for the component's intent; `null` if there is none, `undefined` if unknown. */
export async function findMade(
  { intent, resource }: Pick<ComponentRecord, "intent" | "resource">,
  cloud: Pick<Cloud, "findCreated">,
  call: { credentials: CloudCredentials },
): Promise<string | null | undefined> {
  if (intent === null) return null;
  try {
    return (await cloud.findCreated(intent, resource.target, call))?.resourceId ?? null;
  } catch {
    return undefined;
  }
}

/** Where the cloud chooses IDs, a resource that nobody has seen yet isn't gone as long as the cloud finds it, or another one, by its intent. */
function isAwaited(record: ComponentRecord, { state }: Reading, cloud: Cloud): boolean {
  return record.intent !== null && state === "missing" && isIdChosen(record, cloud);
}

/**
 * A resource that was just created and isn't visible isn't gone, whoever created it: for one check interval, as timed by this process. The
 * creator's clock may differ.
 */
function isLate<T extends ComponentRecord>(
  record: T,
  reading: Reading,
  deps: AgentDeps,
): record is T & { readonly madeAt: number } {
  const { madeAt } = record;
  return reading.state === "missing" && madeAt !== null && deps.rests.stands(...making(record, madeAt, deps));
}

function beingMade(madeAt: number): Reading {
  return { state: "working", since: toInstant(madeAt), pollAfterMs: 1_000 };
}

/** Whether the resource is gone or replaced. */
export function isGoneOrReplaced({ record, reading }: Pick<DirectReading, "record" | "reading">): boolean {
  const identity = resourceOf(reading)?.identity ?? record.identity;
  return reading.state === "missing" || (record.identity !== null && identity !== record.identity);
}
