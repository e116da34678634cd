import {
  type Cloud,
  type NewResource,
  type OperationReading,
  type Reading,
  type ResourceChange,
  type ResourceRef,
  type WriteCondition,
  type Written,
  writtenPart,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Commit, Json, Key, Store } from "@liveplane/core/store";
import { readableUnlessFaulty } from "@liveplane/core/testing/internal";
import type { Chance } from "./chance.ts";
import type { ResourceChanged, StoredComponent } from "./judge/facts.ts";
import type { CloudCallKind, CloudFault, StoreFault } from "./plan.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The lifetime of a process, counted in calls to the outside. A dead one never continues, whatever it waited for. */
export interface Life {
  isOver(): boolean;
  end(): void;
  /** Ends it after this many more calls. */
  endAfter(calls: number): void;
  /** Pauses it after this many more calls, or after its next claim: it goes on without knowing. */
  pauseAfter(when: number | "claim", rest: () => Promise<void>): void;
  /** It has just claimed a component. */
  claimed(): void;
  /** Resolves while it lasts, after any pause. */
  step(): Promise<void>;
  /** Counts a call that nothing holds back: what was decided is sent at once. */
  send(): Promise<void>;
}

export function newLife(onEnd: () => void = () => {}): Life {
  let left = Number.POSITIVE_INFINITY;
  let isTold = false;
  let pause: { left: number | "claim"; readonly rest: () => Promise<void> } | null = null;
  let resting: Promise<void> | null = null;
  const tellEnd = () => {
    if (left >= 0 || isTold) return;
    isTold = true;
    onEnd();
  };
  async function rested(): Promise<void> {
    await life.send();
    if (pause !== null && pause.left !== "claim" && --pause.left < 0) {
      const { rest } = pause;
      pause = null;
      resting = rest().finally(() => {
        resting = null;
      });
    }
    if (resting === null) return;
    await resting;
    if (life.isOver()) await new Promise(() => {});
  }
  const life: Life = {
    isOver: () => left < 0,
    end: () => {
      left = -1;
      tellEnd();
    },
    endAfter: (calls) => {
      left = Math.min(left, calls);
    },
    pauseAfter: (when, rest) => {
      pause = { left: when, rest };
    },
    claimed: () => {
      if (pause?.left === "claim") pause.left = 0;
    },
    step: () => (pause === null && resting === null ? life.send() : rested()),
    send: () => {
      left -= 1;
      tellEnd();
      return life.isOver() ? new Promise(() => {}) : Promise.resolve();
    },
  };
  return life;
}

/** The passage between a process and the outside. */
export interface Passage {
  readonly life: Life;
  readonly time: Pick<VirtualTime, "sleep">;
  readonly chance: Chance;
}

/** A store behind a network: it is slow, fails, and loses answers. */
export function mortalStore(
  store: Store,
  { life, time, chance }: Passage,
  hooks: {
    readonly faultOf: (commits: boolean) => StoreFault["what"] | null;
    readonly onCommit: (commit: Commit, version: number) => void;
    readonly onClaim: (claimed: StoredComponent) => void;
    readonly onFetch: (keys: readonly Key[]) => void;
    /** The process is told that a call failed. */
    readonly onFailure: () => void;
  },
): Store {
  async function through<T>(commits: boolean, run: () => Promise<T>): Promise<T> {
    await life.step();
    const fault = hooks.faultOf(commits);
    const ms = chance.between(0, 8) + (fault === "late" ? 2_000 : 0);
    if (ms > 3) await time.sleep(ms);
    if (fault === "fail" || fault === "lose-answer") hooks.onFailure();
    if (fault === "fail") throw new LiveplaneError("StoreFailed", "The store failed.", { retryable: true });
    const answer = await run();
    await life.step();
    if (fault === "lose-answer") throw new LiveplaneError("CommitOutcomeUnknown");
    return answer;
  }
  return {
    capabilities: store.capabilities,
    get: (keys, options) =>
      through(false, () => {
        hooks.onFetch(keys);
        return store.get(keys, options);
      }),
    list: (range, options) => through(false, () => store.list(range, options)),
    commit: (commit, options) =>
      through(true, async () => {
        const version = await store.commit(commit, options);
        if (version !== null) hooks.onCommit(commit, version);
        const claims = version === null ? [] : (commit.sets ?? []).filter(isClaim);
        if (claims.length > 0) life.claimed();
        for (const { value } of claims) hooks.onClaim(value as unknown as StoredComponent);
        return version;
      }),
    close: () => store.close(),
  };
}

