import type { Containers, ScopeResolvers, ServiceAccountRole } from "../../src/access/access.ts";
import { createAccess } from "../../src/access/authorize.ts";
import { createRights } from "../../src/access/rights.ts";
import type { Api } from "../../src/contract/api.ts";
import { type Actor, type EnvironmentRef, environmentName } from "../../src/contract/target.ts";
import { createEventLog } from "../../src/events/event-log.ts";
import type {
  AccountDirectory,
  AccountStatus,
  PrincipalDirectory,
  ServiceAccountOwner,
} from "../../src/permissions/account-directory.ts";
import { createLastAdmin } from "../../src/permissions/last-admin.ts";
import { createPermissionGraphs } from "../../src/permissions/permission-graph.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { catchUp } from "../../src/records/due.ts";
import { createPages } from "../../src/records/pages.ts";
import type { ServiceAccountCredentials } from "../../src/sessions/service-accounts.ts";
import { defaultSettings, type PlanLimits } from "../../src/settings.ts";
import { createExplain } from "../../src/tenancy/explain.ts";
import { createGranting } from "../../src/tenancy/granting.ts";
import { createMembers } from "../../src/tenancy/members.ts";
import { createOrganizationChanges } from "../../src/tenancy/organization-changes.ts";
import { createOrganizations } from "../../src/tenancy/organizations.ts";
import { dueOrganizations } from "../../src/tenancy/organizations-purge.ts";
import { type CountResources, planOwners } from "../../src/tenancy/plan-owners.ts";
import { createSeats } from "../../src/tenancy/plan-usage.ts";
import { createResourceGroups } from "../../src/tenancy/resource-groups.ts";
import { createPersonalResourceGroups } from "../../src/tenancy/resource-groups-personal.ts";
import { dueExpiries } from "../../src/tenancy/subscription-expiry.ts";
import { createSubscriptions } from "../../src/tenancy/subscriptions.ts";
import { createTeams } from "../../src/tenancy/teams.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { createDispatch, type DispatchOptions } from "../../src/transport/dispatch.ts";
import { apiInProcess } from "../../src/transport/in-process.ts";

interface TestAccount {
  readonly id: string;
  readonly email: string;
  readonly status: AccountStatus;
  readonly subscriptionId: string | null;
}

const testAccounts = collection<TestAccount>()("test-account", {
  key: ({ id }) => [id],
  uniques: { email: ({ email }) => [[email]] },
});
const testPrincipals = collection<{ id: string; owner: ServiceAccountOwner }>()("test-principal", {
  key: ({ id }) => [id],
});
const cause = { actor: "test", requestId: "test" };
const noResources = async () => ({ liveSystems: 0, components: 0 });
const wide: PlanLimits = {
  discover: { accounts: 1000, organizations: 1000 },
  workgroup: { accounts: 10, organizations: 1 },
};

export interface TenantsOptions {
  /** @default wide ones */
  readonly plans?: PlanLimits;
  /** How many live systems and components an owner has before any are counted. @default none */
  readonly resourcesOf?: CountResources;
  readonly seed?: number;
}

