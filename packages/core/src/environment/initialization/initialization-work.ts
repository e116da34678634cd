import { cloudName } from "../../contract/cloud-names.ts";
import { fromUtf8, nowText, utf8 } from "../../encoding.ts";
import { forStrangers, isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Cloud, CloudCredentials } from "../../ports/cloud.ts";
import { SecretValue } from "../../ports/secret-value.ts";
import type { Change } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { Clouds } from "../../settings.ts";
import { failureText } from "./initialization-advice.ts";
import { emitRun, emitStep, markRun } from "./initialization-events.ts";
import { ownIdentity, type Placement, placementPlace, placements } from "./initialization-placement.ts";
import {
  cloudTarget,
  credentialsPlace,
  type InitializationRunRecord,
  nextStep,
  type RunStep,
  runKey,
  runs,
  stepOutputs,
  targetScopeOf,
  withStepBegun,
  withStepDone,
  withStepFailed,
  withStepRetried,
} from "./initialization-run.ts";

/** Identifies a run: a later one of the same environment and cloud differs. */
export type RunName = Pick<InitializationRunRecord, "id" | "environment" | "provider" | "requestId">;

type Run = InitializationRunRecord;

/** The longest wait for a step. */
const longestStepMs = 3_600_000;
const defaultDelaysMs = [250, 500, 1000, 2000, 4000];

/** The result of an attempt at a step. */
type Outcome =
  | { readonly outputs: RunStep["outputFields"]; readonly placement: Omit<Placement, "target"> }
  | { readonly error: unknown };

