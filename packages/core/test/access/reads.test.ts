import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { identityWorld } from "../builders/identity.ts";
import { toAccount } from "../builders/principals.ts";

/** A world in which every read of the store is written down: a get by the kinds that it asks for, a list by its kind. */
async function watched() {
  const store = memoryStore({ now: () => Date.UTC(2026, 0, 1) });
  const reads: string[] = [];
  const kindOf = ([, kind = ""]: readonly string[]) => kind;
  const counted: Store = {
    ...store,
    get(keys, options) {
      reads.push(keys.map(kindOf).join(" and "));
      return store.get(keys, options);
    },
    list(range) {
      reads.push(`all ${kindOf(range.prefix)}`);
      return store.list(range);
    },
  };
  const world = await identityWorld({}, undefined, { store: counted });
  const { api } = await world.person("ada");
  const { id: organizationId } = await api.organizations.create({ name: "Works" });
  const web = { type: "Organizational", ownerId: organizationId, shortName: "web" } as const;
  await api.environments.create(web, {});
  /** What a call reads until its handler begins: who calls, and whether they may. */
  async function readsOf(call: () => Promise<unknown>) {
    // Until the mails have gone that what was before has caused.
    await world.settle();
    reads.length = 0;
    await call();
    return [...reads];
  }
  return { world, api, organizationId, web, readsOf };
}

test("who calls is one read, whether they may another, as long as nothing is granted", async () => {
  const { api, organizationId, web, readsOf } = await watched();
  await api.environments.get(web);
  const [who, where, may, ...handler] = await readsOf(() => api.environments.get(web));
  expect([who, where, may]).toEqual(["session and account", "environment", "authorization"]);
  expect(handler).toEqual(["environment"]);
  const [identity, decision] = await readsOf(() => api.organizations.permissions.list({ organizationId }));
  expect([identity, decision]).toEqual(["session and account", "authorization"]);
});

test("after a grant the organization's grants are read once more, and once only", async () => {
  const { api, organizationId, web, readsOf } = await watched();
  const colleague = toAccount("bob@example.com", "View");
  await api.environments.get(web);
  await api.organizations.permissions.grant({ organizationId }, colleague);
  const first = await readsOf(() => api.environments.get(web));
  expect(first).toEqual(["session and account", "environment", "authorization", "all graph-entry", "environment"]);
  const second = await readsOf(() => api.environments.get(web));
  expect(second).toEqual(first.filter((read) => read !== "all graph-entry"));
});

test("a list decides once for all that is in the same groups", async () => {
  const { api, organizationId, web, readsOf } = await watched();
  for (const shortName of ["api", "jobs"]) await api.environments.create({ ...web, shortName }, {});
  const query = { ownerId: organizationId };
  await api.environments.list(query);
  expect(await readsOf(() => api.environments.list(query))).toEqual([
    "session and account",
    "all graph-entry",
    "all environment",
    "environment and environment and environment",
    "authorization",
  ]);
});

test("a list of somebody in many organizations asks once which of them have environments", async () => {
  const { api, readsOf } = await watched();
  const made = [];
  for (const name of ["Mill", "Forge", "Dock"]) made.push(await api.organizations.create({ name }));
  expect(await readsOf(() => api.environments.list())).toEqual([
    "session and account",
    "all graph-entry",
    "use and use and use and use and use",
    "all environment",
    "environment",
    "authorization",
  ]);
  await api.environments.create({ type: "Organizational", ownerId: made[2]?.id ?? "", shortName: "crane" }, {});
  expect((await api.environments.list()).items.map(({ id }) => id.shortName)).toEqual(["crane", "web"]);
});

test("a list shows nothing that a revoke took away, however often it was shown before", async () => {
  const { world, api, organizationId } = await watched();
  const { api: colleague, account } = await world.person("bob");
  const grant = toAccount(account.id, "View");
  const namesSeen = async () => (await colleague.environments.list()).items.map(({ id }) => id.shortName);
  for (let round = 0; round < 2; round++) {
    await api.organizations.permissions.grant({ organizationId }, grant);
    expect(await namesSeen()).toEqual(["web"]);
    expect(await namesSeen()).toEqual(["web"]);
    await api.organizations.permissions.revoke({ organizationId }, grant);
    expect(await namesSeen()).toEqual([]);
  }
});