/** A component with a claim for a write. */
function isClaim({ key, value }: NonNullable<Commit["sets"]>[number]): boolean {
  return key[0] === "record" && key[1] === "component" && (value as { readonly work?: unknown }).work != null;
}

/** A cloud that doesn't show new resources at once. */
export function lateCloud(cloud: Cloud, isLate: (resourceId: string) => boolean): Cloud {
  const missing = { state: "missing" } as const;
  return {
    ...cloud,
    read: async (ref, call) => {
      const reading = await cloud.read(ref, call);
      return isLate(ref.resourceId) ? missing : reading;
    },
  };
}

type WriteOperation = ResourceChanged["operation"];

/** A process's knowledge of its write: made, or only started; `null`: not made, or unknown. */
export type WriteOutcome = "made" | "begun" | null;

/** A write as it is sent. */
export interface SentWrite {
  readonly operation: WriteOperation;
  readonly resourceId: string;
  /** The etag that it is bound to; `null` if none. */
  readonly etag: string | null;
  /** The password that it contains, if any. */
  readonly password?: Json | undefined;
  /** It changes nothing but tags. */
  readonly isOfTags?: boolean;
}

function sentAs(operation: WriteOperation, { resourceId }: ResourceRef, { etag }: WriteCondition): SentWrite {
  return { operation, resourceId, etag: etag ?? null };
}

function createdAs({ resourceId, intent, parameters: { password } }: NewResource): SentWrite {
  return { operation: "create", resourceId: resourceId ?? intent, etag: null, password };
}