/** Organizations, permissions and plans as they are wired, over a memory store; accounts and environments as small as can be. */
export function tenantsWorld({ plans = wide, seed = 1, resourcesOf = noResources }: TenantsOptions = {}) {
  const runtime = fakeRuntime({ seed });
  const store = memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store, runtime });
  const records = createRecords({ store, runtime, onEvents: log.wake });
  const pages = createPages({ runtime, key: async () => new Uint8Array(32) });
  const operators: string[] = [];
  const settings = { ...defaultSettings, plans, operators, validateAnswers: true };
  const environments = new Map<string, Containers>();
  const roles = new Map<string, { role: ServiceAccountRole; active: boolean }>();
  const liveSystems = new Map<string, EnvironmentRef>();

  const accounts: AccountDirectory = {
    statuses: async (reader, ids) =>
      (
        await reader.getMany(
          testAccounts,
          ids.map((id) => [id]),
        )
      ).map((found) => found?.status ?? null),
    names: async (reader, ids) =>
      (
        await reader.getMany(
          testAccounts,
          ids.map((id) => [id]),
        )
      ).map((found) => found && { name: null, email: found.email, isInvited: false }),
    findByEmail: async (reader, email) => (await reader.find(testAccounts, "email", [email]))?.id ?? null,
    async invite(change, email) {
      const known = await change.find(testAccounts, "email", [email]);
      if (known !== null) return known.id;
      const id = runtime.newId();
      await change.get(testAccounts, [id]);
      change.put(testAccounts, {
        id,
        email,
        status: "Registered",
        subscriptionId: await subscriptionArea.startDiscover(change, id),
      });
      return id;
    },
    async setSubscription(change, id, subscriptionId) {
      const known = await change.get(testAccounts, [id]);
      if (known !== null) change.put(testAccounts, { ...known, subscriptionId });
    },
  };
  const principals: PrincipalDirectory = {
    ownerOf: async (reader, id) => (await reader.get(testPrincipals, [id]))?.owner ?? null,
    async create(change, owner) {
      const id = runtime.newId();
      change.put(testPrincipals, { id, owner });
      return id;
    },
  };
  const scopes: ScopeResolvers = {
    environment: async (ref) => environments.get(environmentName(ref)) ?? null,
    liveSystem: async (id) => {
      const environment = liveSystems.get(id);
      const scope = environment && environments.get(environmentName(environment));
      return environment && scope ? { ...scope, environment } : null;
    },
    role: async (environment, id) => roles.get(`${environmentName(environment)}/${id}`) ?? null,
  };

  const graphs = createPermissionGraphs();
  const seats = createSeats({ settings, ...planOwners(resourcesOf) });
  const changes = createOrganizationChanges({ graphs, seats, runtime });
  const lastAdmin = createLastAdmin({ accounts, graphs, changes, seats });
  const base = {
    records,
    pages,
    runtime,
    settings,
    graphs,
    seats,
    changes,
    accounts,
    principals,
    scopes,
    lastAdmin,
    liveSystemsOf: async () => [],
  };
  const subscriptionArea = createSubscriptions(base);
  const access = createAccess({
    ...base,
    rights: createRights(base),
    identify: async (caller) => caller as Actor,
    requireChallengeAccess: async () => {},
  });
  const handlers = {
    ...createOrganizations(base),
    ...createMembers(base),
    ...createTeams(base),
    ...createResourceGroups(base),
    ...createPersonalResourceGroups(base),
    ...createGranting(base),
    ...createExplain(base),
    ...subscriptionArea.handlers,
    "environments.get": async () => ({ value: {} }),
  } as unknown as DispatchOptions["handlers"];
  const dispatch = createDispatch({
    ...runtime,
    access,
    handlers,
    records,
    settings,
    store: { recall: () => [] },
    idempotency: { recall: async () => undefined, run: (request, _actor, _row, _body, work) => work(request) },
  });

  async function putAccount(email: string, status: AccountStatus = "Active"): Promise<string> {
    return records.change(cause, async (change) => {
      const id = runtime.newId();
      await change.get(testAccounts, [id]);
      change.put(testAccounts, { id, email, status, subscriptionId: await subscriptionArea.startDiscover(change, id) });
      return id;
    });
  }

  const as = (actor: Actor): Api =>
    apiInProcess({ dispatch, follow: () => Promise.reject(), newId: runtime.newId } as never, actor);

  return {
    runtime,
    store,
    records,
    log,
    access,
    graphs,
    lastAdmin,
    seats,
    dispatch,
    environments,
    liveSystems,
    roles,
    operators,
    as,
    putAccount,
    /** Makes calls at once, letting time pass for those who wait to try again. */
    async atOnce<T>(calls: readonly Promise<T>[]): Promise<T[]> {
      let done = false;
      const all = Promise.all(calls).finally(() => {
        done = true;
      });
      while (!done) await runtime.advance(100);
      return all;
    },
    /** Somebody with an account: their id, the actor they are, and the API as they see it. */
    async person(name: string, status: AccountStatus = "Active") {
      const id = await putAccount(`${name}@example.com`, status);
      const actor: Actor = { kind: "account", accountId: id };
      return { id, actor, email: `${name}@example.com`, api: as(actor) };
    },
    async operator() {
      const id = await putAccount("operator@example.com");
      operators.push(id);
      const actor: Actor = { kind: "account", accountId: id };
      return { id, actor, api: as(actor) };
    },
    async serviceAccount(owner: ServiceAccountOwner) {
      const id = runtime.newId();
      await records.change(cause, (change) => void change.put(testPrincipals, { id, owner }));
      const actor: Actor = { kind: "serviceAccount", principalId: id };
      return { id, actor, api: as(actor) };
    },
    setStatus: (id: string, status: AccountStatus) =>
      records.change(cause, async (change) => {
        const known = await change.get(testAccounts, [id]);
        if (known !== null) change.put(testAccounts, { ...known, status });
      }),
    suspend: (id: string) =>
      records.change(cause, async (change) => {
        await lastAdmin.requireOthers(change, id);
        const known = await change.get(testAccounts, [id]);
        if (known !== null) change.put(testAccounts, { ...known, status: "Suspended" });
      }),
    deleteAccount: (id: string) =>
      records.change(cause, async (change) => {
        await lastAdmin.endAllGrantsOf(change, id);
        const known = await change.get(testAccounts, [id]);
        if (known !== null) change.put(testAccounts, { ...known, status: "Deleted" });
      }),
    accountOf: (id: string) => records.get(testAccounts, [id]),
    async events(type?: string) {
      await log.sequence();
      const all = await log.read(0, 10_000);
      return type === undefined ? all : all.filter((event) => event.type === type);
    },
    async housekeep() {
      const due = [
        dueExpiries(runtime, records),
        ...dueOrganizations({
          records,
          runtime,
          settings,
          credentials: { forget: async () => {} } as unknown as ServiceAccountCredentials,
        }),
      ];
      for (const work of due) await catchUp({ runtime, signal: new AbortController().signal }, work);
    },
  };
}

/** What a call fails with: its code, and where it names a place, the first of them. */
export async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "nothing failed";
  } catch (thrown) {
    const { code, details } = thrown as {
      code: string;
      details?: { errors?: { pointer?: string; parameter?: string; code: string }[] };
    };
    if (code === undefined) throw thrown;
    const [first] = details?.errors ?? [];
    return first === undefined ? code : `${code} at ${first.pointer ?? first.parameter}`;
  }
}
