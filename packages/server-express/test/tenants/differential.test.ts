import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import type { Api, Liveplane, Request } from "@liveplane/core";
import { type OperationId, parseRoute } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { memoryStore } from "@liveplane/core/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { sharedPostgres } from "../../../adapters/test/postgres.ts";
import { mulberry32 as createChance } from "../../../core/src/testing/fake-runtime.ts";
import { createServer } from "../../src/server.ts";
import { createComparison, pairsOf } from "./differential.ts";
import { everyOperation, membersOf } from "./named-members.ts";
import { isPlain, namingsOf, pathOf } from "./naming-calls.ts";
import { type TwoTenants, twoTenants } from "./two-tenants.ts";

type Compared = ReturnType<typeof createComparison> & { close(): Promise<void> };

let tenants: TwoTenants;
let comparison: Compared;
const folder = emptyFolder(afterAll);

beforeAll(async () => {
  tenants = await twoTenants();
  comparison = await serve(await sqliteStore({ file: join(folder, "store.db") }));
});
afterAll(async () => {
  await comparison.close();
});

/** Both tenants behind a real port, over a store; `leak` puts something wrong into it. */
async function serve(
  store: Store,
  leak: (liveplane: Liveplane) => Liveplane = (liveplane) => liveplane,
): Promise<Compared> {
  const liveplane = leak(await tenants.over(store));
  const server = createServer({ liveplane, rateLimits: "off", needsAgent: false });
  const compared = createComparison(await server.listen(0), tenants);
  return {
    ...compared,
    async close() {
      compared.end();
      await server.close();
      await liveplane.stop();
    },
  };
}

const everybody = () => Object.keys(tenants.callers);

test.each(everyOperation)(
  "%s tells nobody of another tenant's things, by any byte",
  { timeout: 60_000 },
  async (id) => {
    expect(await comparison.differences(pairsOf(id, tenants), everybody())).toEqual([]);
  },
);

/** How much of it is tried on Postgres, and which: the seed stands in what fails. */
const onPostgres = { share: 0.1, seed: Number(process.env.LIVEPLANE_DIFFERENTIAL_SEED ?? Date.now() % 1_000_000) };

test("a sample of it tells nobody anything over Postgres either", { timeout: 120_000 }, async () => {
  const { seed, share } = onPostgres;
  const postgres = await sharedPostgres();
  const store = await postgresStore({ connectionString: await postgres.freshSchema() });
  const compared = await serve(store);
  onTestFinished(() => compared.close());
  const chance = createChance(seed);
  const differences: unknown[] = [];
  for (const id of everyOperation)
    differences.push(...(await compared.differences(pairsOf(id, tenants), everybody(), () => chance() < share)));
  expect({ seed, differences }).toEqual({ seed, differences: [] });
  expect(compared.requests()).toBeGreaterThan(1000);
});

/** The members of what an operation can be told that no case names. */
function unnamed(id: OperationId): string[] {
  const { own, foreign } = tenants;
  const told = [own, foreign].map((names) => [
    { path: pathOf(id, names) },
    ...namingsOf(id, own).map((one) => one(names)),
  ]);
  const [ours = [], theirs = []] = told.map((calls) => calls.map((call) => new Map(placesIn(call))));
  const isNamed = (member: string) =>
    ours.some((call, at) => call.has(member) && call.get(member) !== theirs[at]?.get(member));
  return membersOf(id).filter((member) => !isPlain(id, member) && !isNamed(member));
}

/** What stands where, in the words of `membersOf`. */
function placesIn(call: {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}): [string, string][] {
  const members = (of: object | undefined, name: (member: string) => string) =>
    Object.entries(of ?? {}).map(([member, value]): [string, string] => [name(member), String(value)]);
  return [
    ...members(call.path, (name) => `{${name}}`),
    ...members(call.query, (name) => `?${name}`),
    ...inBody(call.body, ""),
  ];
}

function inBody(value: unknown, at: string): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => inBody(item, `${at}[]`));
  if (typeof value !== "object" || value === null) return [[at, String(value)]];
  return Object.entries(value).flatMap(([name, own]) => inBody(own, at === "" ? name : `${at}.${name}`));
}

test("every member of every operation that can name something has a case, and a new one fails here", () => {
  expect(Object.fromEntries(everyOperation.map((id) => [id, unnamed(id)]).filter(([, left]) => left?.length))).toEqual(
    {},
  );
});

/** What a read takes beside its path. */
function readingOf(id: OperationId): { readonly query?: Readonly<Record<string, string>> } {
  if (id === "environments.providerA.locations") return { query: { subscriptionId: tenants.own.subscription } };
  if (id === "environments.providerB.locations") return { query: { projectName: "project" } };
  if (id === "names.find") return { query: { id: tenants.own.owner } };
  if (id === "permissions.explain") return { query: { principalType: "Account", principalId: tenants.own.owner } };
  return {};
}