/** A cloud behind a network. What was sent arrives, even if its sender is dead by then. */
export function mortalCloud(
  cloud: Cloud,
  { life, time, chance }: Passage,
  hooks: {
    /** The cloud, for a write that arrives after its sender has given up. */
    readonly behindOf: (sent: SentWrite) => Cloud;
    readonly faultOf: (kind: CloudCallKind) => CloudFault["what"] | null;
    /** A resource is asked for by its ID. */
    readonly onAsk: (name: string) => void;
    /** The process has heard that an accepted write has ended. */
    readonly onEnd: (name: string) => void;
    /** A resource was read by its ID; or looked for by its intent, and not found. */
    readonly onReading: (name: string, reading: Reading) => void;
    readonly onSent: (sent: SentWrite) => void;
    readonly onAnswer: (write: {
      operation: WriteOperation;
      resourceId: string;
      became: WriteOutcome;
      /** The answer was lost. */
      isLost: boolean;
    }) => void;
  },
): Cloud {
  async function through<T>(kind: CloudCallKind, run: (at: Cloud) => Promise<T>, sent?: SentWrite): Promise<T> {
    await (kind === "write" || kind === "removeTag" ? life.send() : life.step());
    const fault = hooks.faultOf(kind);
    await time.sleep(chance.between(5, 150) + (fault === "late" ? 4_000 : 0));
    if (fault === "fail") throw failed(sent?.password);
    if (fault === "reject") throw new LiveplaneError("ProviderCredentialsRejected");
    if (fault === "conflict")
      throw new LiveplaneError("InvalidState", "The cloud is still processing another change to this resource.");
    if (fault === "throttle") throw throttled(chance.between(1, 3));
    if (fault === "straggle" && sent !== undefined) {
      const behind = hooks.behindOf(sent);
      void straggling(() => run(behind));
      throw answerLost();
    }
    const answer = await run(cloud);
    await time.sleep(chance.between(1, 50));
    await life.step();
    if (fault === "lose-answer") throw answerLost();
    return fault === "busy" ? busy(answer) : answer;
  }
  /** The sender has given up, and the cloud goes on. Nobody hears the answer. */
  async function straggling(run: () => Promise<unknown>): Promise<void> {
    await time.sleep(chance.between(500, 15_000));
    await run().catch(() => {});
  }
  const read = async (resourceId: string, run: () => Promise<Reading>) => {
    hooks.onAsk(resourceId);
    const reading = await readableUnlessFaulty(() => through("read", run));
    hooks.onReading(resourceId, reading);
    return reading;
  };
  const write = async <T extends Written>(sent: SentWrite, run: (at: Cloud) => Promise<T>): Promise<T> => {
    const { operation, resourceId } = sent;
    hooks.onSent(sent);
    let became: WriteOutcome = null;
    let isLost = false;
    try {
      const answer = await through(operation === "removeTag" ? operation : "write", run, sent);
      became = answer.operation === undefined ? "made" : "begun";
      return answer;
    } catch (error) {
      isLost = isLiveplaneError(error) && error.details.outcome === "unknown";
      throw error;
    } finally {
      if (!life.isOver()) hooks.onAnswer({ operation, resourceId, became, isLost });
    }
  };
  const { whoChanged } = cloud;
  return {
    ...cloud,
    read: (ref, call) => read(ref.resourceId, () => cloud.read(ref, call)),
    async readMany(refs, call) {
      const readings = await readableUnlessFaulty(() => through("bulk", () => cloud.readMany(refs, call)));
      return Array.isArray(readings) ? readings : refs.map(() => readings);
    },
    async follow(ref, operation, call) {
      const reading = await readableUnlessFaulty<OperationReading>(() =>
        through("read", async () => (await cloud.follow?.(ref, operation, call)) ?? { state: "gone" }),
      );
      if (reading.state !== "working" && reading.state !== "unreadable") hooks.onEnd(ref.resourceId);
      return reading;
    },
    async findCreated(intent, target, call) {
      const found = await through("find", () => cloud.findCreated(intent, target, call));
      if (found === null) hooks.onReading(intent, { state: "missing" });
      return found;
    },
    ...(whoChanged && { whoChanged: (...asked) => through("log", () => whoChanged(...asked)) }),
    create: (resource, call) => write(createdAs(resource), (at) => at.create(resource, call)),
    update: (ref, change, condition, call) =>
      write(
        {
          ...sentAs("update", ref, condition),
          password: passwordIn(change),
          isOfTags: writtenPart(change) === "tags",
        },
        (at) => at.update(ref, change, condition, call),
      ),
    remove: (ref, condition, call) => write(sentAs("remove", ref, condition), (at) => at.remove(ref, condition, call)),
    removeTag: (ref, key, condition, call) =>
      write(sentAs("removeTag", ref, condition), (at) => at.removeTag(ref, key, condition, call)),
  };
}

/** What shows a resource shows it as being worked on. */
function busy<T>(answer: T): T {
  const { state, ...resource } = Object(answer);
  return state === "present" ? ({ state: "working", resource } as T) : answer;
}

/** A failure in the words of a cloud that repeats what it was sent. */
function failed(password: Json | undefined): LiveplaneError {
  const providerMessage = `The password ${password} can't be used now.`;
  const details = typeof password === "string" ? { providerCode: "Unusable", providerMessage } : {};
  return new LiveplaneError("ProviderError", "The cloud failed.", { retryable: true, details });
}

function passwordIn({ parameters }: ResourceChange): Json | undefined {
  return parameters.find(({ pointer }) => pointer === "/password")?.value;
}

function throttled(retryAfterSeconds: number): LiveplaneError {
  return new LiveplaneError("RateLimited", "The cloud is throttling requests.", { details: { retryAfterSeconds } });
}

function answerLost(): LiveplaneError {
  return new LiveplaneError("ProviderTimeout", "The cloud's answer was lost.", { details: { outcome: "unknown" } });
}