/** A run in the hands of one worker. Every write checks that it still is. */
export class InitializationWork {
  readonly #deps: Pick<Services, "records" | "runtime" | "sealer" | "claims" | "cloudOf"> & {
    readonly retainCredentials: boolean;
    readonly clouds: Pick<Clouds, "hostIdentityFor">;
    readonly retryDelaysMs?: readonly number[];
  };
  readonly #run: RunName;
  readonly #abort: AbortController;

  constructor(
    deps: Pick<Services, "records" | "runtime" | "sealer" | "claims" | "cloudOf"> & {
      readonly retainCredentials: boolean;
      readonly clouds: Pick<Clouds, "hostIdentityFor">;
      readonly retryDelaysMs?: readonly number[];
    },
    run: RunName,
    abort: AbortController,
  ) {
    this.#deps = deps;
    this.#run = run;
    this.#abort = abort;
  }

  get #signal(): AbortSignal {
    return this.#abort.signal;
  }

  async carryThrough(): Promise<void> {
    let run = await this.#claim();
    while (run !== null) {
      const step = nextStep(run);
      run = step === null || this.#signal.aborted ? null : await this.#take(run, step);
    }
    if (this.#signal.aborted) await this.#release();
  }

  /** Runs one step, recorded before and after. Returns the run afterwards; `null` if another worker has taken it. */
  async #take(before: Run, { name, retryCount }: RunStep): Promise<Run | null> {
    const run = await this.#record(name, (held, now) => withStepBegun(held, name, now));
    if (run === null) return null;
    const outcome = await this.#attempt(run, name);
    if (this.#signal.aborted) return null;
    if ("outputs" in outcome) {
      return this.#record(name, (held, now) => withStepDone(held, name, outcome.outputs, now), outcome.placement);
    }
    const { error } = outcome;
    const failure = forStrangers(error);
    const delayMs = (this.#deps.retryDelaysMs ?? defaultDelaysMs)[retryCount];
    if (!isLiveplaneError(error) || !error.retryable || delayMs === undefined) {
      this.#deps.runtime.logger.warn(
        { run: before.id, step: name, code: failureCodeOf(error) },
        "an initialization failed",
      );
      return this.#record(name, (held, now) => withStepFailed(held, name, failureText(failure), now));
    }
    const retried = await this.#record(name, (held, now) => withStepRetried(held, name, failure.message, now));
    const pauseMs = Math.max(delayMs, (error.details.retryAfterSeconds ?? 0) * 1000);
    await this.#whileClaimed(() => this.#deps.runtime.clock.sleep(pauseMs, { signal: this.#signal })).catch(
      unlessAborted,
    );
    return retried;
  }

  async #attempt(run: Run, name: string): Promise<Outcome> {
    try {
      const cloud = this.#deps.cloudOf(run.provider);
      if (cloud === null)
        throw new LiveplaneError("CapabilityMissing", `There is no adapter for ${cloudName(run.provider)}.`);
      const credentials = await this.#credentials(run);
      const request = { name: run.name, target: cloudTarget(run), tags: run.tags, outputs: stepOutputs(run) };
      const call = { credentials, signal: this.#signal };
      const runStep = () => this.#traced(cloud, () => cloud.runStep(name, request, call));
      const outputs = await this.#whileClaimed(() => this.#patiently(runStep));
      return { outputs, placement: await this.#placement(run, credentials) };
    } catch (error) {
      return { error };
    }
  }

  #traced<T>({ provider }: Cloud, step: () => Promise<T>): Promise<T> {
    const fields = { provider, requestId: this.#run.requestId };
    return this.#deps.runtime.tracer.during({ name: "cloud.step", kind: "client", fields }, step);
  }

  /** A cloud that is still working hasn't failed: it is asked again until the patience ends. */
  async #patiently<T>(step: () => Promise<T>): Promise<T> {
    const { clock } = this.#deps.runtime;
    const until = clock.monotonic() + longestStepMs;
    for (;;) {
      try {
        return await step();
      } catch (error) {
        const isAtIt = isLiveplaneError(error) && error.details.outcome === "working";
        if (!isAtIt || clock.monotonic() >= until) throw error;
        const pauseMs = (error.details.retryAfterSeconds ?? 5) * 1000;
        await clock.sleep(pauseMs, { signal: this.#signal });
      }
    }
  }

  async #credentials(run: Run): Promise<CloudCredentials> {
    if (run.credentials === null) throw new LiveplaneError("ProviderCredentialsMissing");
    const { sealed, ...who } = run.credentials;
    if (who.kind === "workload") return this.#ownIdentity(run);
    const secret = fromUtf8(await this.#deps.sealer.open(sealed, credentialsPlace(run)));
    return { ...who, secret: new SecretValue(secret) };
  }

  /** The host may have removed the place from its list since the run began. */
  #ownIdentity({ environment, provider, target }: Run): CloudCredentials {
    const place = { environment, provider, scope: targetScopeOf(target) };
    if (!this.#deps.clouds.hostIdentityFor?.(place)) throw new LiveplaneError("ProviderCredentialsMissing");
    return ownIdentity;
  }

  /** The result of a completed run. Its credentials were sealed for their new place beforehand, because a change has no side effects. */
  async #placement(
    { environment, provider }: Run,
    { secret, ...who }: CloudCredentials,
  ): Promise<Omit<Placement, "target">> {
    if (!this.#deps.retainCredentials || secret === null) return { environment, provider, credentials: null };
    const sealed = await this.#deps.sealer.seal(utf8(secret.reveal()), placementPlace(environment, provider));
    return { environment, provider, credentials: { ...who, sealed } };
  }

  #claim(): Promise<Run | null> {
    return this.#deps.records.change(this.#cause(), async (change) => {
      const run = await this.#stored(change);
      if (run === null || this.#deps.claims.hold(run.claim)) return null;
      return change.put(runs, { ...run, claim: this.#deps.claims.make() });
    });
  }

  async #release(): Promise<void> {
    await this.#change((change, held) => void change.put(runs, { ...held, claim: null }));
  }

  /**
   * Runs something long while its claim tells other processes that this one is alive. Aborts it if the run was cancelled elsewhere or
   * another worker has taken it.
   */
  async #whileClaimed<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const beat = this.#beat(over.signal);
    try {
      return await work();
    } finally {
      over.abort();
      await beat;
    }
  }

  async #beat(over: AbortSignal): Promise<void> {
    const { claims, runtime } = this.#deps;
    while (!over.aborted) {
      try {
        await runtime.clock.sleep(claims.renewMs, { signal: over });
        const kept = await this.#change((change, held) => change.put(runs, { ...held, claim: claims.make() }));
        if (kept === null) return this.#abort.abort();
      } catch (error) {
        if (over.aborted) return;
        runtime.logger.warn({ run: this.#run.id, code: failureCodeOf(error) }, "a claim was not renewed");
      }
    }
  }

  /** Changes the run if this worker still has it. */
  #change<R>(work: (change: Change, held: Run) => Promise<R> | R): Promise<R | null> {
    return this.#deps.records.change(this.#cause(), async (change) => {
      const held = await this.#stored(change);
      return held?.claim?.worker === this.#deps.claims.worker ? work(change, held) : null;
    });
  }

  async #stored(change: Change): Promise<Run | null> {
    const run = await change.get(runs, runKey(this.#run));
    return run?.id === this.#run.id && run.status === "InProgress" ? run : null;
  }

  #record(
    step: string,
    move: (held: Run, now: string) => Run,
    placement?: Omit<Placement, "target">,
  ): Promise<Run | null> {
    return this.#change(async (change, held) => {
      const moved = move({ ...held, claim: this.#deps.claims.make() }, nowText(this.#deps));
      change.put(runs, moved);
      emitStep(change, moved, step);
      if (moved.status === "InProgress") return moved;
      if (moved.status === "Completed" && placement)
        change.put(placements, { ...placement, target: cloudTarget(moved) });
      emitRun(change, moved, moved.status === "Completed" ? "completed" : "failed");
      await markRun(change, moved, moved.requester);
      return null;
    });
  }

  #cause() {
    return { actor: "initialization", requestId: this.#run.requestId };
  }
}

function unlessAborted(error: unknown): void {
  if (!isLiveplaneError(error, "Aborted")) throw error;
}

/** The code of a failure, for a log line. */
export function failureCodeOf(error: unknown): string {
  return isLiveplaneError(error) ? error.code : "InternalError";
}