/** What everybody is answered who reads the environment of the tenant that they belong to, if to any. */
const reading: Readonly<Record<string, string>> = {
  ...{ nobody: "Unauthenticated", nonsense: "Unauthenticated", challenge: "Unauthenticated" },
  ...{ expired: "TokenExpired", revoked: "TokenRevoked", suspended: "TokenRevoked" },
  ...{
    mustChange: "PasswordChangeRequired",
    stranger: "NotFound",
    operatorWithoutScope: "NotFound",
    operator: "NotFound",
  },
  ...{ keyVault: "NotFound", custom: "NotFound" },
};

test("everybody who calls is who they are said to be", async () => {
  const found: Record<string, string> = {};
  const path = pathOf("environments.get", tenants.own);
  for (const caller of everybody()) {
    const { status, body } = await comparison.told({ id: "environments.get", path }, caller);
    if (status !== 200) found[caller] = JSON.parse(body).code;
  }
  expect(found).toEqual(reading);
});

test("what is one's own is there: every read of it by its owner is answered", async () => {
  const { own } = tenants;
  const isRead = (id: OperationId) => parseRoute(id).methods[0] === "GET" && parseRoute(id).params.length > 0;
  // By their id accounts are for operators alone.
  const reads = everyOperation.filter((id) => isRead(id) && id !== "accounts.release" && id !== "accounts.get");
  for (const id of reads) {
    const path = pathOf(id, own);
    const { status } = await comparison.told({ id, path, ...readingOf(id) }, "owner");
    expect([id, status]).toEqual([id, 200]);
  }
  expect(reads.length).toBeGreaterThan(25);
});

/** What a careless change might do to a request. `isThere` asks as the host. */
type Leak = (
  request: Request,
  go: Liveplane["dispatch"],
  isThere: (read: Promise<unknown>) => Promise<boolean>,
) => ReturnType<Liveplane["dispatch"]>;

const notFound = (message?: string) => new LiveplaneError("NotFound", message);

const leaks: Readonly<Record<string, readonly [OperationId, (liveplane: Liveplane) => Leak]>> = {
  "a plan that looks into the environment that its body names": [
    "liveSystems.planDeploy",
    ({ as }) =>
      async (request, go, isThere) => {
        const { environmentId } = (await request.body()) as {
          environmentId: Parameters<Api["environments"]["get"]>[0];
        };
        if (!(await isThere(as(system).environments.get(environmentId)))) throw notFound();
        return go(request);
      },
  ],
  "a refusal of what is there in other words": [
    "organizations.get",
    ({ as }) =>
      async (request, go, isThere) => {
        const organizationId = request.params.organizationId ?? "";
        if (await isThere(as(system).organizations.get({ organizationId })))
          return go(request).catch((refusal: unknown) =>
            Promise.reject(isLiveplaneError(refusal, "NotFound") ? notFound("There is none for you.") : refusal),
          );
        return go(request);
      },
  ],
  "a list that is refused where its filter names nothing": [
    "liveSystems.list",
    ({ as }) =>
      async (request, go, isThere) => {
        const [type = "", ownerId = "", shortName = ""] = String(request.query.environment ?? "").split("/");
        const named = { type, ownerId, shortName } as Parameters<Api["environments"]["get"]>[0];
        if (type !== "" && !(await isThere(as(system).environments.get(named)))) throw notFound();
        return go(request);
      },
  ],
  "a state that is judged before the right": [
    "liveSystems.mutations.get",
    ({ as }) =>
      async (request, go, isThere) => {
        const { id = "" } = request.params;
        if (await isThere(as(system).liveSystems.get({ id }))) throw new LiveplaneError("InvalidState");
        return go(request);
      },
  ],
};

const system = { kind: "system", name: "test" } as const;

test.each(Object.entries(leaks))("%s is found", async (_, [id, leakOf]) => {
  const leaking = await serve(memoryStore(), (liveplane) => {
    const leak = leakOf(liveplane);
    const isThere = (read: Promise<unknown>) =>
      read.then(
        () => true,
        () => false,
      );
    return {
      ...liveplane,
      dispatch: (request) =>
        request.operation === id ? leak(request, liveplane.dispatch, isThere) : liveplane.dispatch(request),
    };
  });
  const found = await leaking.differences(pairsOf(id, tenants), ["memberEdit", "stranger"]);
  await leaking.close();
  expect(found.length).toBeGreaterThan(0);
});
