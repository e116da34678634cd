import { nowText } from "../../encoding.ts";
import type { Cloud, CloudCredentials, Reading } from "../../ports/cloud.ts";
import type { Stored } from "../../records/records.ts";
import { isResting } from "../../records/rest.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { AgentDeps, PassContext } from "./agent-deps.ts";
import { type Expectation, openExpectations } from "./expectations.ts";

/** What the cloud said of a component's resource, and what that is held against. Holds secrets: lives no longer than the pass. */
export interface DirectReading {
  /** With the id under which the resource was found. */
  readonly record: Stored<ComponentRecord>;
  readonly reading: Reading;
  readonly at: string;
  readonly expectation: Expectation;
  /** `null`: the agent has none here, and nothing was asked. */
  readonly credentials: CloudCredentials | null;
}

/** Reads a component's resource fresh from the source of truth. What the cloud named itself is found by the intent it was made under. */
export async function readDirectly(stored: Stored<ComponentRecord>, context: PassContext): Promise<DirectReading> {
  const { deps, options } = context;
  const expectations = options.expectations ?? openExpectations(deps);
  const expectation = await expectations.of(stored);
  const credentials = await expectations.credentials(stored.environment, stored.provider);
  const { reading, resourceId } = await readAs(stored, { ...context, expectation, credentials });
  const isFound = stored.resource.id === null && resourceId !== null;
  const record = isFound ? { ...stored, resource: { ...stored.resource, id: resourceId } } : stored;
  return { record, reading, at: nowText(deps), expectation, credentials };
}

interface ReadContext extends PassContext, Pick<DirectReading, "expectation" | "credentials"> {}

async function readAs(
  record: ComponentRecord,
  { expectation, credentials, deps, options: { lane, lease } }: ReadContext,
): Promise<{ reading: Reading; resourceId: string | null }> {
  const unread = (reading: Reading) => ({ reading, resourceId: null });
  if (credentials === null) return unread({ state: "unreadable", reason: "NoAgentCredentials" });
  const cloud = deps.calls.over(expectation.cloud);
  const call = { credentials, ...(lease && { signal: lease.signal }) };
  const resourceId = record.resource.id ?? (await findMade(record, cloud, call));
  if (resourceId === null) return unread({ state: "missing" });
  if (resourceId === undefined) return unread({ state: "unreadable", reason: "IntentUnknown" });
  await deps.calls.turn(cloud, resourceId, lane, lease?.signal);
  const reading = await cloud.read({ type: record.type, resourceId }, call);
  return {
    reading: isLate(record, reading, deps) ? { state: "unreadable", reason: "NotYetVisible" } : reading,
    resourceId,
  };
}

/** The id of what was made under the component's intent; `null`: nothing was, `undefined`: it can't be told now. */
async function findMade(
  { intent, resource }: ComponentRecord,
  cloud: Cloud,
  call: { credentials: CloudCredentials },
): Promise<string | null | undefined> {
  if (intent === null) return null;
  try {
    return (await cloud.findCreated(intent, resource.target, call))?.resourceId ?? null;
  } catch {
    return undefined;
  }
}

/** What was just made and isn't seen yet isn't gone. */
function isLate({ madeAt }: ComponentRecord, reading: Reading, { runtime, settings }: AgentDeps): boolean {
  const everyMs = settings.checkSeconds * 1000;
  return reading.state === "missing" && madeAt !== null && isResting(madeAt + everyMs, everyMs, runtime.clock.now());
}
