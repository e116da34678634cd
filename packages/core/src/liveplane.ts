import type { Access, Caller } from "./access/access.ts";
import { takeCaller } from "./access/caller.ts";
import { createAreas } from "./areas.ts";
import type { Api } from "./contract/api.ts";
import { createAudit } from "./events/audit.ts";
import { createEventLog, type EventLog } from "./events/event-log.ts";
import { takeSettings } from "./host-options.ts";
import { createHousekeeping } from "./housekeeping.ts";
import type { HostAdministration } from "./identity/account-administration.ts";
import { createCanaries, guardedSealer } from "./keys/canaries.ts";
import { installationKeys } from "./keys/installation.ts";
import { createRotation } from "./keys/rotation.ts";
import type { ComponentOfResource } from "./override/operations/component-facts.ts";
import type { Tracer } from "./ports/runtime.ts";
import { webRuntime } from "./ports/web-runtime.ts";
import { createProcessLife } from "./process-life.ts";
import { countRefusals, createReadiness, type Readiness } from "./readiness.ts";
import { createRecords } from "./records/create-records.ts";
import { createPages } from "./records/pages.ts";
import { formattedStore } from "./records/store-format.ts";
import type { IssuerSignIn } from "./sessions/issuer-sign-in.ts";
import type { SessionHandles } from "./sessions/session-handles.ts";
import type { LiveplaneOptions, Settings } from "./settings.ts";
import { tracedScheduler } from "./traced-scheduler.ts";
import { createDispatch, type Dispatch } from "./transport/dispatch.ts";
import { createFollow, type Follow } from "./transport/follow.ts";
import { createIdempotency } from "./transport/idempotency.ts";
import { apiInProcess } from "./transport/in-process.ts";
import { createSharedCounts, type SharedCounts } from "./transport/shared-counts.ts";

/** A control plane in this process. */
export interface Liveplane {
  /** The whole API for one caller: an actor that the host vouches for, or a credential. */
  as(caller: Caller): Api;
  /** Starts the agent, resumes what a crash interrupted, and runs housekeeping. Without it, operations work and nothing else happens. */
  start(): Promise<void>;
  /** Ends streams and lets the agent's running work finish. Operations still work. Idempotent. */
  drain(): Promise<void>;
  /** Drains, and closes the store. Idempotent. */
  stop(): Promise<void>;
  /** What only the host may do. */
  readonly administration: HostAdministration;
  /** Sign-in at the host's issuer, for transports; `null` if the host has none. */
  readonly signIn: IssuerSignIn | null;
  /** Checks within a second whether the store reads and writes, the keys fit, there are clouds, the agent runs, and jobs can run. */
  ready(): Promise<Readiness>;
  /**
   * Checks that this build reads the store's format and that the key ring opens it. `start` does so before anything is written; a process
   * that only answers requests calls it before it listens.
   *
   * @throws {ConfigurationInvalid} otherwise, saying what to do.
   */
  requireKeys(): Promise<void>;
  /**
   * The component that each resource of a cloud belongs to, in the order asked for; `null`: none. It answers for all tenants.
   */
  componentsOf(provider: string, resourceIds: readonly string[]): Promise<readonly (ComponentOfResource | null)[]>;
  /** Sets the gauges of the components that this process checks. Call it before reading the metrics. */
  measure(): void;
  /** Whether everything is sealed under the current key-encryption key, so that older ones can be dropped. */
  isKeyRotated(): Promise<boolean>;
  /** Listens to events in this process. Returns a function that stops listening. */
  readonly on: EventLog["on"];
  readonly log: EventLog;
  /** The entry to every operation, for transports. */
  readonly dispatch: Dispatch;
  /** The stream of events, for transports. */
  readonly follow: Follow;
  readonly access: Access;
  /** The browser's way to access tokens, for transports. */
  readonly sessionHandles: SessionHandles;
  readonly settings: Settings;
  /** The shared rate-limit counts, for transports; `null` if no other process uses the store. */
  readonly sharedCounts: SharedCounts | null;
  /** The host's tracer, for transports. */
  readonly tracer: Tracer;
  /** Aborts when it begins to stop, which ends streams. */
  readonly stopping: AbortSignal;
}

/**
 * Creates a control plane from the host's options.
 *
 * @throws {ConfigurationInvalid} naming what is missing and which settings are unknown.
 */
export function createLiveplane(given: LiveplaneOptions): Liveplane {
  const settings = takeSettings(given);
  const runtime = webRuntime(given.runtime);
  const formatted = formattedStore(given.store, runtime);
  const { store, refusals } = countRefusals(formatted.store);
  const options = { ...given, store };
  const scheduler = tracedScheduler(runtime, options.scheduler);
  // Values derived from an installation key: receipts and challenges.
  const longestDerivedMs = 1000 * Math.max(settings.idempotencySeconds, settings.challengeSeconds);
  const sealer = guardedSealer(options.sealer, () => canaries);
  const keys = installationKeys({ store, runtime, sealer, formerMs: longestDerivedMs });
  const key = keys.current;
  const log = createEventLog({ store, runtime, format: formatted.format });
  const records = createRecords({ store, runtime, onEvents: () => told() });
  const pages = createPages({ runtime, key });
  const shared = { records, pages, runtime, settings, sealer, scheduler };
  const { account, environments, override, webhooks } = createAreas(options, { ...shared, log, keys });
  const { access, deliverMail } = account;

  const told = () => {
    log.wake();
    void deliverMail();
  };
  const ofAreas = { ...account.handlers, ...environments.handlers, ...override.handlers, ...webhooks.handlers };
  const handlers = { ...ofAreas, ...createAudit({ store, pages }) };
  const idempotency = createIdempotency({ records, runtime, settings, digestKey: key, formerKeys: keys.former });
  const dispatch = createDispatch({ ...runtime, access, handlers, idempotency, records, settings, store });
  const stopping = new AbortController();
  const follow = createFollow({ access, log, runtime, settings, stopping: stopping.signal });
  const own = [keys.sealed, ...account.sealed, ...environments.sealed, ...override.sealed, ...webhooks.sealed];
  const stocks = [...own, ...(options.sealedStocks ?? [])];
  const canaries = createCanaries({ store, requireFormat: formatted.format, sealer: options.sealer });
  const rotation = createRotation({ ...shared, stocks, onComplete: canaries.keepOnly });
  const due = [...account.due, ...environments.due, ...override.due];
  const tasks = [...environments.tasks, account.releases];
  const housekeeping = createHousekeeping({ ...shared, log, due, areas: [account, override, rotation], tasks });
  const { judge: requireKeys } = canaries;
  const work = { housekeeping, agent: override, initializations: environments, webhooks, requireKeys, deliverMail };
  const { isRunning, ...life } = createProcessLife({ ...work, store, scheduler, log, stopping });

  return {
    as: (caller) => apiInProcess({ dispatch, follow, newId: runtime.newId }, takeCaller(caller)),
    dispatch,
    follow,
    access,
    sessionHandles: account.sessionHandles,
    settings,
    log,
    on: log.on,
    sharedCounts: store.capabilities.sharedByProcesses ? createSharedCounts({ store, runtime }) : null,
    tracer: runtime.tracer,
    stopping: stopping.signal,
    ...life,
    administration: account.administration,
    componentsOf: override.componentsOf,
    measure: () => override.agent.measure(),
    signIn: account.signIn,
    isKeyRotated: rotation.isComplete,
    requireKeys,
    ready: createReadiness({ ...given, store: formatted.store, scheduler, refusals, runtime, requireKeys, isRunning }),
  };
}
