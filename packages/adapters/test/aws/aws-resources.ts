import type { JsonObject } from "@liveplane/core/clouds";
import { awsTagsIn } from "../../src/aws/aws-tags.ts";
import { awsDefaults, awsKinds } from "./aws-models.ts";

export interface AwsFailure {
  readonly code: string;
  readonly message: string;
}

/** How a write takes its time. */
export interface AwsSlowness {
  readonly takesMs: number;
  /** What is being created isn't shown until it is done. */
  readonly hidden?: boolean;
  readonly fails?: AwsFailure | undefined;
}

/** A resource of the double. */
export interface KeptAws {
  readonly region: string;
  readonly type: string;
  readonly identifier: string;
  readonly properties: JsonObject;
  /** Tells incarnations apart. */
  readonly made: number;
  /** Until then a direct read doesn't find it. */
  readonly lateUntil?: number;
  readonly underway?: { readonly operation: "create" | "update" | "remove"; readonly fails: boolean };
  readonly hidden?: boolean;
}

export interface AwsChange {
  readonly by: "caller" | "hand" | "aws";
  readonly before: KeptAws | null;
  readonly after: KeptAws | null;
}

/** An entry in the index of tags. */
export interface IndexedTags {
  readonly region: string;
  readonly arn: string;
  readonly tags: Readonly<Record<string, string>>;
}

export type AwsIndex = ReadonlyMap<string, IndexedTags>;

interface Running {
  readonly event: JsonObject;
  readonly at: string;
  readonly made: number;
  until: number;
  readonly fails: AwsFailure | undefined;
  /** The properties afterwards; `null` if it is deleted. */
  readonly outcome: (now: JsonObject) => JsonObject | null;
}

export interface AwsResourcesOptions {
  readonly now: () => number;
  readonly onChange?: ((change: AwsChange) => void) | undefined;
  /** Asked of each write. @default as it is slowed */
  readonly slownessOf?: ((operation: "create" | "update" | "remove") => AwsSlowness | null) | undefined;
  /** How long after its creation a direct read doesn't find a resource. @default 0 */
  readonly lateMs?: number | undefined;
  /** What the service makes of the properties of a write. @default fills in what AWS describes as defaults */
  readonly rewrites?: ((type: string, properties: JsonObject) => JsonObject) | undefined;
  readonly arnOf: (resource: KeptAws) => string;
}

const gone: AwsFailure = { code: "NotFound", message: "The resource was not found." };

/** What the double keeps, and the requests that change it. */
export function awsResources({ now, onChange, slownessOf, lateMs = 0, rewrites, arnOf }: AwsResourcesOptions) {
  function formed(type: string, properties: JsonObject | null): JsonObject | null {
    if (properties === null) return null;
    const whole = { ...awsDefaults[type], ...properties };
    return rewrites?.(type, whole) ?? whole;
  }
  const resources = new Map<string, KeptAws>();
  const indexed = new Map<string, IndexedTags>();
  const requests = new Map<string, JsonObject>();
  const running = new Set<Running>();
  let slowness: AwsSlowness | null = null;
  let shown: AwsIndex | null = null;
  let made = 0;
  let begun = 0;

  function keep(key: string, after: KeptAws | null, by: AwsChange["by"]): void {
    const before = resources.get(key) ?? null;
    if (after === null) resources.delete(key);
    else {
      resources.set(key, after);
      const tags = awsTagsIn(awsKinds[after.type]?.tags, after.properties);
      const isKnown = indexed.has(key) || Object.keys(tags).length > 0;
      if (isKnown && after.hidden !== true) indexed.set(key, { region: after.region, arn: arnOf(after), tags });
    }
    if (before !== after) onChange?.({ by, before, after });
  }

  function ended({ event, at, made: of, fails: drawn, outcome }: Running): void {
    const token = String(event.RequestToken);
    const isAnother = resources.get(at)?.made !== of;
    const fails = isAnother && event.Operation === "UPDATE" ? gone : drawn;
    const failed = fails && { OperationStatus: "FAILED", ErrorCode: fails.code, StatusMessage: fails.message };
    requests.set(token, { ...event, ...(failed ?? { OperationStatus: "SUCCESS" }) });
    const current = resources.get(at);
    if (current === undefined || isAnother) return;
    const { underway, hidden: _, ...settled } = current;
    // What a failed creation has made, AWS takes away again.
    const isGone = failed !== undefined && underway?.operation === "create";
    const properties = failed === undefined ? formed(current.type, outcome(current.properties)) : current.properties;
    const late = underway?.operation === "create" && lateMs > 0 ? { lateUntil: now() + lateMs } : {};
    keep(at, isGone || properties === null ? null : { ...settled, properties, ...late }, "aws");
  }

  function settle(): void {
    for (const one of [...running].filter(({ until }) => until <= now())) {
      running.delete(one);
      ended(one);
    }
  }

  /** Begins a request. Without slowness it is done at once. */
  function begin(
    event: JsonObject,
    { at, resource, outcome }: { at: string; resource: KeptAws; outcome: Running["outcome"] },
  ): JsonObject {
    const RequestToken = `00000000-0000-4000-9000-${String(++begun).padStart(12, "0")}`;
    const whole = { ...event, RequestToken, EventTime: now() / 1000, OperationStatus: "IN_PROGRESS" };
    requests.set(RequestToken, whole);
    const operation = ({ CREATE: "create", DELETE: "remove" } as const)[String(event.Operation)] ?? "update";
    const slow = slownessOf === undefined ? slowness : slownessOf(operation);
    if (slow === null) {
      requests.set(RequestToken, { ...whole, OperationStatus: "SUCCESS" });
      const properties = formed(resource.type, outcome(resource.properties));
      const late = operation === "create" && lateMs > 0 ? { lateUntil: now() + lateMs } : {};
      keep(at, properties && { ...resource, ...late, properties }, "caller");
      return whole;
    }
    const { takesMs, hidden = false, fails } = slow;
    const isHidden = hidden && operation === "create";
    keep(
      at,
      { ...resource, underway: { operation, fails: fails !== undefined }, ...(isHidden && { hidden: true }) },
      "caller",
    );
    running.add({ event: whole, at, made: resource.made, until: now() + takesMs, fails, outcome });
    return whole;
  }

  return {
    settle,
    begin,
    keep,
    /** Whether a request changes this resource now. */
    isBusy: (key: string) => resources.get(key)?.underway !== undefined,
    at: (key: string) => resources.get(key),
    all: () => [...resources],
    nextOrder: () => ++made,
    requestOf: (token: string) => requests.get(token),
    index: (): AwsIndex => shown ?? indexed,
    /** The whole index as it is now. */
    indexNow(): AwsIndex {
      settle();
      return new Map(indexed);
    },
    show(index: AwsIndex | null): void {
      shown = index;
    },
    slow(next: AwsSlowness | null): void {
      slowness = next;
    },
    finish(): void {
      slowness = null;
      for (const one of running) one.until = now();
      settle();
    },
  };
}
